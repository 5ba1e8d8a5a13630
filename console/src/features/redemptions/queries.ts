import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Redemption, RedemptionInput } from '@tollgate/contract';
import { call } from '../../api/call.ts';
import { type Page, pageOfMost, pageOfSlice } from '../../api/page.ts';
import { routes } from '../../api/routes.ts';

const all = ['redemption'] as const;

/** What the server answers to a search at most. */
const mostFound = 1000;

/** One screen of the codes. With a keyword the server answers up to a thousand, cut here. */
export function redemptionListQuery(keyword: string | undefined, page: number, size: number) {
  return queryOptions({
    queryKey: keyword === undefined ? [...all, 'list', page, size] : [...all, 'search', keyword],
    queryFn: ({ signal }) =>
      keyword === undefined
        ? call(routes.redemption.list, { query: { p: page - 1, page_size: size }, signal })
        : call(routes.redemption.search, { query: { keyword }, signal }),
    select: (rows): Page<Redemption> =>
      keyword === undefined ? pageOfSlice(rows, size) : pageOfMost(rows, mostFound, page, size),
    placeholderData: keepPreviousData,
  });
}

export const redemptionQuery = (id: number) =>
  queryOptions({
    queryKey: [...all, 'one', id],
    queryFn: ({ signal }) => call(routes.redemption.get, { params: { id }, signal }),
    staleTime: 0,
    gcTime: 0,
  });

function useChange<Input, Output>(change: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({ mutationFn: change, onSettled: () => client.invalidateQueries({ queryKey: all }) });
}

/** Resolves to the new codes. */
export const useRedemptionCreation = () => useChange((body: RedemptionInput) => call(routes.redemption.create, { body }));
export const useRedemptionUpdate = () =>
  useChange((body: { id: number; name: string; quota: number }) => call(routes.redemption.update, { query: {}, body }));
export const useRedemptionStatus = () =>
  useChange((body: { id: number; status: number }) => call(routes.redemption.update, { query: { status_only: 'true' }, body }));
export const useRedemptionRemoval = () => useChange((id: number) => call(routes.redemption.remove, { params: { id } }));
/** Resolves to how many were deleted. */
export const useInvalidRemoval = () => useChange((_: undefined) => call(routes.redemption.removeInvalid));
