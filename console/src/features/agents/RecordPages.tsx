import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type AgentSelf, type AgentWithdrawal, withdrawalStatus } from '@tollgate/contract';
import { Handshake, Undo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { ownAgencyQuery } from '../../api/agent.ts';
import {
  agent_cancel,
  agent_cancel_done,
  agent_cancel_text,
  agent_cancel_title,
  agent_missing,
  agent_missing_text,
  nav_agent,
  nav_agent_dividends,
  nav_agent_withdrawals,
} from '../../i18n/generated/messages.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { CsvButton } from '../../ui/download/CsvButton.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { RefreshButton } from '../../ui/RefreshButton.tsx';
import { useListState } from '../../ui/table/list-state.ts';
import { activeFilters, type FilterProps, noFilter, RecordFilters } from './filters.tsx';
import { Dividends, Withdrawals } from './lists.tsx';
import { MoneyButtons } from './MoneyButtons.tsx';
import { dividendFaces, isAgent, money, withdrawalFaces } from './model.ts';
import { recordsFile, useCancellation } from './queries.ts';
import type { RecordSearch } from './search.ts';

const dividendsRoute = getRouteApi('/_console/agent/dividends');
const withdrawalsRoute = getRouteApi('/_console/agent/withdrawals');

/** The records of an agent; for everybody else the way to become one. */
function ForAgents({ title, children }: { title: string; children: ReactNode }) {
  const { data: self, error, refetch } = useQuery(ownAgencyQuery);
  if (self && isAgent(self)) return children;
  return (
    <>
      <PageHeader title={title} />
      {error && self === undefined && <LoadError error={error} retry={refetch} />}
      {self !== undefined && (
        <EmptyState
          icon={Handshake}
          title={agent_missing()}
          text={agent_missing_text()}
          action={
            <Link to="/agent" className={buttonClass('primary')}>
              {nav_agent()}
            </Link>
          }
        />
      )}
    </>
  );
}

function CancelButton({ row }: { row: AgentWithdrawal }) {
  const cancel = useCancellation();
  const run = async () => {
    const question = { title: agent_cancel_title({ amount: money(row.amount) }), text: agent_cancel_text() };
    if (!(await confirm({ ...question, confirmLabel: agent_cancel() }))) return;
    cancel.mutate(row.id, { onError: notifyError, onSuccess: () => notify('ok', agent_cancel_done()) });
  };
  return (
    <Button size="sm" icon={Undo2} pending={cancel.isPending} onClick={() => void run()}>
      {agent_cancel()}
    </Button>
  );
}

const cancellable = (row: AgentWithdrawal) => (row.status === withdrawalStatus.pending ? <CancelButton row={row} /> : null);

interface FrameProps {
  title: string;
  filters: FilterProps;
  /** The file of what is shown. */
  file: { address: string; name: string };
  /** Further actions of an agent. */
  actions?(self: AgentSelf): ReactNode;
  children: ReactNode;
}

function Frame({ title, filters, file, actions, children }: FrameProps) {
  const client = useQueryClient();
  const { data: self } = useQuery(ownAgencyQuery);
  return (
    <>
      <PageHeader
        title={title}
        active={activeFilters(filters.search)}
        clear={() => filters.change(noFilter)}
        below
        filters={<RecordFilters {...filters} />}
      >
        <CsvButton {...file} />
        <RefreshButton onClick={() => void client.invalidateQueries({ queryKey: ['agent'] })} />
        {self && isAgent(self) && actions?.(self)}
      </PageHeader>
      {children}
    </>
  );
}

/** /agent/dividends: the own share of every payment. */
export function DividendsPage() {
  const search: RecordSearch = dividendsRoute.useSearch();
  const navigate = dividendsRoute.useNavigate();
  const change = (next: RecordSearch) => void navigate({ to: '.', search: (old) => ({ ...old, p: undefined, ...next }) });
  const list = useListState('agent-dividends', search, change);
  return (
    <ForAgents title={nav_agent_dividends()}>
      <Frame
        title={nav_agent_dividends()}
        filters={{ search, change, faces: dividendFaces }}
        file={recordsFile('dividends', search, false)}
      >
        <Dividends search={search} list={list} forAll={false} clear={activeFilters(search) > 0 && (() => change(noFilter))} />
      </Frame>
    </ForAgents>
  );
}

/** /agent/withdrawals: what was asked for, and what became of it. */
export function WithdrawalsPage() {
  const search: RecordSearch = withdrawalsRoute.useSearch();
  const navigate = withdrawalsRoute.useNavigate();
  const change = (next: RecordSearch) => void navigate({ to: '.', search: (old) => ({ ...old, p: undefined, ...next }) });
  const list = useListState('agent-withdrawals', search, change);
  return (
    <ForAgents title={nav_agent_withdrawals()}>
      <Frame
        title={nav_agent_withdrawals()}
        filters={{ search, change, faces: withdrawalFaces }}
        file={recordsFile('withdrawals', search, false)}
        actions={(self) => <MoneyButtons self={self} payoutOnly />}
      >
        <Withdrawals
          search={search}
          list={list}
          forAll={false}
          clear={activeFilters(search) > 0 && (() => change(noFilter))}
          actions={cancellable}
        />
      </Frame>
    </ForAgents>
  );
}
