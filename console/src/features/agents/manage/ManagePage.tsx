import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import { type AgentSummary, withdrawalStatus } from '@tollgate/contract';
import { Handshake, X } from 'lucide-react';
import {
  agent_earned_total,
  agent_pending,
  agent_reversed,
  agent_withdrawing,
  agent_withdrawn_total,
  agents_active_count,
  agents_add,
  agents_agents,
  agents_agents_applied,
  agents_agents_empty,
  agents_agents_empty_text,
  agents_balance_sum,
  agents_only,
  agents_only_clear,
  agents_search,
  agents_tabs,
  agents_withdrawals_open,
  nav_agent_dividends,
  nav_agent_manage,
  nav_agent_withdrawals,
} from '../../../i18n/generated/messages.ts';
import { IconButton } from '../../../ui/Button.tsx';
import { CsvButton } from '../../../ui/download/CsvButton.tsx';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { Unread } from '../../../ui/LoadError.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { part } from '../../../ui/part.tsx';
import { RefreshButton } from '../../../ui/RefreshButton.tsx';
import { Tabs, tabProps } from '../../../ui/Tabs.tsx';
import { AddLink } from '../../../ui/table/AddLink.tsx';
import { useListState } from '../../../ui/table/list-state.ts';
import { PagedTable } from '../../../ui/table/PagedTable.tsx';
import { SearchField } from '../../../ui/table/SearchField.tsx';
import { Figures, Stat } from '../Figures.tsx';
import { RecordFilters, StateFilter } from '../filters.tsx';
import type { ListProps } from '../lists.tsx';
import { agentFaces, dividendFaces, money, nameOf, withdrawalFaces } from '../model.ts';
import { agentQuery, agentsQuery, exportAddress, recordsFile, summaryQuery } from '../queries.ts';
import { type ManageSearch, type ManageTab, manageTabs } from '../search.ts';
import { agentColumns } from './columns.tsx';

/** As high as the page, so that the footer does not jump. */
const later = () => <div className="h-dvh" />;
const Withdrawals = part(() => import('./WithdrawalActions.tsx'), 'ManagedWithdrawals', later);
const Dividends = part(() => import('../lists.tsx'), 'Dividends', later);
const Earnings = part(
  () => import('../Earnings.tsx'),
  'Earnings',
  () => <div className="card h-90 max-sm:h-115" />,
);
const route = getRouteApi('/_console/_admin/agent/manage');
const none = { keyword: undefined, status: undefined, from: undefined, to: undefined, agent: undefined } as const;

interface PartProps {
  search: ManageSearch;
  change(next: ManageSearch): void;
}

function Parts({ open, summary }: { open: ManageTab; summary: AgentSummary | undefined }) {
  const { applied = 0, open_withdrawals: waiting = 0 } = summary ?? {};
  const names: Record<ManageTab, string> = {
    agents: applied > 0 ? agents_agents_applied({ count: applied }) : agents_agents(),
    withdrawals: waiting > 0 ? agents_withdrawals_open({ count: waiting }) : nav_agent_withdrawals(),
    dividends: nav_agent_dividends(),
  };
  return (
    <Tabs
      // With the counts the line is longer: the open one is brought into it again.
      key={String(summary === undefined)}
      label={agents_tabs()}
    >
      {manageTabs.map((tab) => (
        <Link
          key={tab}
          to="/agent/manage"
          search={tab === 'withdrawals' ? { tab, status: withdrawalStatus.pending } : { tab }}
          {...tabProps(tab === open)}
        >
          {names[tab]}
        </Link>
      ))}
    </Tabs>
  );
}

/** A second number with its name. On phones it has a line of its own, also before it is there, so that nothing moves then. */
const also = (name: string, cents: number | undefined) => (
  <>
    {name} <span className="max-sm:block">{cents === undefined ? '…' : money(cents)}</span>
  </>
);

function Summary({ summary }: { summary: AgentSummary | undefined }) {
  const show = (cents: number | undefined) =>
    cents === undefined ? <span className="skeleton inline-block h-4 w-16 align-middle" /> : money(cents);
  return (
    <Figures>
      <Stat label={agents_balance_sum()} more={agents_active_count({ count: summary?.active ?? '…' })}>
        {show(summary?.balance)}
      </Stat>
      <Stat label={agent_pending()}>{show(summary?.pending)}</Stat>
      <Stat label={agent_withdrawing()} more={also(agent_withdrawn_total(), summary?.total_withdrawn)}>
        {show(summary?.withdrawing)}
      </Stat>
      <Stat label={agent_earned_total()} more={also(agent_reversed(), summary?.total_reversed)}>
        {show(summary?.total_earned)}
      </Stat>
    </Figures>
  );
}

