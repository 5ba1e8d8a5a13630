import { nowSeconds } from '../platform/clock.ts';
import { languageOf } from '../platform/errors.ts';
import type { Answer, Serve, ServedRequest } from '../platform/http/served.ts';
import { workerOf } from '../platform/http/user-address.ts';
import { requestId } from '../platform/ids.ts';
import { type CallTrace, isTraced, traceCall } from '../platform/trace.ts';
import { describePlan } from '../routing/index.ts';
import { optionOf } from '../settings/index.ts';
import { admit } from './admit.ts';
import { arrayCaller } from './array-caller.ts';
import type { Asked } from './asked.ts';
import { type Authenticated, authenticate } from './authenticate.ts';
import type { BodyPlace } from './body-budget.ts';
import { refuseWhenBusy } from './busy.ts';
import type { Arrival } from './call.ts';
import { type Caller, createCaller } from './caller.ts';
import { type Capture, captureOf } from './capture.ts';
import { checkAddress } from './check-key.ts';
import { continuedBy } from './continued-response.ts';
import { canonical } from './converted.ts';
import { countTokens } from './count-tokens.ts';
import { dialectOfPath, type Endpoint, findEndpoint, isConsolePath, type ModelList } from './endpoints.ts';
import { noteFailure, noteRefusal } from './error-rows.ts';
import { families } from './families/index.ts';
import { faultOf, localFault, type RelayFault, toldOf } from './faults.ts';
import { readBody } from './inbound.ts';
import { headerOf, type Inquiry } from './inquiry.ts';
import { withKnownPin } from './known-pin.ts';
import { createMediaLoader } from './media.ts';
import { answerModels } from './models.ts';
import { OpenCall } from './open-call.ts';
import type { RelayParts } from './parts.ts';
import { enterPlayground } from './playground.ts';
import { readInquiry } from './read-inquiry.ts';
import { errorDialect, inEnglish } from './surface.ts';
import { taskRequest } from './tasks/request.ts';
import { isPublic, servePublic, serveTask } from './tasks/serve.ts';
import { tryChannels } from './try-channels.ts';

const megabyte = 1024 * 1024;
const preflight = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
  'access-control-allow-headers': '*, Authorization',
  'access-control-max-age': '86400',
};

/** The data plane: one request from its first byte to its close. Never throws; every error is answered in the caller's dialect. */
export function createRelay(parts: RelayParts): Serve {
  return (request, answer) => {
    if (request.method === 'OPTIONS') {
      answer.head(204, isConsolePath(request.url) ? {} : preflight);
      answer.end();
      return;
    }
    serve(parts, request, answer).catch((error: unknown) => {
      parts.log.error({ err: error }, 'an error could not be told to its caller');
      answer.destroy();
    });
  };
}

interface RelayArrival extends Arrival {
  readonly path: string;
  readonly query: URLSearchParams | undefined;
  readonly endpoint: Endpoint | undefined;
  readonly trace: CallTrace | undefined;
  /** What its body takes. */
  readonly body: BodyPlace;
}

async function serve(parts: RelayParts, request: ServedRequest, answer: Answer): Promise<void> {
  const id = requestId(parts.clock);
  const arrival = readArrival(parts, request, id);
  const isConsole = isConsolePath(arrival.path);
  const plain = errorDialect(spokenIn(arrival, request));
  // Programs know a text by its words; a page of the console is read.
  const dialect = isConsole && languageOf(request.headers['accept-language']) === 'en' ? inEnglish(plain) : plain;
  const caller = createCaller(answer, id, dialect, () => parts.clock.monotonicMs(), !isConsole);
  try {
    await route(parts, request, caller, arrival);
  } catch (error) {
    const fault = error === undefined ? undefined : faultOf(error);
    arrival.trace?.failed(fault === undefined ? 'caller_left' : nameOf(fault));
    if (fault === undefined) return;
    if (fault.status >= 500 && arrival.body.userId === 0) parts.onUnknownFailed?.(fault);
    if (fault.code === 'internal_error') parts.log.error({ err: error, requestId: id }, 'a relay request failed');
    request.leaveUnread();
    caller.fail(fault);
  } finally {
    parts.bodies.leave(arrival.body);
    arrival.trace?.end(parts.clock.monotonicMs());
  }
}

