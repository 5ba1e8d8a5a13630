import { queryOptions } from '@tanstack/react-query';
import type { User } from '@tollgate/contract';
import { call } from './call.ts';
import { ApiError } from './errors.ts';
import { routes } from './routes.ts';

/** The one user that a text names: an id, or a user name in full. Null when there is none. */
export const namedUserQuery = (text: string) =>
  queryOptions({
    queryKey: ['user', 'named', text],
    queryFn: ({ signal }): Promise<User | null> => (/^[1-9]\d{0,14}$/.test(text) ? userById : userByName)(text, signal),
    enabled: text !== '',
    retry: false,
    staleTime: 0,
    gcTime: 0,
  });

const userById = (id: string, signal: AbortSignal): Promise<User | null> =>
  call(routes.users.get, { params: { id }, signal }).catch((error: unknown) => {
    // A name may be nothing but digits.
    if (error instanceof ApiError && error.status === 404) return userByName(id, signal);
    throw error;
  });

async function userByName(name: string, signal: AbortSignal): Promise<User | null> {
  const users = await call(routes.users.search, { query: { keyword: name }, signal });
  return users.find(({ username }) => username === name) ?? null;
}
