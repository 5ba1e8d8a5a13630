import { useQuery } from '@tanstack/react-query';
import type { AgentDividend, AgentWithdrawal } from '@tollgate/contract';
import { Banknote, Coins } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import {
  agent_dividends_empty,
  agent_dividends_empty_text,
  agent_withdrawals_empty,
  agent_withdrawals_empty_text,
  nav_agent_dividends,
  nav_agent_withdrawals,
} from '../../i18n/generated/messages.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import type { ListState } from '../../ui/table/list-state.ts';
import { PagedTable } from '../../ui/table/PagedTable.tsx';
import { dividendColumns, WithdrawalDetail, withdrawalColumns } from './columns.tsx';
import { dividendsQuery, withdrawalsQuery } from './queries.ts';
import type { ManageSearch } from './search.ts';

export interface ListProps {
  search: Pick<ManageSearch, 'status' | 'from' | 'to' | 'agent'>;
  list: ListState;
  forAll: boolean;
  /** Takes all filters back; false where none is set. */
  clear: false | (() => void);
}

export function Dividends({ search, list, forAll, clear }: ListProps) {
  const { status, from, to, agent } = search;
  const query = useQuery(dividendsQuery({ status, from, to, agent }, forAll, list.page, list.size));
  const columns = useMemo(() => dividendColumns(forAll), [forAll]);
  return (
    <PagedTable<AgentDividend>
      label={nav_agent_dividends()}
      columns={columns}
      query={query}
      list={list}
      clear={clear}
      empty={<EmptyState icon={Coins} title={agent_dividends_empty()} text={agent_dividends_empty_text()} />}
    />
  );
}

interface WithdrawalsProps extends ListProps {
  actions(row: AgentWithdrawal): ReactNode;
}

const detail = (row: AgentWithdrawal) => <WithdrawalDetail row={row} />;

/** `actions`: stable between renders. */
export function Withdrawals({ search, list, forAll, clear, actions }: WithdrawalsProps) {
  const { status, from, to, agent } = search;
  const query = useQuery(withdrawalsQuery({ status, from, to, agent }, forAll, list.page, list.size));
  const columns = useMemo(() => withdrawalColumns({ forAll, actions }), [forAll, actions]);
  return (
    <PagedTable<AgentWithdrawal>
      label={nav_agent_withdrawals()}
      columns={columns}
      query={query}
      list={list}
      clear={clear}
      empty={<EmptyState icon={Banknote} title={agent_withdrawals_empty()} text={agent_withdrawals_empty_text()} />}
      options={{ detail }}
    />
  );
}
