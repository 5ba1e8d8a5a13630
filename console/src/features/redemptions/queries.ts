import { queryOptions } from '@tanstack/react-query';
import type { Redemption, RedemptionInput } from '@tollgate/contract';
import { call } from '../../api/call.ts';
import { pageOfSlice, peek, screenQuery, searchSize } from '../../api/page.ts';
import { routes } from '../../api/routes.ts';
import { useWrite } from '../../api/write.ts';

const all = ['redemption'] as const;

export interface RedemptionFilter {
  keyword?: string;
  status?: number;
}

/** One screen of the codes. */
export const redemptionListQuery = (filter: RedemptionFilter, page: number, size: number) =>
  screenQuery(
    all,
    filter,
    [page, size],
    (query, signal): Promise<Redemption[]> => call(routes.redemption.list, { query, signal }),
    (query, signal) => call(routes.redemption.search, { query, signal }),
  );

/** The newest hundred sums by name, of names that begin so. */
export const campaignsQuery = (keyword = '') =>
  queryOptions({
    queryKey: [...all, 'campaigns', keyword],
    queryFn: async ({ signal }) => {
      const query = { keyword, page_size: searchSize, peek };
      const rows = await call(routes.redemption.campaigns, { query, signal });
      return pageOfSlice(
        rows.map((row, id) => ({ ...row, id })),
        searchSize,
      );
    },
  });

export const redemptionQuery = (id: number) =>
  queryOptions({
    queryKey: [...all, 'one', id],
    queryFn: ({ signal }) => call(routes.redemption.get, { params: { id }, signal }),
    staleTime: 0,
    gcTime: 0,
  });

const useChange = <Input, Output>(change: (input: Input) => Promise<Output>) => useWrite(change, all);

/** Resolves to the new codes. */
export const useRedemptionCreation = () => useChange((body: RedemptionInput) => call(routes.redemption.create, { body }));
export const useRedemptionUpdate = () =>
  useChange((body: Omit<RedemptionInput, 'count'> & { id: number; whole_campaign: boolean }) =>
    call(routes.redemption.update, { query: {}, body }),
  );
export const useRedemptionStatus = () =>
  useChange((body: { id: number; status: number }) => call(routes.redemption.update, { query: { status_only: 'true' }, body }));
export const useRedemptionDisabling = () => useChange((ids: number[]) => call(routes.redemption.disableBatch, { body: { ids } }));
export const useRedemptionRemoval = () => useChange((id: number) => call(routes.redemption.remove, { params: { id } }));
/** Resolves to how many were deleted. */
export const useInvalidRemoval = () => useChange((_: undefined) => call(routes.redemption.removeInvalid));
