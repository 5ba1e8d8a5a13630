import type { IncomingMessage, ServerResponse } from 'node:http';
import { fields } from '@tollgate/contract';
import { openaiChat } from '@tollgate/wire';
import { nowSeconds } from '../platform/clock.ts';
import { publicError } from '../platform/errors.ts';
import { requestId } from '../platform/ids.ts';
import { describePlan } from '../routing/index.ts';
import { admit } from './admit.ts';
import { authenticate } from './authenticate.ts';
import { type Caller, createCaller, type ErrorDialect } from './caller.ts';
import { findEndpoint } from './endpoints.ts';
import { localFault, RelayFault } from './faults.ts';
import { readBody } from './inbound.ts';
import { answerModels } from './models.ts';
import { OpenCall } from './open-call.ts';
import type { RelayParts } from './parts.ts';
import { tryChannels } from './try-channels.ts';
import type { ChatBody } from './upstream-request.ts';

const megabyte = 1024 * 1024;
const preflight = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
  'access-control-allow-headers': '*, Authorization',
  'access-control-max-age': '86400',
};

/** The data plane: one request from its first byte to its close. Never throws; every error is answered in the caller's dialect. */
export function createRelay(parts: RelayParts): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    if (request.method === 'OPTIONS') {
      response.writeHead(204, preflight).end();
      return;
    }
    void serve(parts, request, response);
  };
}

async function serve(parts: RelayParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const id = requestId(parts.clock);
  const caller = createCaller(response, id, dialect, () => parts.clock.monotonicMs());
  const arrival = { id, ip: parts.clientIp(request), startedMonotonicMs: parts.clock.monotonicMs() };
  try {
    await route(parts, request, caller, arrival);
  } catch (error) {
    const fault = faultOf(error);
    if (fault === undefined) return;
    if (fault.code === 'internal_error') parts.log.error({ err: error, requestId: id }, 'a relay request failed');
    // What the caller still sends is not read: the connection cannot serve another request.
    if (!request.complete) response.shouldKeepAlive = false;
    caller.fail(fault);
  }
}

type Arrival = Parameters<typeof admit>[1];

async function route(parts: RelayParts, request: IncomingMessage, caller: Caller, arrival: Arrival): Promise<void> {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const endpoint = findEndpoint(request.method ?? 'GET', path);
  if (endpoint === undefined) throw localFault('invalid_url', { method: request.method ?? '', path }, { codeless: true });
  const who = await authenticate(parts.keyring, request.headers, nowSeconds(parts.clock));
  if (endpoint.family === 'not-implemented') throw localFault('api_not_implemented');
  if (endpoint.family === 'models') return answerModels(parts.snapshot(), who.key, caller, endpoint.model);
  await relayChat(parts, request, caller, arrival, who);
}

async function relayChat(
  parts: RelayParts,
  request: IncomingMessage,
  caller: Caller,
  arrival: Arrival,
  who: Awaited<ReturnType<typeof authenticate>>,
): Promise<void> {
  if (!parts.accepting()) throw localFault('shutting_down', {}, { retryAfterSeconds: 1 });
  if (parts.active.size >= parts.env.MAX_STREAMS) throw localFault('overloaded', {}, { retryAfterSeconds: 1 });
  const chat = peekChat(await readBody(request, parts.env.MAX_BODY_MB * megabyte));
  const { call, plan, limit, loweredCap } = await admit(parts, arrival, who, chat);
  parts.budget.countCall();
  const route = describePlan(plan, call.snapshot.version, limit, parts.watch.health.quiet());
  const open = new OpenCall(parts, call, caller, chat, route);
  parts.active.add(open);
  try {
    const fault = await tryChannels({ parts, plan, limit, loweredCap, open, chat });
    if (fault === undefined) return;
    await parts.settler.release(call.id);
    if (!caller.gone) caller.fail(fault.status === 429 ? saturated(fault) : fault);
  } finally {
    parts.active.remove(open);
    open.close();
  }
}

function peekChat(bytes: Buffer): ChatBody {
  const result = openaiChat.peekRequest(bytes);
  if (!result.ok) throw localFault(result.code, { reason: result.reason });
  if (!fields.modelName.safeParse(result.peek.model).success)
    throw localFault('invalid_text_request', { reason: 'model is invalid' });
  return { bytes, peek: result.peek };
}

/** What every channel's 429 becomes (contract 6.6). */
function saturated(fault: RelayFault): RelayFault {
  return localFault('upstream_saturated', {}, { retryAfterSeconds: fault.retryAfterSeconds });
}

/** Undefined: the caller is gone, there is nobody to tell. */
function faultOf(error: unknown): RelayFault | undefined {
  if (error === undefined || error instanceof RelayFault) return error;
  const known = publicError(error);
  if (known === undefined) return localFault('internal_error');
  return localFault(known.code, known.values, { retryAfterSeconds: known.retryAfterSeconds });
}

const dialect: ErrorDialect = {
  body: (fault, id) => openaiChat.errorBody(withRequestId(fault, id)),
  event: (fault, id) => openaiChat.errorFrame(withRequestId(fault, id)),
};

function withRequestId({ message, type, param, code }: RelayFault, id: string) {
  return { message: `${message} (request id: ${id})`, type, param, code };
}
