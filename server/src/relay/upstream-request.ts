import { type chat, clientDialect, type JsonObject, scanObject, splice, upstreamDialect } from '@tollgate/wire';
import {
  type Family,
  type FamilyShape,
  type Provider,
  type Signed,
  SignFault,
  type SignTools,
  type UpstreamCallFacts,
} from '../providers/index.ts';
import { overrideHeaders, type RouteChannel, upstreamModel } from '../routing/index.ts';
import { type AnswerPlan, crossingPlan, passingPlan, shapedPlan, spelledPlan } from './answer-plan.ts';

import { chooseProtocol } from './choose-dialect.ts';
import { localFault, plainEvidence, type RelayFault } from './faults.ts';
import { decodedRequest, type Inquiry } from './inquiry.ts';
import { headersOf, prepareChannel, upstreamUrl } from './prepare-channel.ts';
import { rebuildUpload, type Upload } from './upload.ts';

export interface Outgoing {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The name sent upstream when it differs from the caller's. */
  readonly upstreamModel: string | undefined;
  /** We asked for usage on the caller's behalf: that frame must not reach the caller. */
  readonly swallowUsage: boolean;
  readonly answer: AnswerPlan;
  /** What the upstream's dialect could not say. */
  /** What the upstream is spoken to in, when that is not the caller's protocol. */
  readonly protocol?: string;
  readonly losses: readonly string[];
  /** Of the body, when it is no JSON. */
  readonly contentType?: string;
  readonly transport: Provider['transport'];
}

/** What building needs beside the channel: the same for every attempt of a call. */
export interface Asked {
  readonly inquiry: Inquiry;
  /** What an answer in another dialect must repeat. */
  readonly answerContext: Omit<chat.AnswerContext, 'request'>;
  /** The answer must be limited to what the hold covers; undefined = as the caller says. */
  readonly loweredCap: number | undefined;
  /** The operator's setting of that name. */
  readonly option: (name: string) => unknown;
  readonly tools: SignTools;
}

interface Unsent extends Omit<Outgoing, 'headers'> {
  readonly call: UpstreamCallFacts;
}

/**
 * Builds the request to one channel: the caller's bytes with the allowed edits (rulings 10) where the upstream speaks
 * the caller's dialect, else the request in the upstream's. Throws or rejects with RelayFault.
 */
export function buildOutgoing(asked: Asked, channel: RouteChannel, provider: Provider): Outgoing | Promise<Outgoing> {
  const { inquiry } = asked;
  const { peek, protocol: spoken, query, header } = inquiry;
  const model = upstreamModel(channel.modelMapping, peek.model);
  if (model === undefined) throw localFault('model_mapped_error', { reason: 'model_mapping_contains_cycle' });
  const protocol = chooseProtocol(spoken, provider, model);
  if (protocol === undefined) throw notServed(channel);
  const isCrossed = protocol !== spoken;
  const stream = peek.stream || (isCrossed && (provider.streamsOnly === true || provider.transport === 'websocket'));
  const call: UpstreamCallFacts = { channel, model, stream, protocol, spoken, query, header, option: asked.option };
  const send = (unsent: Unsent) => withHeaders(asSpelled(unsent, inquiry), channel, provider, asked.tools);
  const unsent = unsentTo(asked, channel, provider, call);
  return unsent instanceof Promise ? unsent.then(send) : send(unsent);
}

/** A caller who did not ask in the canonical shape is not answered in it. */
function asSpelled(unsent: Unsent, { spell, losses = [] }: Inquiry): Unsent {
  if (spell === undefined) return unsent;
  return { ...unsent, answer: spelledPlan(unsent.answer, spell), losses: [...losses, ...unsent.losses] };
}

function unsentTo(asked: Asked, channel: RouteChannel, provider: Provider, call: UpstreamCallFacts): Unsent | Promise<Unsent> {
  const { inquiry } = asked;
  const shape = provider.shapes?.[call.protocol as Family];
  if (shape !== undefined) return shaped(inquiry, channel, provider, call, shape);
  if (call.protocol !== inquiry.protocol) return crossing(asked, channel, provider, call);
  const unsent = passing(asked, channel, provider, call);
  const { upload } = inquiry;
  return upload === undefined ? unsent : withForm(unsent, upload, inquiry);
}