/** Says that only one agent's rows are shown, and takes that back. */
function OnlyAgent({ id, change }: { id: number; change: PartProps['change'] }) {
  const { data } = useQuery(agentQuery(id));
  return (
    <span className="inline-flex h-8 items-center gap-1 rounded-md bg-accent-tint pl-2.5 text-accent max-sm:h-10">
      {agents_only({ name: data ? nameOf(data) : `#${id}` })}
      <IconButton icon={X} label={agents_only_clear()} size="sm" onClick={() => change({ agent: undefined })} />
    </span>
  );
}

function Filters({ tab, search, change }: PartProps & { tab: ManageTab }) {
  if (tab === 'agents') {
    return (
      <>
        <SearchField
          label={agents_search()}
          value={search.keyword ?? ''}
          onCommit={(keyword) => change({ keyword: keyword || undefined })}
          className="w-56 max-sm:w-full"
        />
        <StateFilter faces={agentFaces} status={search.status} onChange={(status) => change({ status })} />
      </>
    );
  }
  const faces = tab === 'withdrawals' ? withdrawalFaces : dividendFaces;
  return (
    <>
      {search.agent !== undefined && <OnlyAgent id={search.agent} change={change} />}
      <RecordFilters faces={faces} search={search} change={change} />
    </>
  );
}

function fileOf(tab: ManageTab, search: ManageSearch): { address: string; name: string } {
  if (tab === 'agents') return { address: exportAddress.agents(search), name: 'agents.csv' };
  return recordsFile(tab, search, true);
}

/** /agent/manage: who is an agent, what they are owed, and the queue of what they ask for. */
export function ManagePage() {
  const search: ManageSearch = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const tab = search.tab ?? 'agents';
  const change = (next: ManageSearch) => void navigate({ to: '.', search: (old) => ({ ...old, p: undefined, ...next }) });
  const list = useListState(`agent-manage-${tab}`, search, change);
  const sums = useQuery(summaryQuery);
  const summary = sums.data;
  const active = Object.keys(none).filter((name) => search[name as keyof typeof none] !== undefined).length;
  const props = { search, list, forAll: true, clear: active > 0 && (() => change(none)) };
  return (
    <>
      <PageHeader
        title={nav_agent_manage()}
        active={active}
        clear={() => change(none)}
        below={tab !== 'agents'}
        filters={<Filters tab={tab} search={search} change={change} />}
      >
        <CsvButton {...fileOf(tab, search)} />
        <RefreshButton onClick={() => void client.invalidateQueries({ queryKey: ['agent'] })} />
        {tab === 'agents' && <AddLink to="/agent/manage/add">{agents_add()}</AddLink>}
      </PageHeader>
      <Parts open={tab} summary={summary} />
      {tab === 'agents' && (
        <>
          {sums.error && !summary ? <Unread query={sums} /> : <Summary summary={summary} />}
          <Agents {...props} />
        </>
      )}
      {tab === 'withdrawals' && <Withdrawals {...props} />}
      {tab === 'dividends' && (
        <>
          <div className="mb-3">
            <Earnings
              search={search}
              change={(next) => void navigate({ to: '.', search: (old) => ({ ...old, ...next }), resetScroll: false })}
              forAll
              agent={search.agent}
            />
          </div>
          <Dividends {...props} />
        </>
      )}
      <Outlet />
    </>
  );
}

function Agents({ search, list, clear }: Omit<ListProps, 'search'> & { search: ManageSearch }) {
  const { keyword, status } = search;
  const query = useQuery(agentsQuery({ keyword, status }, list.page, list.size));
  return (
    <PagedTable
      label={agents_agents()}
      columns={agentColumns}
      query={query}
      list={list}
      clear={clear}
      empty={
        <EmptyState
          icon={Handshake}
          title={agents_agents_empty()}
          text={agents_agents_empty_text()}
          action={<AddLink to="/agent/manage/add">{agents_add()}</AddLink>}
        />
      }
    />
  );
}