function readArrival(parts: RelayParts, request: ServedRequest, id: string): RelayArrival {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const startedMonotonicMs = parts.clock.monotonicMs();
  const method = request.method ?? 'GET';
  return {
    id,
    ip: parts.clientIp(request),
    startedMonotonicMs,
    trace: isTraced() ? traceCall({ id, method, path, startMs: startedMonotonicMs, headers: request.headers }) : undefined,
    path,
    query: mark < 0 ? undefined : new URLSearchParams(url.slice(mark + 1)),
    endpoint: findEndpoint(method, path),
    body: { bytes: 0, userId: 0 },
  };
}

async function route(parts: RelayParts, request: ServedRequest, caller: Caller, arrival: RelayArrival): Promise<void> {
  const { endpoint, path, query } = arrival;
  if (endpoint === undefined) throw nothingThere(request, path);
  if (endpoint.kind === 'task' && isPublic(endpoint))
    return servePublic(taskRequest(parts, request, caller, arrival, endpoint, () => undefined));
  if (endpoint.kind === 'playground') {
    const { who, chat } = await enterPlayground(parts, request, arrival.body);
    return take(parts, chat, caller, arrival, who, { kind: 'relay', protocol: 'openai-chat' }, () => who);
  }
  const identify = (): Authenticated | Promise<Authenticated> =>
    isConsolePath(path)
      ? parts.visitor(request).then((key) => ({ key, pinnedChannel: undefined }))
      : authenticate(parts.keyring, request.headers, query, nowSeconds(parts.clock), dialectOfPath(path, endpoint));
  const known = identify();
  const asking = known instanceof Promise ? await known : known;
  const who = asking.pinnedChannel === undefined ? asking : await withKnownPin(parts, asking);
  arrival.trace?.stage('authenticate', parts.clock.monotonicMs());
  // Who has no key takes no room from those who have.
  arrival.body.userId = who.key.user.id;
  try {
    parts.bodies.enter(arrival.body, request, Math.max(parts.env.MAX_BODY_MB, parts.env.MAX_UPLOAD_MB) * megabyte);
  } catch (error) {
    noteRefusal(parts, arrival, who, '', error);
    throw error;
  }
  if (endpoint.kind === 'task') return serveTask(taskRequest(parts, request, caller, arrival, endpoint, identify), who);
  // From where a key may be used holds for all that it opens, lists and balances too.
  checkAddress(who.key, arrival.ip);
  switch (endpoint.kind) {
    case 'models':
      return answerModels(parts.snapshot(), who.key, caller, {
        list: modelListOf(endpoint, request),
        wanted: endpoint.model,
        query,
      });
    case 'account': {
      const asking = { key: who.key, options: parts.snapshot().options, query, requestId: endpoint.requestId };
      return caller.answer(200, JSON.stringify(await parts.accountView(endpoint.view, asking)));
    }
    case 'count-tokens': {
      refuseWhenBusy(parts);
      const room = { bodies: parts.bodies, place: arrival.body };
      const bytes = await readBody(request, parts.env.MAX_BODY_MB * megabyte, room);
      parts.bodies.came(arrival.body, bytes.length);
      const { protocol, model } = endpoint;
      return countTokens(parts, arrival, who, caller, { protocol, model, bytes, query, header: headerOf(request) });
    }
    case 'relay':
      // Awaited, since a promise that is returned costs more.
      return await take(parts, request, caller, arrival, who, endpoint, identify);
    default:
      throw localFault('api_not_implemented');
  }
}

/** Agents that would rather have a socket go on by POST at this status alone; at any other they ask for it again, for seconds. */
function nothingThere({ method = '', headers }: ServedRequest, path: string): RelayFault {
  if (headers.upgrade !== undefined && findEndpoint('POST', path)?.kind === 'relay') return localFault('socket_not_offered');
  return localFault('invalid_url', { method, path }, { codeless: true, type: 'invalid_request_error' });
}

