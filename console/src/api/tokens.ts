import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Token, TokenChange, TokenInput } from '@tollgate/contract';
import { call } from './call.ts';
import { isUnanswered } from './errors.ts';
import { type Page, pageOfMost, pageOfSlice, searchSize } from './page.ts';
import { routes } from './routes.ts';
import { rowsAt } from './rows.ts';

const all = ['token'] as const;

/** One screen of the own tokens. With a filter the server answers the newest hundred, cut here. */
export function tokenListQuery(filter: { keyword?: string; token?: string }, page: number, size: number) {
  const filtered = filter.keyword !== undefined || filter.token !== undefined;
  return queryOptions({
    queryKey: filtered ? [...all, 'search', filter.keyword ?? '', filter.token ?? ''] : [...all, 'list', page, size],
    queryFn: ({ signal }) =>
      filtered
        ? call(routes.token.search, { query: filter, signal })
        : call(routes.token.list, { query: { p: page - 1, size }, signal }),
    select: (tokens): Page<Token> => (filtered ? pageOfMost(tokens, searchSize, page, size) : pageOfSlice(tokens, size)),
    placeholderData: keepPreviousData,
  });
}

export const tokenQuery = (id: number) =>
  queryOptions({
    queryKey: [...all, 'one', id],
    queryFn: ({ signal }) => call(routes.token.get, { params: { id }, signal }),
    staleTime: 0,
    gcTime: 0,
  });

export function useTokenRemoval() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => call(routes.token.remove, { params: { id } }),
    onSettled: () => client.invalidateQueries({ queryKey: all }),
  });
}

/** Shows the new status at once and takes it back when the server refuses. The order of rows stays. */
export function useTokenStatus() {
  const rows = rowsAt<Token>(useQueryClient(), all);
  return useMutation({
    mutationFn: ({ token, status }: { token: Token; status: number }) =>
      call(routes.token.update, { query: { status_only: 'true' }, body: { id: token.id, status } }),
    onMutate({ token, status }) {
      // Not what the caller holds, which may be older than the last change: that of an undo is.
      const before = rows.find(token.id)?.status;
      rows.patch(token.id, { status });
      return before;
    },
    onSuccess: (_answer, { token, status }) => rows.patch(token.id, { status }),
    onError: (_error, { token }, before) => before !== undefined && rows.patch(token.id, { status: before }),
  });
}

/** Creates tokens one after the other. Says how many were made before a fault ended it. */
export function useTokenCreation() {
  const client = useQueryClient();
  return useMutation({
    async mutationFn({ inputs, onCreated }: { inputs: readonly TokenInput[]; onCreated(done: number): void }) {
      for (const [index, body] of inputs.entries()) {
        await call(routes.token.create, { body });
        onCreated(index + 1);
      }
    },
    onSettled: () => client.invalidateQueries({ queryKey: all }),
  });
}

/** Where no answer came, the tokens are read again before the error is told: perhaps it was done. */
export function useTokenUpdate() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: TokenChange) => call(routes.token.update, { query: {}, body }),
    onSuccess: () => client.invalidateQueries({ queryKey: all }),
    onError: (error) => isUnanswered(error) && client.invalidateQueries({ queryKey: all }),
  });
}

/** Gives a token another key; resolves to the token with it. */
export function useTokenRotation() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => call(routes.token.rotate, { params: { id } }),
    onSettled: () => client.invalidateQueries({ queryKey: all }),
  });
}