/** The body of an upload was read as the object of its text fields; what changed in there changes in the form. */
async function withForm(unsent: Unsent, upload: Upload, { bytes, peek }: Inquiry): Promise<Unsent> {
  const before = JSON.parse(bytes.toString('utf8')) as Readonly<Record<string, string>>;
  const after = JSON.parse(unsent.body.toString('utf8')) as Readonly<Record<string, unknown>>;
  const edits = new Map<string, string | null>();
  for (const key of Object.keys(before)) if (!(key in after)) edits.set(key, null);
  for (const [key, value] of Object.entries(after)) if (before[key] !== value) edits.set(key, String(value));
  if (edits.size === 0 && before.model === peek.model) return { ...unsent, body: upload.raw, contentType: upload.contentType };
  return { ...unsent, ...(await rebuildUpload(upload, edits)) };
}

/** A family in the vendor's own shape. */
function shaped(
  { bytes, peek, surface, upload }: Inquiry,
  channel: RouteChannel,
  provider: Provider,
  call: UpstreamCallFacts,
  shape: FamilyShape,
): Unsent {
  const form = upload === undefined ? undefined : shape.encodeUpload?.(upload, call);
  if (upload !== undefined && form === undefined) throw notServed(channel);
  const canonical = { ...(JSON.parse(bytes.toString('utf8')) as JsonObject), model: call.model };
  const body = form?.body ?? Buffer.from(JSON.stringify({ ...shape.encode(canonical, call), ...overridden(channel) }));
  return {
    call,
    url: upstreamUrl(channel, provider, call),
    body,
    upstreamModel: call.model === peek.model ? undefined : call.model,
    swallowUsage: false,
    answer: shapedPlan({
      surface,
      shape,
      call,
      asked: canonical,
      base: (channel.baseUrl || provider.baseUrl).replace(/\/+$/, ''),
    }),
    losses: [],
    contentType: form?.mediaType,
    transport: provider.transport,
  };
}

/** This channel can never serve the caller's protocol; another one may. */
function notServed(channel: RouteChannel): RelayFault {
  return localFault('convert_request_failed', { type: channel.type }, { retryable: true });
}

function passing(
  { inquiry, loweredCap, option }: Asked,
  channel: RouteChannel,
  provider: Provider,
  call: UpstreamCallFacts,
): Unsent {
  const { bytes, peek, surface } = inquiry;
  const swallowUsage = peek.stream && !peek.wantsUsage && provider.streamUsage;
  const isCapMissing = surface.needsCap === true && peek.cap === undefined;
  const { overrides } = prepareChannel(channel, provider);
  const body = surface.editRequest(bytes, peek, {
    model: call.model,
    includeUsage: swallowUsage,
    cap: loweredCap ?? (isCapMissing ? defaultCap(option('claude.default_max_tokens'), call.model) : undefined),
    capField: provider.capField?.(call.model),
    more: overrides,
  });
  return {
    call,
    url: upstreamUrl(channel, provider, call),
    body:
      provider.adapt === undefined || provider.adapts?.(call) === false ? body : adapted(body, provider.adapt, call, overrides),
    upstreamModel: call.model === peek.model ? undefined : call.model,
    swallowUsage,
    answer: passingPlan(surface, provider.framing ?? 'sse'),
    losses: [],
    transport: provider.transport,
  };
}

/** The vendor's changes, spliced in as edits of top-level members; what the operator overrides stays as it is. */
function adapted(
  bytes: Buffer,
  adapt: NonNullable<Provider['adapt']>,
  call: UpstreamCallFacts,
  overrides: ReadonlyMap<string, string>,
): Buffer {
  const result = scanObject(bytes);
  if (!result.ok) return bytes;
  const before = JSON.parse(bytes.toString('utf8')) as JsonObject;
  const after = adapt(before, call);
  const edits = new Map<string, string | null>();
  for (const key of Object.keys(before)) if (!(key in after)) edits.set(key, null);
  for (const [key, value] of Object.entries(after)) {
    if (value !== before[key]) edits.set(key, value === undefined ? null : JSON.stringify(value));
  }
  for (const key of overrides.keys()) edits.delete(key);
  return splice(bytes, result.scan, edits);
}