async function take(
  parts: RelayParts,
  request: ServedRequest,
  caller: Caller,
  arrival: RelayArrival,
  first: Authenticated,
  endpoint: Extract<Endpoint, { kind: 'relay' }>,
  identify: () => Authenticated | Promise<Authenticated>,
): Promise<void> {
  let who = first;
  let model = '';
  let capture: Capture | undefined;
  try {
    const reading = readInquiry(parts, request, arrival, endpoint);
    const inquiry = reading instanceof Promise ? await reading : reading;
    // A body may take minutes: a key that was ended meanwhile buys nothing with it.
    if (reading instanceof Promise) who = { ...first, key: (await identify()).key };
    arrival.trace?.stage('inbound', parts.clock.monotonicMs());
    model = inquiry.peek.model;
    capture = captureOf(parts, { requestId: arrival.id, userId: who.key.user.id }, inquiry, caller);
    const isArray = endpoint.protocol === 'gemini-generate' && endpoint.stream === true && arrival.query?.get('alt') !== 'sse';
    const heard = capture?.caller ?? caller;
    const listener = isArray ? arrayCaller(heard, errorDialect(endpoint.protocol), arrival.id) : heard;
    const continued = continuedBy(parts.responseOwners, who.key.user.id, inquiry);
    const continues = continued instanceof Promise ? await continued : continued;
    await relay(
      parts,
      listener,
      arrival,
      who,
      continues === undefined ? canonical(inquiry, endpoint.ranksAll) : { ...inquiry, continues },
    );
    capture?.done();
  } catch (error) {
    capture?.done(error);
    noteRefusal(parts, arrival, who, model, error);
    throw error;
  }
}

/** One path, three dialects. */
function modelListOf({ list }: Extract<Endpoint, { kind: 'models' }>, request: ServedRequest): ModelList {
  return list === 'plain' ? listOfSdk(request) : list;
}

/** The SDK of one dialect names its version on every call, that of another has a header for its key. */
function listOfSdk({ headers }: ServedRequest): ModelList {
  if (headers['anthropic-version'] !== undefined) return 'anthropic-messages';
  return headers['x-goog-api-key'] === undefined ? 'plain' : 'gemini-generate';
}

/** The dialect that its caller is answered in: where a path tells none, its SDK does. */
function spokenIn({ path, endpoint }: RelayArrival, request: ServedRequest): string {
  const tellsNone = endpoint === undefined || endpoint.kind === 'not-implemented';
  const list = endpoint?.kind === 'models' ? modelListOf(endpoint, request) : tellsNone ? listOfSdk(request) : 'plain';
  return list === 'plain' ? dialectOfPath(path, endpoint) : list;
}

async function relay(
  parts: RelayParts,
  caller: Caller,
  arrival: RelayArrival,
  who: Authenticated,
  inquiry: Inquiry,
): Promise<void> {
  const { call, plan, limit, loweredCap } = await admit(parts, arrival, who, inquiry);
  arrival.trace?.stage('admit', parts.clock.monotonicMs());
  parts.budget.countCall();
  const { version, options } = call.snapshot;
  const route = describePlan(plan, version, limit, parts.watch.health.quiet(), options.ChannelAffinityEnabled);
  for (const [name, value] of call.pass?.headers ?? []) caller.note(name, value);
  const asked: Asked = {
    inquiry,
    loweredCap,
    answerContext: {
      id: call.id,
      model: call.model,
      created: call.startedAt,
      wantsUsage: inquiry.peek.wantsUsage,
      promptEstimate: call.promptEstimate,
    },
    option: optionOf(call.snapshot.options),
    tools: parts.signTools,
    place: arrival.body,
    media: createMediaLoader(
      (url, signal) => parts.userFetch(url, workerOf(call.snapshot.options), signal),
      parts.bodies,
      arrival.body,
    ),
    strict: who.key.policy?.strict_conversion === true,
  };
  const open = new OpenCall(parts, call, caller, asked, route, arrival.trace);
  parts.active.add(open);
  try {
    const fault = await tryChannels({ parts, plan, limit, open, asked }).catch(async (error: unknown) => {
      if (open.isUntouched) await parts.settler.release(call);
      throw error;
    });
    if (fault === undefined) return;
    // A prompt that was read is paid for; what was asked for beside chat is the answer alone.
    if (fault.isEmpty && call.price.kind === 'token' && !families.has(inquiry.protocol))
      await open.settleUnanswered(fault.code === 'upstream_timeout' ? 'timeout' : 'upstream_broke_off');
    else await parts.settler.release(call);
    const told = toldOf(fault);
    arrival.trace?.failed(nameOf(told));
    noteFailure(parts, call, open.record(), fault, told);
    if (!caller.gone) caller.fail(told);
  } finally {
    parts.active.remove(open);
    asked.media?.forget();
    open.close();
    call.pass?.leave();
  }
}

/** Some callers are told an error without a code. */
function nameOf({ code, status }: RelayFault): string {
  return code === '' ? `http_${status}` : code;
}
