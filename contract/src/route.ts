import type * as z from 'zod/mini';

/**
 * Who may call a route (contract 1.2). `try` uses an identity when there is one and never fails;
 * `user`, `admin`, `root` need at least that role and the `New-Api-User` header.
 */
export type Access = 'none' | 'try' | 'user' | 'admin' | 'root';
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface RouteDefinition<
  Path extends string = string,
  Query extends z.ZodMiniType = z.ZodMiniType,
  Body extends z.ZodMiniType = z.ZodMiniType,
  Data = unknown,
> {
  readonly method: Method;
  /** Hono pattern, without a trailing slash; the server accepts both spellings. */
  readonly path: Path;
  readonly access: Access;
  /** The system access token of a user is refused here (rows marked S in the authorization matrix). */
  readonly sessionOnly?: boolean;
  /** Bot check applies when it is switched on (contract 2.7). */
  readonly botCheck?: boolean;
  readonly query?: Query;
  readonly body?: Body;
  /** Only carries the type of `data` in the answer; never set. */
  readonly data?: Data;
}

/** Declares one route of the console API. `data<T>()` names the type of the answer's `data`. */
export function defineRoute<
  const Path extends string,
  Data,
  Query extends z.ZodMiniType = z.ZodMiniType<undefined>,
  Body extends z.ZodMiniType = z.ZodMiniType<undefined>,
>(route: RouteDefinition<Path, Query, Body, Data> & { data: Data }): RouteDefinition<Path, Query, Body, Data> {
  return route;
}

/** A type-only marker for `defineRoute`. */
export function data<T>(): T {
  return undefined as T;
}

export type RouteData<R> = R extends RouteDefinition<string, z.ZodMiniType, z.ZodMiniType, infer D> ? D : never;
export type RouteBody<R> = R extends RouteDefinition<string, z.ZodMiniType, infer B, unknown> ? z.infer<B> : never;
export type RouteQuery<R> = R extends RouteDefinition<string, infer Q, z.ZodMiniType, unknown> ? z.input<Q> : never;

/** In place of `data`: the answer is no envelope but a file that is written while it is read. */
export interface StreamAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Every console answer (contract 1.1). Business failures are HTTP 200 with `success: false`. */
export interface Envelope<T = unknown> {
  success: boolean;
  message: string;
  data?: T;
}

/** The object form of a page; `page` counts from 1. */
export interface PageOf<T> {
  items: T[];
  page: number;
  page_size: number;
  total: number;
  /** There are more than `total`: it is counted up to 10,000, or to the end of this page, only. */
  total_capped?: boolean;
}
