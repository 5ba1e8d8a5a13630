import {
  type Family,
  type FamilyShape,
  type Protocol,
  type Provider,
  providerOf,
  type Signed,
  SignFault,
  type SignTools,
  throughProxy,
  type Variant,
} from '../providers/index.ts';
import { overrideHeaders, type RouteChannel, upstreamModel } from '../routing/index.ts';
import { noted } from './adapted.ts';
import { shapedPlan, spelledPlan } from './answer-plan.ts';
import type { Asked, Outgoing, Unsent } from './asked.ts';
import { type Building, isUntouched, otherName } from './builder.ts';
import { chooseProtocol, wantsOf } from './choose-dialect.ts';
import { crossing } from './crossing.ts';
import { localFault, notServed, plainEvidence, servedOtherwise } from './faults.ts';
import { bodyOf } from './inquiry.ts';
import { distinctLosses } from './losses.ts';
import { passing } from './passing.ts';
import { baseOf, headersOf, overriddenFields, upstreamUrl } from './prepare-channel.ts';

/**
 * Builds the request to one channel: the caller's bytes with the allowed edits (rulings 10) where the upstream speaks
 * the caller's dialect, else the request in the upstream's. Throws or rejects with RelayFault.
 */
export function buildOutgoing(asked: Asked, channel: RouteChannel, provider: Provider): Outgoing | Promise<Outgoing> {
  const building = buildingOf(asked, channel, provider);
  const send = (unsent: Unsent) => {
    const ready = delivered(whole(unsent, building), channel, provider, asked.tools);
    const withHead = (one: Unsent) => withHeaders(one, channel, provider, asked.tools);
    return ready instanceof Promise ? ready.then(withHead) : withHead(ready);
  };
  const unsent = unsentOf(building);
  return unsent instanceof Promise ? unsent.then(send) : send(unsent);
}

/** The body of the request to a channel that was asked before. Undefined: it is not made at once. */
export function bodyFor(asked: Asked, channel: RouteChannel): Buffer | undefined {
  const provider = providerOf(channel.type);
  if (provider === undefined || provider.deliver !== undefined) return undefined;
  const unsent = unsentOf(buildingOf(asked, channel, provider));
  if (!(unsent instanceof Promise)) return unsent.body;
  // Nobody waits for it, so that nobody hears when it fails.
  unsent.catch(() => undefined);
  return undefined;
}

/** What is known before the body is made. Throws RelayFault. */
function buildingOf(asked: Asked, channel: RouteChannel, provider: Provider): Building {
  const { inquiry, option, loweredCap: capLimit } = asked;
  const { peek, protocol: spoken, query, header } = inquiry;
  const mapped = upstreamModel(channel.modelMapping, peek.model);
  if (mapped === undefined) throw localFault('model_mapped_error', { reason: 'model_mapping_contains_cycle' });
  const variant = provider.variantOf?.(mapped, option);
  const model = variant?.model ?? mapped;
  const choose = (from: Protocol) => chooseProtocol(from, provider, model, wantsFor(asked, channel, provider, variant));
  // Who shortens no conversation is asked for a summary.
  const protocol = choose(spoken) ?? (spoken === 'responses-compact' ? choose('openai-responses') : undefined);
  if (protocol === undefined) {
    const instead = provider.instead?.[spoken as Family];
    throw instead === undefined ? notServed(channel.type) : servedOtherwise(spoken, instead);
  }
  const isCrossed = protocol !== spoken;
  // No vendor's own shape is told in events.
  const mayStream = peek.stream && provider.shapes?.[protocol as Family] === undefined;
  const stream = mayStream || (isCrossed && (provider.streamsOnly === true || provider.transport === 'websocket'));
  const call = { channel, model, stream, protocol, spoken, capLimit, query, header, option };
  return { asked, channel, provider, call, variant };
}

/** Undefined: nothing of it decides, or the bytes are to go out as they came. */
function wantsFor(asked: Asked, channel: RouteChannel, { dialectsOf }: Provider, variant: Variant | undefined) {
  const { inquiry } = asked;
  if (dialectsOf === undefined || (inquiry.protocol === 'openai-chat' && isUntouched({ asked, channel }))) return undefined;
  return wantsOf(inquiry, channel.paramOverride.reasoning_effort ?? variant?.effort);
}

/** With what is known of every request, however it was made. Throws RelayFault when it may not be sent. */
function whole(unsent: Unsent, { asked: { inquiry, strict }, variant }: Building): Unsent {
  const { spell } = inquiry;
  const before = inquiry.losses?.filter((word) => unsent.says?.includes(word) !== true) ?? [];
  const losses = before.length === 0 ? unsent.losses : [...before, ...unsent.losses];
  if (strict === true && losses.length > 0) {
    // Another channel may speak what the caller speaks.
    throw localFault('conversion_refused', { losses: distinctLosses(losses).join(', ') }, { retryable: true });
  }
  if (spell === undefined && variant === undefined && losses === unsent.losses) return unsent;
  const answer = spell === undefined ? unsent.answer : spelledPlan(unsent.answer, spell);
  return { ...unsent, answer, losses, ...(variant?.effort === undefined ? {} : { effort: variant.effort }) };
}

