import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { PriceSyncRow } from '@tollgate/contract';
import { call } from '../../api/call.ts';
import { totalQuery } from '../../api/page.ts';
import { routes } from '../../api/routes.ts';
import { type OptionChange, textsOf } from './draft.ts';

/** Re-pricing weeks of calls and asking other gateways takes longer than a page. */
const slowMs = 180_000;

export const priceTextsQuery = queryOptions({
  queryKey: ['price', 'options'],
  queryFn: async ({ signal }) => textsOf(await call(routes.option.list, { signal })),
  staleTime: 0,
});

export const unpricedQuery = queryOptions({
  queryKey: ['price', 'unpriced'],
  queryFn: ({ signal }) => call(routes.price.unpriced, { signal }),
  staleTime: 0,
});

export const versionsQuery = (page: number, size: number) => ({
  ...totalQuery(['price', 'versions'], [page, size], (query, signal) => call(routes.price.versions, { query, signal })),
  staleTime: 0,
});

/** What the last days would have brought. */
export const previewQuery = (changes: readonly OptionChange[], days: number) =>
  queryOptions({
    queryKey: ['price', 'preview', changes, days],
    queryFn: ({ signal }) => {
      const body = { changes: changes.map(({ key, value }) => ({ key, value })), days };
      return call(routes.price.preview, { body, signal, timeoutMs: slowMs });
    },
    enabled: changes.length > 0,
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });

export const syncQuery = (source: string) =>
  queryOptions({
    queryKey: ['price', 'sync', source],
    queryFn: ({ signal }) => call(routes.price.sync, { query: { source }, signal, timeoutMs: slowMs }),
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** A change of prices; afterwards everything that shows prices is read anew. */
function usePriceChange<Input>(change: (input: Input) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () =>
      Promise.all([client.invalidateQueries({ queryKey: ['price'] }), client.invalidateQueries({ queryKey: ['pricing'] })]),
    // Refused, perhaps because somebody else was there before.
    onError: () => client.invalidateQueries({ queryKey: priceTextsQuery.queryKey }),
  });
}

export const useSave = () => usePriceChange((body: OptionChange[]) => call(routes.option.save, { body }));
export const useRollback = () => usePriceChange((id: number) => call(routes.price.rollback, { body: { id } }));
export const useReset = () => usePriceChange(() => call(routes.price.resetRatios));

export interface ChosenSync {
  source: string;
  rows: readonly Pick<PriceSyncRow, 'option' | 'model' | 'to'>[];
  confirmed: boolean;
}
export const useApplySync = () =>
  usePriceChange(({ rows, ...others }: ChosenSync) =>
    call(routes.price.applySync, { body: { ...others, rows: rows.map(({ option, model, to }) => ({ option, model, to })) } }),
  );
