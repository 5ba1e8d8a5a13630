import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { fields } from '@tollgate/contract';
import { scanObject } from '@tollgate/wire';
import type { WebSocket } from 'ws';
import { nowSeconds } from '../platform/clock.ts';
import { createSocketDoor, refuseUpgrade, type SocketDoor } from '../platform/http/accept-socket.ts';
import { requestId } from '../platform/ids.ts';
import { onlyWrites } from '../providers/index.ts';
import { describePlan, freshSeed, RoutePlan } from '../routing/index.ts';
import { optionOf } from '../settings/index.ts';
import type { Asked } from './asked.ts';
import { type Authenticated, authenticate } from './authenticate.ts';
import { refuseWhenBusy, refuseWithoutSpace } from './busy.ts';
import type { Arrival, Call } from './call.ts';
import { mostConversations } from './call-limits.ts';
import { checkKey } from './check-key.ts';
import { chooseRoutes, priceOf, pricesOf } from './choose-routes.ts';
import { noteRefusal } from './error-rows.ts';
import { faultOf, localFault, RelayFault, toldOf } from './faults.ts';
import { headerOf, type Inquiry } from './inquiry.ts';
import { withKnownPin } from './known-pin.ts';
import type { RelayParts } from './parts.ts';
import { connectUpstream } from './realtime-connect.ts';
import { RealtimeSession } from './realtime-session.ts';
import { Turns } from './realtime-turns.ts';
import { attemptLimit } from './retry.ts';
import { errorDialect, surfaceOf } from './surface.ts';

/** The only one that callers may choose. */
export const subprotocol = 'realtime';
/** How callers who cannot send headers ask for the older version of the protocol. */
const betaWord = /openai-beta\.realtime-(v\d+)/;

/** Takes over a connection that asked for a WebSocket. Never throws. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

interface SessionArrival extends Arrival {
  readonly query: URLSearchParams;
  readonly model: string;
  readonly who: Authenticated;
}

/**
 * Sessions over WebSockets (contract 6.18). Who has no key, has too many open, or comes while nobody is let in, is refused
 * in HTTP; all else is told in the conversation, because callers in browsers see nothing of a refused opening.
 */
export function createRealtime(parts: RelayParts): UpgradeHandler {
  const door = createSocketDoor({ subprotocol });
  return (request, socket, head) => {
    socket.on('error', () => undefined);
    void serve(parts, door, request, socket, head);
  };
}

async function serve(parts: RelayParts, door: SocketDoor, request: IncomingMessage, socket: Duplex, head: Buffer) {
  const id = requestId(parts.clock);
  let arrival: SessionArrival;
  let admitted: Admitted | RelayFault | undefined;
  let accepted: WebSocket | undefined;
  let leavePlace = (): void => undefined;
  try {
    arrival = await arrive(parts, request, id);
    const { tokenId, user } = arrival.who.key;
    leavePlace = await parts.limiter.converse(id, { tokenId, userId: user.id }, mostConversations(parts.env));
    if (arrival.model !== '') admitted = await admit(parts, arrival).catch((error: unknown) => knownFault(parts, error, id));
    accepted = await door.accept(request, socket, head, headersOf(admitted, id));
  } catch (error) {
    leavePlace();
    return refuse(parts, socket, knownFault(parts, error, id), id);
  }
  if (accepted === undefined) {
    leavePlace();
    return leave(admitted);
  }
  const session = new RealtimeSession(parts, id, accepted);
  parts.active.add(session);
  try {
    if (admitted instanceof RelayFault) throw admitted;
    if (admitted === undefined) {
      const model = await session.named('openai-beta' in betaOf(request));
      // It may take minutes: a key that was ended meanwhile opens nothing.
      const who = await identify(parts, request, arrival.query);
      arrival = { ...arrival, model, who, startedMonotonicMs: parts.clock.monotonicMs() };
      admitted = await admit(parts, arrival);
    }
    await open(parts, arrival, admitted, request, session);
  } catch (error) {
    const known = knownFault(parts, error, id);
    // What our own limits refuse is no upstream's matter.
    const fault = known.evidence === undefined ? known : toldOf(known);
    noteRefusal(parts, arrival, arrival.who, arrival.model, fault);
    session.stop(fault);
  }
  await session.over;
  parts.active.remove(session);
  leavePlace();
}

async function identify(parts: RelayParts, { headers }: IncomingMessage, query: URLSearchParams): Promise<Authenticated> {
  return withKnownPin(parts, await authenticate(parts.keyring, headers, query, nowSeconds(parts.clock)));
}

/** Rejects with RelayFault. */
async function arrive(parts: RelayParts, request: IncomingMessage, id: string): Promise<SessionArrival> {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
  const startedMonotonicMs = parts.clock.monotonicMs();
  const who = await identify(parts, request, query);
  refuseWhenBusy(parts);
  refuseWithoutSpace(parts);
  const model = query.get('model') || query.get('deployment') || '';
  // The clients of the vendor that only have their sound written down say in the session who is to do it.
  const isToldLater = model === '' && onlyWrites(query);
  if (model === '' && !isToldLater) throw localFault('invalid_text_request', { reason: 'model is required' });
  if (!isToldLater && !fields.modelName.safeParse(model).success)
    throw localFault('invalid_text_request', { reason: 'model is invalid' });
  return { id, ip: parts.clientIp(request), startedMonotonicMs, query, model, who };
}

type Admitted = Awaited<ReturnType<typeof admit>>;

/** What the caller is told with the 101: the id of the session, and what is left of its limits. */
function headersOf(admitted: Admitted | RelayFault | undefined, id: string): Record<string, string> {
  const limits = admitted instanceof RelayFault ? [] : (admitted?.call.pass?.headers ?? []);
  return { ...Object.fromEntries(limits), 'x-oneapi-request-id': id, 'x-request-id': id };
}

