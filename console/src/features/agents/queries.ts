import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import {
  type AgentApplication,
  type AgentDividend,
  type AgentEntry,
  type AgentReview,
  type AgentWithdrawal,
  type EarningsDay,
  type PayoutMethod,
  type WithdrawalManagement,
  type WithdrawalWish,
  withdrawalStatus,
} from '@tollgate/contract';
import { call } from '../../api/call.ts';
import { addressOf } from '../../api/client.ts';
import { fresh, totalQuery } from '../../api/page.ts';
import { routes } from '../../api/routes.ts';
import { midnight } from '../../lib/time.ts';
import type { EarningDays, ManageSearch, RecordSearch } from './search.ts';

const all = ['agent'] as const;

type Filter = Pick<RecordSearch, 'status' | 'from' | 'to'>;
/** Of one agent, or of all. */
type AgentFilter = Filter & { agent?: number };

/** The own side knows no other agents. */
const filterOf = ({ status, from, to, agent }: AgentFilter) => ({
  ...{ status, start_timestamp: from, end_timestamp: to },
  agent_id: agent,
});
/** Where everybody's records are, or the own ones. */
const sideOf = (forAll: boolean) => (forAll ? routes.agent : routes.agentSelf) as typeof routes.agent;

export const customersQuery = (page: number, size: number) => ({
  ...totalQuery([...all, 'customers'], [page, size], (query, signal) => call(routes.agentSelf.customers, { query, signal })),
  ...fresh,
});

/** `forAll`: those of everybody, for administrators. */
export const dividendsQuery = (filter: AgentFilter, forAll: boolean, page: number, size: number) => ({
  ...totalQuery<AgentDividend>([...all, 'dividends', forAll, filter], [page, size], (place, signal) =>
    call(sideOf(forAll).dividends, { query: { ...place, ...filterOf(filter) }, signal }),
  ),
  ...fresh,
});

/** The queue of administrators starts with what waits longest. */
export const withdrawalsQuery = (filter: AgentFilter, forAll: boolean, page: number, size: number) => ({
  ...totalQuery<AgentWithdrawal>([...all, 'withdrawals', forAll, filter], [page, size], (place, signal) => {
    const order = forAll && isOpenState(filter.status) ? 'oldest' : undefined;
    return call(sideOf(forAll).withdrawals, { query: { ...place, ...filterOf(filter), order }, signal });
  }),
  ...fresh,
});

const isOpenState = (status: number | undefined): boolean =>
  status === withdrawalStatus.pending || status === withdrawalStatus.processing;

/** Days until today, by the reader's clock. */
export const earningsQuery = (days: EarningDays, forAll: boolean, agent?: number) =>
  queryOptions({
    queryKey: [...all, 'earnings', forAll, days, agent],
    queryFn: ({ signal }): Promise<EarningsDay[]> => {
      const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
      const query = { start_timestamp: midnight(1 - days), time_zone: timeZone };
      return call(sideOf(forAll).earnings, { query: { ...query, agent_id: agent }, signal });
    },
    ...fresh,
  });

/** What a withdrawal of so much would bring. */
export const quoteQuery = (amount: number, method: PayoutMethod) =>
  queryOptions({
    queryKey: [...all, 'quote', method, amount],
    queryFn: ({ signal }) => call(routes.agentSelf.quote, { body: { amount, method }, signal }),
    staleTime: 30_000,
    retry: false,
  });

/** Where the last money went: most people are paid at the same place again. Null when none ever was. */
export const lastPayeeQuery = queryOptions({
  queryKey: [...all, 'payee'],
  queryFn: async ({ signal }): Promise<AgentWithdrawal | null> => {
    const { items } = await call(routes.agentSelf.withdrawals, { query: { p: 1, page_size: 10 }, signal });
    return items.find(({ method }) => method !== 'quota') ?? null;
  },
  staleTime: 0,
});

/** An agent as a row of a table: known by their user. */
export type AgentRow = AgentEntry & { id: number };

export const agentsQuery = ({ keyword, status }: Pick<ManageSearch, 'keyword' | 'status'>, page: number, size: number) => ({
  ...totalQuery([...all, 'list', keyword, status], [page, size], async (place, signal) => {
    const answer = await call(routes.agent.list, { query: { ...place, keyword, status }, signal });
    return { ...answer, items: answer.items.map((agent): AgentRow => ({ ...agent, id: agent.user_id })) };
  }),
  ...fresh,
});

/** One agent by its user's id; null when that user never applied. */
export const agentQuery = (id: number) =>
  queryOptions({
    queryKey: [...all, 'one', id],
    queryFn: async ({ signal }): Promise<AgentEntry | null> => {
      const { items } = await call(routes.agent.list, { query: { p: 1, page_size: 100, keyword: String(id) }, signal });
      return items.find(({ user_id }) => user_id === id) ?? null;
    },
    staleTime: 0,
    gcTime: 0,
  });

export const summaryQuery = queryOptions({
  queryKey: [...all, 'summary'],
  queryFn: ({ signal }) => call(routes.agent.summary, { signal }),
  ...fresh,
});

/** A change of somebody's agency: everything about agents is read anew, also after a refusal, which tells that it is old. */
function useAgentChange<Input, Output>(change: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  const stale = new Set<unknown>(['agent', 'self']);
  return useMutation({
    mutationFn: change,
    // Not waited for: whoever asked is told although their row may leave the list.
    onSettled: () => void client.invalidateQueries({ predicate: ({ queryKey }) => stale.has(queryKey[0]) }),
  });
}

export const useApplication = () => useAgentChange((body: AgentApplication) => call(routes.agentSelf.apply, { body }));
export const useWithdrawal = () => useAgentChange((body: WithdrawalWish) => call(routes.agentSelf.withdraw, { body }));
export const useCancellation = () => useAgentChange((id: number) => call(routes.agentSelf.cancel, { params: { id } }));
export const useReview = () =>
  useAgentChange(({ id, ...body }: AgentReview & { id: number }) => call(routes.agent.review, { params: { id }, body }));
export const useManagement = () =>
  useAgentChange(({ id, ...wish }: Pick<WithdrawalManagement, 'action'> & Partial<WithdrawalManagement> & { id: number }) =>
    call(routes.agent.manage, { params: { id }, body: { reference: '', reason: '', ...wish } }),
  );

/** The file of records, with the filters of the page. */
export const recordsFile = (list: 'dividends' | 'withdrawals', filter: AgentFilter, forAll: boolean) => ({
  address: addressOf(`${sideOf(forAll)[list].path}/export`, {}, filterOf(filter)),
  name: `${list}.csv`,
});

/** Where the other lists are written as files. */
export const exportAddress = {
  customers: () => addressOf(routes.agentSelf.customersExport.path, {}, {}),
  agents: ({ keyword, status }: Pick<ManageSearch, 'keyword' | 'status'>) =>
    addressOf(routes.agent.export.path, {}, { keyword, status }),
};
