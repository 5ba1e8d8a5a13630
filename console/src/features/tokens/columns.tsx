import { never, type Token } from '@tollgate/contract';
import {
  col_actions,
  col_created,
  col_expires,
  col_group,
  col_name,
  col_remaining,
  col_status,
  col_used,
  group_own,
  token_key,
  token_never,
} from '../../i18n/generated/messages.ts';
import { nowSeconds } from '../../lib/time.ts';
import { Badge, StatusDot } from '../../ui/Badge.tsx';
import { Quota } from '../../ui/Quota.tsx';
import { Time } from '../../ui/Time.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { KeyCell, RemainCell } from './cells.tsx';
import { statusOf, whyNotEnabled } from './model.ts';
import { RowActions } from './RowActions.tsx';

function Status({ token }: { token: Token }) {
  const { text, tone } = statusOf(token);
  return (
    <StatusDot tone={tone} tip={whyNotEnabled(token, nowSeconds()) || undefined}>
      {text}
    </StatusDot>
  );
}

export const tokenColumns: readonly Column<Token>[] = [
  { id: 'name', header: col_name, clip: true, card: 'title', cell: (token) => token.name },
  { id: 'status', header: col_status, card: 'corner', cell: (token) => <Status token={token} /> },
  { id: 'group', header: col_group, cell: (token) => <Badge>{token.group || group_own()}</Badge> },
  { id: 'key', header: token_key, cell: (token) => <KeyCell token={token} /> },
  { id: 'used', header: col_used, end: true, cell: (token) => <Quota value={token.used_quota} /> },
  { id: 'remain', header: col_remaining, end: true, cell: (token) => <RemainCell token={token} /> },
  { id: 'created', header: col_created, cell: (token) => <Time seconds={token.created_time} /> },
  {
    id: 'expires',
    header: col_expires,
    cell: (token) =>
      token.expired_time === never ? <span className="text-muted">{token_never()}</span> : <Time seconds={token.expired_time} />,
  },
  { id: 'actions', header: col_actions, end: true, card: 'actions', cell: (token) => <RowActions token={token} /> },
];
