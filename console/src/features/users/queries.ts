import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ManageAction, User, UserUpdate } from '@tollgate/contract';
import { call } from '../../api/call.ts';
import { isUnanswered } from '../../api/errors.ts';
import { screenQuery } from '../../api/page.ts';
import { routes } from '../../api/routes.ts';
import { rowsAt } from '../../api/rows.ts';
import { useWrite } from '../../api/write.ts';

const all = ['user'] as const;

export interface UserFilter {
  keyword?: string;
  group?: string;
  role?: number;
  status?: number;
}

/** One screen of the users. */
export const userListQuery = (filter: UserFilter, page: number, size: number) =>
  screenQuery(
    all,
    filter,
    [page, size],
    (query, signal): Promise<User[]> => call(routes.users.list, { query, signal }),
    (query, signal) => call(routes.users.search, { query, signal }),
  );

export const userQuery = (id: number) =>
  queryOptions({
    queryKey: [...all, 'one', id],
    queryFn: ({ signal }) => call(routes.users.get, { params: { id }, signal }),
    staleTime: 0,
    gcTime: 0,
  });

/** One action on one user. The answer says what the user is now; the rows keep their places. */
export function useUserAction() {
  const rows = rowsAt<User>(useQueryClient(), all);
  return useMutation({
    mutationFn: ({ id, action }: { id: number; action: ManageAction }) => call(routes.users.manage, { body: { id, action } }),
    onSuccess({ role, status }, { id, action }) {
      rows.patch(id, { role, status, ...(action === 'delete' && { DeletedAt: new Date().toISOString() }) });
    },
  });
}

/** The key that the search was for: the rows are read anew. */
export const useTokenDisabling = () => useWrite((id: number) => call(routes.users.disableToken, { params: { id } }), all);

export const useUserCreation = () =>
  useWrite((body: { username: string; display_name: string; password: string }) => call(routes.users.create, { body }), all);

/** Where no answer came, the user is read again before the error is told: perhaps it was done. */
export function useUserUpdate() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: UserUpdate) => call(routes.users.update, { body }),
    onSuccess: () => client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'user' || queryKey[0] === 'self' }),
    onError: (error) => isUnanswered(error) && client.invalidateQueries({ queryKey: all }),
  });
}