function unsentOf(building: Building): Unsent | Promise<Unsent> {
  const { asked, provider, call } = building;
  const shape = provider.shapes?.[call.protocol as Family];
  if (shape !== undefined) return shaped(building, shape);
  return call.protocol === asked.inquiry.protocol ? passing(building) : crossing(building);
}

/** A family in the vendor's own shape. */
function shaped(building: Building, shape: FamilyShape): Unsent {
  const { asked, channel, provider, call } = building;
  const { bytes, surface, upload, inputs } = asked.inquiry;
  const form = upload === undefined ? undefined : shape.encodeUpload?.(upload, call);
  if (upload !== undefined && form === undefined) throw notServed(channel.type);
  const canonical = { ...bodyOf(bytes), model: call.model };
  const { body: heard, unread } = noted(canonical);
  const reason = shape.refuses?.(heard, call);
  if (reason !== undefined) throw localFault('invalid_text_request', { reason }, { retryable: true });
  const own = inputs === undefined ? undefined : shape.inputs;
  const encoded = inputs && own ? own.encode(inputs, call) : shape.encode(heard, call);
  const overridden = overriddenFields(channel);
  const body = form?.body ?? Buffer.from(JSON.stringify({ ...encoded, ...overridden }));
  return {
    call,
    says: own?.says,
    url: upstreamUrl(channel, provider, call),
    body,
    upstreamModel: otherName(building),
    swallowUsage: false,
    answer: shapedPlan({
      surface,
      shape,
      call,
      asked: canonical,
      created: asked.answerContext.created,
      base: baseOf(channel, provider),
    }),
    // Of a form its shape tells the file alone.
    losses: own === undefined ? unread(form === undefined ? encoded : {}).filter((name) => !(name in overridden)) : [],
    contentType: form?.mediaType,
    transport: provider.transport,
  };
}

/** What its body cannot hold is at the upstream. Rejects with RelayFault. */
function delivered(unsent: Unsent, channel: RouteChannel, { deliver }: Provider, tools: SignTools): Unsent | Promise<Unsent> {
  const body = deliver?.(unsent.body, unsent.call, throughProxy(tools, channel.setting.proxy)) ?? unsent.body;
  if (!(body instanceof Promise)) return body === unsent.body ? unsent : { ...unsent, body };
  return body.then(
    (named) => ({ ...unsent, body: named }),
    (error: unknown) => Promise.reject(deliveryFault(error)),
  );
}

function deliveryFault(error: unknown): unknown {
  if (!(error instanceof RangeError)) return signFault(error);
  return localFault('invalid_text_request', { reason: error.message }, { retryable: true });
}

function withHeaders(unsent: Unsent, channel: RouteChannel, provider: Provider, tools: SignTools): Outgoing | Promise<Outgoing> {
  const head = headOf(unsent, channel, provider, tools);
  const withHead = ({ url, headers }: Head): Outgoing => ({ ...unsent, url, headers });
  return head instanceof Promise ? head.then(withHead) : withHead(head);
}

/** What stands before the body of a request, signed where the provider wants that. */
interface Head {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** The head of a request to one channel. Throws or rejects with RelayFault. */
export function headOf(
  { call, url, body, contentType }: Pick<Unsent, 'call' | 'url' | 'body' | 'contentType'>,
  channel: RouteChannel,
  provider: Provider,
  tools: SignTools,
): Head | Promise<Head> {
  const fixed = headersOf(channel, provider, call);
  const headers = contentType === undefined ? fixed : { ...fixed, 'content-type': contentType };
  if (provider.sign === undefined) return { url, headers };
  const apply = (signed: Signed): Head => ({
    url: signed.url ?? url,
    headers: overrideHeaders({ ...headers, ...signed.headers }, channel.headerOverride, channel.key),
  });
  try {
    const own = throughProxy(tools, channel.setting.proxy);
    const signed = provider.sign({ ...call, url, headers, body }, own);
    return signed instanceof Promise ? signed.then(apply, (error: unknown) => Promise.reject(signFault(error))) : apply(signed);
  } catch (error) {
    throw signFault(error);
  }
}

/** A key that cannot sign is a dead key; a token service that does not answer is the upstream's trouble. */
function signFault(error: unknown): unknown {
  if (!(error instanceof SignFault)) return error;
  const { message, isKeyBad } = error;
  const evidence = plainEvidence(isKeyBad ? 'auth' : 'network', 'sign');
  if (isKeyBad) return localFault('channel_misconfigured', { reason: message }, { retryable: true, evidence });
  return localFault('do_request_failed', {}, { retryable: true, evidence, detail: message });
}
