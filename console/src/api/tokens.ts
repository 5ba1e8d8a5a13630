import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { type Token, type TokenChange, type TokenInput, tokenStatusAt } from '@tollgate/contract';
import { nowSeconds } from '../lib/time.ts';
import { call } from './call.ts';
import { isOutdated } from './errors.ts';
import { screenQuery } from './page.ts';
import { routes } from './routes.ts';
import { useRowChange } from './rows.ts';
import { useWrite } from './write.ts';

const all = ['token'] as const;

export interface TokenFilter {
  keyword?: string;
  token?: string;
  status?: number;
}

const asTheyAre = (tokens: readonly Token[]): Token[] =>
  tokens.map((token) => ({ ...token, status: tokenStatusAt(token, nowSeconds()) }));

/** One screen of the own tokens. */
export const tokenListQuery = (filter: TokenFilter, page: number, size: number) =>
  screenQuery(
    all,
    filter,
    [page, size],
    ({ page_size: size, ...query }, signal): Promise<Token[]> =>
      call(routes.token.list, { query: { ...query, size }, signal }).then(asTheyAre),
    (query, signal) => call(routes.token.search, { query, signal }).then(asTheyAre),
  );

export const tokenQuery = (id: number) =>
  queryOptions({
    queryKey: [...all, 'one', id],
    queryFn: ({ signal }) => call(routes.token.get, { params: { id }, signal }),
    staleTime: 0,
    gcTime: 0,
  });

export const useTokenRemoval = () => useWrite((id: number) => call(routes.token.remove, { params: { id } }), all);

/** The order of rows stays. */
export const useTokenStatus = () =>
  useRowChange<Token, Pick<Token, 'status'>>(all, (body) => call(routes.token.update, { query: { status_only: 'true' }, body }));

/** Creates tokens one after the other, and takes each off the list when it is made. */
export const useTokenCreation = () =>
  useWrite(async (inputs: TokenInput[]) => {
    for (const body of [...inputs]) {
      await call(routes.token.create, { body });
      inputs.shift();
    }
  }, all);

/** Where no answer came, or another edit did, the tokens are read again before the error is told. */
export function useTokenUpdate() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: TokenChange) => call(routes.token.update, { query: {}, body }),
    onSuccess: () => client.invalidateQueries({ queryKey: all }),
    onError: (error) => isOutdated(error) && client.invalidateQueries({ queryKey: all }),
  });
}

/** Gives a token another key, beside which the old one works for a while; resolves to the token with it. */
export const useTokenRotation = () =>
  useWrite(
    ({ id, oldKeySeconds }: { id: number; oldKeySeconds: number }) =>
      call(routes.token.rotate, { params: { id }, query: { old_key_seconds: oldKeySeconds } }),
    all,
  );

/** Ends the old key of a token now. */
export const useOldKeyRemoval = () => useWrite((id: number) => call(routes.token.endOldKey, { params: { id } }), all);
