import { queryOptions, useQueryClient } from '@tanstack/react-query';
import type { AgentStatement, RewardState, Statement } from '@tollgate/contract';
import { call } from '../../api/call.ts';
import { addressOf } from '../../api/client.ts';
import { totalQuery } from '../../api/page.ts';
import { routes } from '../../api/routes.ts';
import { selfQuery } from '../../api/self.ts';
import { callForForm } from '../../api/whole-answer.ts';
import { useSelfChange } from '../../api/write.ts';

/** Adds a code to the balance; resolves to the quota it brought. */
export const useRedeem = () => useSelfChange((key: string) => call(routes.topup.redeem, { body: { key } }));

/** What an amount costs, as text with two decimals. `card`: on the hosted payment page. */
export const payableQuery = (amount: number, card: boolean) =>
  queryOptions({
    queryKey: ['topup', 'amount', card, amount],
    queryFn: ({ signal }) =>
      card
        ? call(routes.topup.checkoutAmount, { body: { amount }, signal })
        : call(routes.topup.amount, { body: { amount, top_up_code: '' }, signal }),
    staleTime: 30_000,
    retry: false,
  });

/** Makes an order; resolves to the form that the browser posts. */
export const startPayment = (amount: number, method: string) =>
  callForForm(routes.topup.pay, { body: { amount, top_up_code: '', payment_method: method } });
export const startCheckout = (amount: number) => call(routes.topup.checkout, { body: { amount } });

export const ordersQuery = (page: number, size: number) => ({
  ...totalQuery(['topup', 'records'], [page, size], (query, signal) => call(routes.topup.records, { query, signal })),
  refetchOnWindowFocus: 'always' as const,
});

export const inviteInfoQuery = queryOptions({
  queryKey: [...selfQuery.queryKey, 'aff', 'info'],
  queryFn: ({ signal }) => call(routes.invite.info, { signal }),
});

export const inviteRecordsQuery = (page: number, size: number) =>
  totalQuery([...selfQuery.queryKey, 'aff', 'records'], [page, size], (query, signal) =>
    call(routes.invite.records, { query, signal }),
  );

/** Single rewards: for registrations and for payments. */
export const rewardsQuery = (state: RewardState | undefined, page: number, size: number) =>
  totalQuery([...selfQuery.queryKey, 'aff', 'rewards', state], [page, size], (place, signal) =>
    call(routes.invite.rewards, { query: { ...place, state }, signal }),
  );

/** Where the records are written as files. */
export const exportAddress = {
  orders: () => addressOf(routes.topup.recordsExport.path),
  rewards: (state: RewardState | undefined) => addressOf(routes.invite.rewardsExport.path, {}, { state }),
};

/** After a payment was started: orders and balance are read again. */
export function useWalletRefresh(): () => void {
  const client = useQueryClient();
  return () => {
    void client.invalidateQueries({ queryKey: ['topup', 'records'] });
    void client.invalidateQueries({ queryKey: selfQuery.queryKey });
  };
}

const asked = (month: string) => ({ month, time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone });

/** Whose account: a user's, the own one, or that of the own agency. */
export type Whose = number | 'agency' | undefined;

const routeOf = (whose: Whose) =>
  whose === 'agency' ? routes.agentSelf.statement : whose ? routes.statement.ofUser : routes.statement.self;

/** A month by the reader's clocks. */
export const statementQuery = (month: string, whose: Whose) =>
  queryOptions({
    queryKey: ['statement', whose, month],
    queryFn: ({ signal }): Promise<AgentStatement & Partial<Statement>> =>
      call(routeOf(whose) as typeof routes.statement.ofUser, { params: { id: Number(whose) }, query: asked(month), signal }),
  });

/** The same as a file. */
export const statementAddress = (month: string, whose: Whose): string =>
  addressOf(`${routeOf(whose).path}/export`, { id: Number(whose) }, asked(month));
