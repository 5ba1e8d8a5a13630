import { Link } from '@tanstack/react-router';
import type { Redemption } from '@tollgate/contract';
import {
  col_actions,
  col_created,
  col_expires,
  col_name,
  col_status,
  redemption_code,
  redemption_quota,
  redemption_redeemed,
  redemption_used_by,
  redemption_used_none,
  token_never,
} from '../../i18n/generated/messages.ts';
import { StatusDot } from '../../ui/Badge.tsx';
import { Quota } from '../../ui/Quota.tsx';
import { Time } from '../../ui/Time.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { CodeCell, RowActions } from './cells.tsx';
import { shownStatusOf, statusOf } from './model.ts';

function Status({ row }: { row: Redemption }) {
  const { text, tone } = statusOf(shownStatusOf(row));
  return <StatusDot tone={tone}>{text}</StatusDot>;
}

function UsedBy({ id }: { id: number }) {
  if (id <= 0) return <span className="text-muted">{redemption_used_none()}</span>;
  return (
    <Link to="/user/edit/$id" params={{ id: String(id) }} className="inline-flex min-h-6 items-center text-accent">
      {id}
    </Link>
  );
}

export const redemptionColumns: readonly Column<Redemption>[] = [
  { id: 'id', header: () => 'ID', end: true, cell: (row) => row.id },
  { id: 'name', header: col_name, clip: true, card: 'title', cell: (row) => row.name },
  { id: 'status', header: col_status, card: 'corner', cell: (row) => <Status row={row} /> },
  { id: 'quota', header: redemption_quota, end: true, cell: (row) => <Quota value={row.quota} /> },
  { id: 'code', header: redemption_code, cell: (row) => <CodeCell row={row} /> },
  { id: 'created', header: col_created, cell: (row) => <Time seconds={row.created_time} /> },
  {
    id: 'expires',
    header: col_expires,
    cell: (row) =>
      row.expired_time > 0 ? <Time seconds={row.expired_time} /> : <span className="text-muted">{token_never()}</span>,
  },
  {
    id: 'redeemed',
    header: redemption_redeemed,
    cell: (row) => (row.redeemed_time > 0 ? <Time seconds={row.redeemed_time} /> : <span className="text-muted">–</span>),
  },
  {
    id: 'user',
    header: redemption_used_by,
    cell: (row) => <UsedBy id={row.used_user_id} />,
  },
  { id: 'actions', header: col_actions, end: true, card: 'actions', cell: (row) => <RowActions row={row} /> },
];
