import {
  audit_col_action,
  audit_col_actor,
  audit_col_target,
  audit_detail,
  audit_hash,
  audit_hash_text,
  audit_nobody,
  col_ip,
  col_time,
} from '../../i18n/generated/messages.ts';
import { Badge } from '../../ui/Badge.tsx';
import { JsonText } from '../../ui/JsonText.tsx';
import { Time } from '../../ui/Time.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { faceOf } from './model.ts';
import type { AuditRow } from './queries.ts';

function Action({ row }: { row: AuditRow }) {
  const { text, tone } = faceOf(row.action);
  return (
    <Badge tone={tone} tip={row.action}>
      {text}
    </Badge>
  );
}

function Actor({ row }: { row: AuditRow }) {
  if (row.actor_id === 0 && row.actor === '') return <span className="text-muted">{audit_nobody()}</span>;
  return (
    <>
      {row.actor} {row.actor_id > 0 && <span className="text-muted text-xs">#{row.actor_id}</span>}
    </>
  );
}

export const auditColumns: readonly Column<AuditRow>[] = [
  { id: 'seq', header: () => '#', end: true, card: 'none', cell: (row) => row.seq },
  { id: 'time', header: col_time, cell: (row) => <Time seconds={row.created_at} /> },
  { id: 'action', header: audit_col_action, card: 'title', cell: (row) => <Action row={row} /> },
  { id: 'actor', header: audit_col_actor, clip: true, card: 'corner', cell: (row) => <Actor row={row} /> },
  { id: 'target', header: audit_col_target, clip: true, cell: (row) => <code className="text-xs">{row.target || '–'}</code> },
  { id: 'ip', header: col_ip, cell: (row) => <span className="tabular-nums">{row.ip || '–'}</span> },
  {
    id: 'detail',
    header: audit_detail,
    fill: true,
    card: 'none',
    cell: (row) => <code className="text-muted text-xs">{row.detail === '{}' ? '' : row.detail}</code>,
  },
];

/** An entry in full. */
export function Detail({ row }: { row: AuditRow }) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 max-sm:grid-cols-1 max-sm:gap-y-0.5">
      <dt className="text-muted text-xs">{audit_detail()}</dt>
      <dd className="min-w-0">
        <JsonText text={row.detail || '{}'} />
      </dd>
      <dt className="text-muted text-xs">{audit_hash()}</dt>
      <dd className="min-w-0">
        <code className="break-all text-xs">{row.hash}</code>
        <p className="text-muted text-xs">{audit_hash_text()}</p>
      </dd>
    </dl>
  );
}