function crossing(asked: Asked, channel: RouteChannel, provider: Provider, call: UpstreamCallFacts): Unsent {
  const { inquiry } = asked;
  const { peek } = inquiry;
  const from = upstreamDialect(call.protocol);
  const to = clientDialect(inquiry.protocol);
  if (from === undefined || to === undefined) throw notServed(channel);
  const request = { ...requestFor(asked, to), stream: call.stream };
  const { body, losses } = from.encodeRequest(request, {
    model: call.model,
    defaultMaxTokens: defaultCap(asked.option('claude.default_max_tokens'), call.model),
    extensions: provider.extensions,
  });
  const fields = { ...(provider.adapt === undefined ? body : provider.adapt(body, call)), ...overridden(channel) };
  return {
    call,
    url: upstreamUrl(channel, provider, call),
    body: Buffer.from(JSON.stringify(fields)),
    upstreamModel: call.model === peek.model ? undefined : call.model,
    swallowUsage: false,
    answer: crossingPlan({
      from,
      to,
      context: { ...asked.answerContext, request },
      framing: provider.framing ?? 'sse',
      transform: undefined,
    }),
    protocol: call.protocol,
    losses,
    transport: provider.transport,
  };
}

const lastResortCap = 8_192;

/** The operator's cap for dialects that must have one. */
function defaultCap(table: unknown, model: string): number {
  const caps = (typeof table === 'object' && table !== null ? table : {}) as Readonly<Record<string, unknown>>;
  const cap = caps[model] ?? caps.default;
  return typeof cap === 'number' && Number.isInteger(cap) && cap > 0 ? cap : lastResortCap;
}

function overridden({ paramOverride }: RouteChannel): JsonObject {
  const { stream: _, ...fields } = paramOverride;
  return fields;
}

/** The caller's request without its dialect, within the cap, asking for usage: what crosses is always metered. */
function requestFor({ inquiry, loweredCap }: Asked, to: chat.ClientDialect): chat.ChatRequest {
  const decoded = decodedRequest(inquiry, to);
  if (!decoded.ok) throw localFault('invalid_text_request', { reason: decoded.reason });
  const { request } = decoded;
  const maxTokens = loweredCap === undefined ? request.maxTokens : Math.min(request.maxTokens ?? loweredCap, loweredCap);
  return { ...request, maxTokens, wantsUsage: true };
}

function withHeaders(
  { call, ...unsent }: Unsent,
  channel: RouteChannel,
  provider: Provider,
  tools: SignTools,
): Outgoing | Promise<Outgoing> {
  const fixed = headersOf(channel, provider, call);
  const headers = unsent.contentType === undefined ? fixed : { ...fixed, 'content-type': unsent.contentType };
  if (provider.sign === undefined) return { ...unsent, headers };
  const apply = (signed: Signed): Outgoing => ({
    ...unsent,
    url: signed.url ?? unsent.url,
    headers: overrideHeaders({ ...headers, ...signed.headers }, channel.headerOverride, channel.key),
  });
  try {
    const signed = provider.sign({ ...call, url: unsent.url, headers, body: unsent.body }, tools);
    return signed instanceof Promise ? signed.then(apply, (error: unknown) => Promise.reject(signFault(error))) : apply(signed);
  } catch (error) {
    throw signFault(error);
  }
}

/** A key that cannot sign is a dead key; a token service that does not answer is the upstream's trouble. */
function signFault(error: unknown): unknown {
  if (!(error instanceof SignFault)) return error;
  const evidence = plainEvidence(error.isKeyBad ? 'auth' : 'network', 'sign');
  return localFault('channel_misconfigured', { reason: error.message }, { retryable: true, evidence });
}
