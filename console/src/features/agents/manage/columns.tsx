import { Link } from '@tanstack/react-router';
import {
  agent_agent,
  agent_applied_at,
  agent_balance,
  agent_customers,
  agent_earned_total,
  agent_pending,
  agent_rate,
  agent_topup_total,
  agents_rate_site,
  col_actions,
  col_status,
} from '../../../i18n/generated/messages.ts';
import { formatUnits } from '../../../lib/money.ts';
import { StatusDot } from '../../../ui/Badge.tsx';
import { Time } from '../../../ui/Time.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { agentFaces, money, nameOf, rateText } from '../model.ts';
import type { AgentRow } from '../queries.ts';
import { AgentActions } from './AgentActions.tsx';

function Name({ row }: { row: AgentRow }) {
  return (
    <span className="inline-flex max-w-full items-baseline gap-2">
      <Link
        to="/agent/manage/edit/$id"
        params={{ id: String(row.user_id) }}
        search={true}
        className="truncate text-accent hover:underline"
      >
        {nameOf(row)}
      </Link>
      <span className="truncate text-muted text-xs">{row.contact_name}</span>
    </span>
  );
}

function State({ row }: { row: AgentRow }) {
  const { text, tone } = agentFaces[row.status];
  return (
    <StatusDot tone={tone} tip={row.review_note || undefined}>
      {text()}
    </StatusDot>
  );
}

const rate = (row: AgentRow) => (
  <span>
    {rateText(row.rate)}
    {row.commission_rate === null && <span className="ml-1.5 text-muted text-xs">{agents_rate_site()}</span>}
  </span>
);

export const agentColumns: readonly Column<AgentRow>[] = [
  { id: 'id', header: () => 'ID', end: true, cell: (row) => row.user_id },
  { id: 'agent', header: agent_agent, clip: true, card: 'title', cell: (row) => <Name row={row} /> },
  { id: 'status', header: col_status, card: 'corner', cell: (row) => <State row={row} /> },
  { id: 'rate', header: agent_rate, end: true, cell: rate },
  { id: 'customers', header: agent_customers, end: true, cell: (row) => formatUnits(row.customers) },
  { id: 'topup', header: agent_topup_total, end: true, cell: (row) => money(row.topup_total) },
  { id: 'earned', header: agent_earned_total, end: true, cell: (row) => money(row.total_earned) },
  { id: 'pending', header: agent_pending, end: true, cell: (row) => money(row.pending) },
  {
    id: 'balance',
    header: agent_balance,
    end: true,
    cell: (row) => <span className={row.balance < 0 ? 'text-bad' : ''}>{money(row.balance)}</span>,
  },
  { id: 'applied', header: agent_applied_at, cell: (row) => <Time seconds={row.created_at} /> },
  { id: 'actions', header: col_actions, end: true, card: 'actions', cell: (row) => <AgentActions row={row} /> },
];
