import type { Access, ErrorCode, LoginAnswer, RouteData, RouteDefinition } from '@tollgate/contract';
import type * as z from 'zod/mini';
import type { Actor } from '../audit/index.ts';
import { actorFor, type Caller, type Identity, type OpenedSession, type SignIn, secondStepAnswer } from '../identity/index.ts';
import { type Language, PublicError } from '../platform/errors.ts';

export type AnyRoute = RouteDefinition<string, z.ZodMiniType, z.ZodMiniType, unknown>;

/** A request after access, query and body were judged. */
export interface Call<Query = unknown, Body = unknown> {
  readonly access: Access;
  /** Nobody on `none` routes and for anonymous callers of `try` routes. */
  readonly identity: Identity | undefined;
  /** Why a presented session was not used on a `try` route, where its caller is nobody then. */
  readonly refusal: ErrorCode | undefined;
  readonly caller: Caller;
  /** Of the answer's texts. */
  readonly language: Language;
  readonly query: Query;
  readonly body: Body;
  /** The path's `:id`, 0 when it has none. */
  readonly id: number;
  /** Scheme and host as the caller wrote them; names no place that secrets are sent to. */
  readonly origin: string;
  /** What stands in `Authorization: Bearer`, "" where nothing does. */
  readonly bearer: string;
  /** Value of the short-lived cookie that tells anonymous browsers apart. */
  readonly browser: string | undefined;
  /** Puts the session's cookie on the answer; undefined clears it. */
  setSession(session: OpenedSession | undefined): void;
  setBrowser(value: string): void;
  /** Lets the browser be known again; with every sign-in it is. */
  keepDevice(): void;
  /** The answer's `message`, "" unless said. */
  say(message: string): void;
  /** Members of the envelope beside `data`, for answers whose form the contract fixed; they win over the usual ones. */
  add(members: Readonly<Record<string, unknown>>): void;
}

type OutputOf<Schema> = Schema extends z.ZodMiniType ? z.output<Schema> : undefined;

export type Handler<Route> =
  Route extends RouteDefinition<string, infer Query, infer Body, unknown>
    ? (call: Call<OutputOf<Query>, OutputOf<Body>>) => Promise<RouteData<Route>> | RouteData<Route>
    : never;

/** One handler for every route of a contract group: a route without one does not compile. */
export type Handlers<Group> = { readonly [Name in keyof Group]: Handler<Group[Name]> };

/** The signed-in caller of a route that admits nobody else. */
export function signedIn(call: Pick<Call, 'identity'>): Identity {
  if (call.identity === undefined) throw new PublicError('not_logged_in');
  return call.identity;
}

/** The signed-in caller as the audit log names them. */
export function actorOf(call: Pick<Call, 'identity' | 'caller'>): Actor {
  return actorFor(signedIn(call).user, call.caller);
}

/** The answer of a sign-in, with the session's cookie once there is a session. */
export function answerSignIn(signIn: SignIn, setSession: Call['setSession']): LoginAnswer {
  if (signIn.kind === 'second-step') return secondStepAnswer(signIn.ticket);
  setSession(signIn.session);
  return signIn.session.user;
}