/** The caller did not finish its opening: it takes no place. */
function leave(admitted: Admitted | RelayFault | undefined): void {
  if (admitted === undefined || admitted instanceof RelayFault) return;
  admitted.call.pass?.cancel();
  admitted.call.pass?.leave();
}

/** Holds for the first turn, finds an upstream, and lets both talk. Rejects with RelayFault. */
async function open(
  parts: RelayParts,
  arrival: SessionArrival,
  { plan, limit, call }: Admitted,
  request: IncomingMessage,
  session: RealtimeSession,
) {
  const turns = new Turns(parts, call, async () => {
    const { key } = await authenticate(parts.keyring, request.headers, arrival.query, nowSeconds(parts.clock));
    checkKey(key, arrival.ip, arrival.model);
    return key;
  });
  try {
    await prepareOrCancel(turns, call);
    parts.budget.countCall();
    const route = describePlan(plan, call.snapshot.version, limit, parts.watch.health.quiet());
    const { signal } = session;
    const asked = askedFor(parts, arrival, request, call);
    const connected = await connectUpstream({ parts, call, plan, limit, asked, headers: betaOf(request), signal });
    const { target, outgoing, tried, attempts } = connected;
    const price = target.group === call.group ? undefined : call.otherPrices?.get(target.group);
    const billed = price === undefined ? call : { ...call, group: target.group, price };
    const answering = { channelId: target.channelId, tried, upstreamModel: outgoing.upstreamModel };
    turns.answeredBy({ ...answering, route: `${route},"a":[${attempts.join(',')}]}` }, billed);
    session.start({ call: billed, connected, turns, onlyWrites: onlyWrites(arrival.query) });
  } catch (error) {
    await turns.end('ours');
    throw error;
  }
}

/** Who cannot pay takes no place under the limits. */
async function prepareOrCancel(turns: Turns, { pass }: Call): Promise<void> {
  try {
    await turns.prepare();
  } catch (error) {
    pass?.cancel();
    throw error;
  }
}

async function admit(parts: RelayParts, { id, ip, startedMonotonicMs, model, who }: SessionArrival) {
  const { key, pinnedChannel } = who;
  const snapshot = parts.snapshot();
  checkKey(key, ip, model);
  const { group, routes } = chooseRoutes(snapshot, key, model, pinnedChannel);
  const price = priceOf(snapshot, key, model, group);
  const otherPrices = routes.length > 1 ? pricesOf(snapshot, key, model, routes.slice(1)) : undefined;
  const pass = await parts.limiter.enter({ callId: id, key, options: snapshot.options, tokens: 0 });
  const call: Call = {
    ...{ id, ip, startedMonotonicMs, key, snapshot, model, group, price },
    ...(otherPrices === undefined ? {} : { otherPrices }),
    isStream: true,
    promptCeiling: 0,
    promptEstimate: 0,
    completionCap: 0,
    capIsCallers: false,
    // The least hold is one of plain tokens (contract 6.18); it grows with what is said.
    reach: { media: false, lasting: false },
    startedAt: nowSeconds(parts.clock),
    ...(pass === undefined ? {} : { pass }),
  };
  const seed = freshSeed(parts.random());
  const plan = new RoutePlan({ routes, model, seed, health: parts.watch.health, turns: parts.turns });
  return { call, plan, limit: attemptLimit(snapshot.options, pinnedChannel) };
}

/** An opening has no body: the address and the headers say it all. */
function askedFor(parts: RelayParts, { id, query, model }: SessionArrival, request: IncomingMessage, call: Call): Asked {
  const bytes = Buffer.from(JSON.stringify({ model }));
  const result = scanObject(bytes);
  const surface = surfaceOf('embeddings');
  if (!result.ok || surface === undefined) throw localFault('internal_error');
  const inquiry: Inquiry = {
    protocol: 'realtime',
    surface,
    bytes,
    peek: { scan: result.scan, model, stream: false, wantsUsage: true, cap: undefined, n: 1 },
    query,
    header: headerOf(request),
  };
  return {
    inquiry,
    loweredCap: undefined,
    answerContext: { id, model, created: call.startedAt, wantsUsage: true, promptEstimate: 0 },
    option: optionOf(call.snapshot.options),
    tools: parts.signTools,
  };
}

/** The version of the protocol that the caller speaks. */
function betaOf({ headers }: IncomingMessage): Record<string, string> {
  const version = betaWord.exec(headers['sec-websocket-protocol'] ?? '')?.[1];
  const asked = headers['openai-beta'] ?? (version === undefined ? undefined : `realtime=${version}`);
  return typeof asked === 'string' && asked.includes('realtime') ? { 'openai-beta': asked } : {};
}

/** Tells in HTTP why there is no conversation. */
export function refuse(parts: RelayParts, socket: Duplex, fault: RelayFault, id: string): void {
  const headers = {
    'content-type': 'application/json',
    'x-oneapi-request-id': id,
    'x-request-id': id,
    ...(fault.retryAfterSeconds === undefined ? {} : { 'retry-after': String(fault.retryAfterSeconds) }),
  };
  parts.log.debug({ requestId: id, code: fault.code }, 'a session was refused');
  refuseUpgrade(socket, fault.status, headers, errorDialect('realtime').body(fault, id));
}

/** What went wrong, as callers are told; what nobody foresaw is logged. */
export function knownFault(parts: RelayParts, error: unknown, id: string): RelayFault {
  const fault = faultOf(error);
  if (fault.code === 'internal_error') parts.log.error({ err: error, requestId: id }, 'a session failed');
  return fault;
}
