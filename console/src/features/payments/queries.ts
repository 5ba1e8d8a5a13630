import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { TopupOrder } from '@tollgate/contract';
import { call } from '../../api/call.ts';
import { addressOf } from '../../api/client.ts';
import { fresh, totalQuery } from '../../api/page.ts';
import { routes } from '../../api/routes.ts';
import type { PaymentSearch } from './search.ts';

const all = ['payment'] as const;

type OrderFilter = Pick<PaymentSearch, 'username' | 'trade' | 'status' | 'from' | 'to'>;
const filterOf = ({ username, trade, status, from, to }: OrderFilter) => ({
  ...{ username, trade_no: trade, status },
  ...{ start_timestamp: from, end_timestamp: to },
});

export const ordersQuery = (filter: OrderFilter, page: number, size: number) => ({
  ...totalQuery([...all, 'orders', filter], [page, size], (place, signal) =>
    call(routes.payment.orders, { query: { ...place, ...filterOf(filter) }, signal }),
  ),
  ...fresh,
});

export const inboxQuery = (filter: Pick<PaymentSearch, 'verdict' | 'provider'>, page: number, size: number) => ({
  ...totalQuery([...all, 'inbox', filter], [page, size], (place, signal) =>
    call(routes.payment.inbox, { query: { ...place, ...filter }, signal }),
  ),
  ...fresh,
});

export const unmatchedQuery = (page: number, size: number) => ({
  ...totalQuery([...all, 'unmatched'], [page, size], (query, signal) => call(routes.payment.unmatched, { query, signal })),
  ...fresh,
});

/** The order that a notice names, if there is one. */
export const namedOrderQuery = (tradeNo: string) =>
  queryOptions({
    queryKey: [...all, 'order', tradeNo],
    queryFn: async ({ signal }): Promise<TopupOrder | null> => {
      if (tradeNo === '') return null;
      const query = { p: 1, page_size: 1, trade_no: tradeNo };
      return (await call(routes.payment.orders, { query, signal })).items[0] ?? null;
    },
    staleTime: 0,
    gcTime: 0,
  });

/** A change of somebody's money: payments, users and the own balance are read anew. */
function useMoneyChange<Input, Output>(change: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  const stale = new Set<unknown>(['payment', 'user', 'self', 'topup', 'agent']);
  return useMutation({
    mutationFn: change,
    // Not waited for: whoever asked is told although their row may leave the list.
    onSettled: () => void client.invalidateQueries({ predicate: ({ queryKey }) => stale.has(queryKey[0]) }),
  });
}

export const useAsk = () => useMoneyChange((id: number) => call(routes.payment.ask, { params: { id } }));
export const useReplay = () => useMoneyChange((id: number) => call(routes.payment.replay, { params: { id } }));
export const useCredit = () =>
  useMoneyChange(({ id, ...body }: { id: number; user_id: number; quota: number }) =>
    call(routes.payment.credit, { params: { id }, body }),
  );
export const useForeignRefund = () =>
  useMoneyChange(({ id, cents }: { id: number; cents: number }) =>
    call(routes.payment.refund, { params: { id }, body: { cents } }),
  );
/** Takes an order back whose money was returned elsewhere. Everything that came of it is read anew. */
export const useReversal = () =>
  useMoneyChange(({ id, reason }: { id: number; reason: string }) =>
    call(routes.payment.reverse, { params: { id }, body: { reason } }),
  );

export const ordersAddress = (filter: OrderFilter): string => addressOf(routes.payment.ordersExport.path, {}, filterOf(filter));
