import type { Envelope, RouteBody, RouteData, RouteDefinition, RouteQuery } from '@tollgate/contract';
import type * as z from 'zod/mini';
import { isRecord } from '../lib/json.ts';
import { refusalOf, unansweredOf } from './errors.ts';

export type AnyRoute = RouteDefinition<string, z.ZodMiniType, z.ZodMiniType, unknown>;
type ParameterNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;
type WhenGiven<Value, Field extends string> = [undefined] extends [Value] ? { [F in Field]?: Value } : { [F in Field]: Value };
type Parameters<Path extends string> = [ParameterNames<Path>] extends [never]
  ? { params?: undefined }
  : { params: Record<ParameterNames<Path>, string | number> };

/** Everything one call of a route may carry: path parameters, query, body, the signal that aborts it, its own time-out. */
export type CallInput<R extends AnyRoute> = Parameters<R['path']> &
  WhenGiven<RouteBody<R>, 'body'> & {
    query?: RouteQuery<R>;
    signal?: AbortSignal;
    /** For calls that wait for somebody else. */
    timeoutMs?: number;
  };

export interface ClientDeps {
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** -1 when nobody is signed in. */
  userId(): number;
  languageTag(): string;
  /** The session has ended: every 401 to the one who is signed in. */
  onUnauthorized(): void;
  timeoutMs: number;
}

export type Call = <R extends AnyRoute>(
  route: R,
  ...input: Record<never, never> extends CallInput<R> ? [CallInput<R>?] : [CallInput<R>]
) => Promise<RouteData<R>>;

/** A renewed session's cookie is here by then. */
const renewalMs = 300;

export interface Given {
  params?: Record<string, string | number>;
  query?: unknown;
  body?: unknown;
  signal?: AbortSignal;
  timeoutMs?: number;
}

/** The address of a route: parameters filled in, query without its undefined and empty values. */
export function addressOf(path: string, params: Record<string, string | number> = {}, query: unknown = {}): string {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name] ?? '')));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(isRecord(query) ? query : {})) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  return search.size > 0 ? `${filled}?${search}` : filled;
}

type Answer = Partial<Envelope> & { error?: unknown; url?: unknown };

export async function readAnswer(response: Response): Promise<Answer> {
  try {
    const value: unknown = await response.json();
    return isRecord(value) ? value : {};
  } catch (error) {
    // What is no JSON, which Safari says by a DOMException of this name. With any other the answer broke off.
    if ((error as Error).name === 'SyntaxError') return {};
    throw error;
  }
}

/** The text of a refusal; payments carry it in `data` beside the message "error" (contract 1.13). */
export function textOfRefusal({ message, data, error }: Answer): string {
  if (message === 'error' && typeof data === 'string') return data;
  const nested = isRecord(error) && typeof error.message === 'string' ? error.message : '';
  return (typeof message === 'string' && message) || nested;
}

/**
 * Sends for who is signed in. A 401 is asked again once, a moment later: a bind in another window renews the session under
 * whatever is on its way, and nothing was done for it. Refused again, the session has ended, unless somebody else has signed
 * in since.
 */
export async function sendSignedIn(deps: ClientDeps, send: () => Promise<Response>): Promise<Response> {
  const userId = deps.userId();
  const isRefused = () => response.status === 401 && userId >= 0 && deps.userId() === userId;
  let response = await send();
  if (isRefused()) await new Promise((resolve) => setTimeout(resolve, renewalMs));
  if (isRefused()) response = await send();
  if (isRefused()) deps.onUnauthorized();
  return response;
}

/** Sends one call; resolves to the whole answer of what succeeded. Throws as `Call` does. */
export function createExchange(deps: ClientDeps) {
  return async (route: AnyRoute, given: Given): Promise<Answer> => {
    const timeout = AbortSignal.timeout(given.timeoutMs ?? deps.timeoutMs);
    const headers: Record<string, string> = {
      Accept: 'application/json',
      'Accept-Language': deps.languageTag(),
      'Cache-Control': 'no-store',
      'New-Api-User': String(deps.userId()),
    };
    if (given.body !== undefined) headers['Content-Type'] = 'application/json';
    let response: Response;
    let answer: Answer;
    try {
      response = await sendSignedIn(deps, () =>
        deps.fetch(addressOf(route.path, given.params, given.query), {
          method: route.method,
          headers,
          // Undefined where there is none.
          body: JSON.stringify(given.body),
          signal: given.signal ? AbortSignal.any([given.signal, timeout]) : timeout,
        }),
      );
      answer = await readAnswer(response);
    } catch (error) {
      if (given.signal?.aborted) throw error;
      throw unansweredOf(timeout);
    }
    if (response.ok && answer.success === true) return answer;
    throw refusalOf(response, textOfRefusal(answer));
  };
}

/**
 * The typed client of the console API: `call(routes.token.get, { params: { id } })` answers the envelope's `data`.
 * Throws ApiError for transport faults, HTTP errors and `success: false`; an aborted call throws the abort itself.
 * A write that comes again while it is the last one under way is sent once, and both get its answer.
 */
export function createCall(deps: ClientDeps): Call {
  const exchange = createExchange(deps);
  /** Only the last: behind a change that goes back, the same change is another. */
  let last: { key: string; answer: Promise<Answer> } | undefined;
  return async (route, ...[input]) => {
    const given: Given = input ?? {};
    const send = () => exchange(route, given);
    // What may be aborted only asks.
    if (route.method === 'GET' || given.signal) return (await send()).data as never;
    const key = JSON.stringify([deps.userId(), route.method, route.path, given]);
    const end = () => {
      if (last?.key === key) last = undefined;
    };
    if (last?.key !== key) last = { key, answer: send().finally(end) };
    return (await last.answer).data as never;
  };
}
