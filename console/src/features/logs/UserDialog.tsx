import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { User } from '@tollgate/contract';
import type { ReactNode } from 'react';
import { textOf } from '../../api/errors.ts';
import {
  col_created,
  col_group,
  col_used,
  log_user_balance,
  log_user_edit,
  log_user_inviter,
  log_user_requests,
  log_user_role,
  log_user_rows,
  log_user_title,
  users_display_name,
  users_email,
  users_status_gone,
  users_username,
} from '../../i18n/generated/messages.ts';
import { formatUnits } from '../../lib/money.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { buttonClass } from '../../ui/Button.tsx';
import { FactList } from '../../ui/FactList.tsx';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { Quota } from '../../ui/Quota.tsx';
import { roleOf } from '../../ui/role.ts';
import { Time } from '../../ui/Time.tsx';
import { ownerQuery } from './queries.ts';

function factsOf(user: User): { label: string; value: ReactNode }[] {
  const { text, tone } = roleOf(user.role);
  return [
    { label: 'ID', value: user.id },
    { label: users_username(), value: user.username },
    { label: users_display_name(), value: user.display_name },
    { label: users_email(), value: user.email },
    { label: log_user_role(), value: <Badge tone={tone}>{text}</Badge> },
    { label: col_group(), value: <Badge>{user.group}</Badge> },
    { label: log_user_balance(), value: <Quota value={user.quota} /> },
    { label: col_used(), value: <Quota value={user.used_quota} /> },
    { label: log_user_requests(), value: formatUnits(user.request_count) },
    { label: log_user_inviter(), value: user.inviter_id > 0 && `#${user.inviter_id}` },
    { label: col_created(), value: user.created_time > 0 && <Time seconds={user.created_time} /> },
  ];
}

function Facts({ user }: { user: User }) {
  return (
    <div className="flex flex-col gap-3">
      {user.DeletedAt !== null && <Alert tone="warn">{users_status_gone()}</Alert>}
      <FactList lines={factsOf(user)} />
    </div>
  );
}

/** Who made a call, for administrators; users of their own level and above are refused by the server. */
export function UserDialog({ id, name, onClose }: { id: number; name: string; onClose(): void }) {
  const { data: user, error } = useQuery(ownerQuery(id));
  const links = (
    <>
      <Link
        from="/log"
        to="/log"
        search={(old) => ({ ...old, p: undefined, before: undefined, user: name })}
        className={buttonClass()}
        onClick={onClose}
      >
        {log_user_rows()}
      </Link>
      {user?.DeletedAt === null && (
        <Link to="/user/edit/$id" params={{ id: String(id) }} search={{}} className={buttonClass()} onClick={onClose}>
          {log_user_edit()}
        </Link>
      )}
    </>
  );
  return (
    <Dialog title={log_user_title({ name })} onClose={onClose} footer={links}>
      {user ? (
        <Facts user={user} />
      ) : error ? (
        <Alert tone="bad">{textOf(error)}</Alert>
      ) : (
        <div aria-busy className="flex min-h-72 flex-col gap-4 pt-2">
          <span className="skeleton w-3/5" />
          <span className="skeleton w-2/5" />
          <span className="skeleton w-1/2" />
        </div>
      )}
    </Dialog>
  );
}
