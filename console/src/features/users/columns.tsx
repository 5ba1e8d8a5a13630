import type { User } from '@tollgate/contract';
import {
  col_actions,
  col_created,
  col_group,
  col_status,
  users_col_invites,
  users_col_quota,
  users_col_requests,
  users_col_role,
  users_username,
} from '../../i18n/generated/messages.ts';
import { formatUnits } from '../../lib/money.ts';
import { Badge, StatusDot } from '../../ui/Badge.tsx';
import { Quota } from '../../ui/Quota.tsx';
import { roleOf } from '../../ui/role.ts';
import { Time } from '../../ui/Time.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { Invites, RowActions } from './cells.tsx';
import { statusOf } from './model.ts';

function Name({ user }: { user: User }) {
  const other = user.display_name !== '' && user.display_name !== user.username ? user.display_name : '';
  return (
    <span
      className="inline-flex max-w-full items-baseline gap-2 max-sm:flex-wrap max-sm:wrap-anywhere"
      data-tip={[user.username, other, user.email].filter(Boolean).join(' · ')}
    >
      <span className="max-w-full sm:shrink-0 sm:truncate">{user.username}</span>
      {other && <span className="text-muted text-xs sm:truncate">{other}</span>}
      {user.found_token && <Badge tone={user.found_token.disabled ? 'grey' : 'warn'}>{user.found_token.name}</Badge>}
    </span>
  );
}

function Status({ user }: { user: User }) {
  const { text, tone, tip } = statusOf(user);
  return (
    <StatusDot tone={tone} tip={tip}>
      {text}
    </StatusDot>
  );
}

function Role({ user }: { user: User }) {
  const { text, tone } = roleOf(user.role);
  return <Badge tone={tone}>{text}</Badge>;
}

export const userColumns: readonly Column<User>[] = [
  { id: 'id', header: () => 'ID', end: true, cell: (user) => user.id },
  { id: 'username', header: users_username, clip: true, card: 'title', cell: (user) => <Name user={user} /> },
  { id: 'status', header: col_status, card: 'corner', cell: (user) => <Status user={user} /> },
  { id: 'role', header: users_col_role, cell: (user) => <Role user={user} /> },
  { id: 'group', header: col_group, cell: (user) => <Badge>{user.group}</Badge> },
  {
    id: 'quota',
    header: users_col_quota,
    end: true,
    cell: (user) => (
      <span className="inline-flex flex-wrap justify-end gap-x-1">
        <Quota value={user.quota} />
        <span className="whitespace-nowrap text-muted">
          / <Quota value={user.used_quota} />
        </span>
      </span>
    ),
  },
  { id: 'requests', header: users_col_requests, end: true, cell: (user) => formatUnits(user.request_count) },
  { id: 'invites', header: users_col_invites, end: true, cell: (user) => <Invites user={user} /> },
  {
    id: 'created',
    header: col_created,
    cell: (user) => (user.created_time > 0 ? <Time seconds={user.created_time} /> : <span className="text-muted">–</span>),
  },
  { id: 'actions', header: col_actions, end: true, card: 'actions', cell: (user) => <RowActions user={user} /> },
];
