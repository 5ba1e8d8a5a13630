import type { RouteBody, RouteData } from '@tollgate/contract';
import { clientDeps } from './call.ts';
import { type AnyRoute, createExchange, type Given } from './client.ts';

const exchange = createExchange(clientDeps);

/** Calls the route that starts a payment: form fields, and beside them where the browser posts them. Throws ApiError. */
export async function callForForm<R extends AnyRoute>(
  route: R,
  input: Given & { body: RouteBody<R> },
): Promise<{ url: string; fields: RouteData<R> }> {
  const answer = await exchange(route, input);
  return { url: typeof answer.url === 'string' ? answer.url : '', fields: answer.data as RouteData<R> };
}

/** Calls a list whose groups stand beside `data` (contract 1.4). Throws ApiError. */
export async function callWithMembers<R extends AnyRoute>(
  route: R,
  input: Given,
): Promise<{ data: RouteData<R>; members: Readonly<Record<string, unknown>> }> {
  const answer = await exchange(route, input);
  return { data: answer.data as RouteData<R>, members: { ...answer } };
}
