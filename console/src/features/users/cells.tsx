import { useNavigate } from '@tanstack/react-router';
import type { ManageAction, User } from '@tollgate/contract';
import {
  ArrowDown,
  ArrowUp,
  HandCoins,
  Image,
  ListTodo,
  type LucideIcon,
  Power,
  PowerOff,
  Receipt,
  RotateCcw,
  ScrollText,
  UserX,
} from 'lucide-react';
import { useSession } from '../../api/session.ts';
import { useMoney, useStatus } from '../../api/status.ts';
import {
  action_disable,
  action_enable,
  done,
  log_user_rows,
  nav_drawing,
  nav_payment,
  nav_statement,
  nav_task,
  users_demote,
  users_demote_text,
  users_demote_title,
  users_deregister,
  users_deregister_text,
  users_deregister_title,
  users_disable_text,
  users_disable_title,
  users_factor_reset,
  users_factor_reset_text,
  users_factor_reset_title,
  users_inviter_none,
  users_invites_tip,
  users_promote,
  users_promote_text,
  users_promote_title,
  users_token_disable,
  users_token_disable_text,
} from '../../i18n/generated/messages.ts';
import { formatQuota, formatUnits } from '../../lib/money.ts';
import { lastDays } from '../../ui/form/TimeFilter.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';
import { EditLink } from '../../ui/table/EditLink.tsx';
import { RowMenu } from '../../ui/table/RowMenu.tsx';
import { useAuditItem } from '../../ui/table/useAuditItem.ts';
import { actionsFor, isGone, isLocked, mayEdit } from './model.ts';
import { useTokenDisabling, useUserAction } from './queries.ts';

interface Action {
  icon: LucideIcon;
  label(): string;
  /** What it means, asked before it is done; absent for what harms nobody. */
  question?: { title(values: { name: string }): string; text(): string };
  bad?: true;
}

const actions: Record<ManageAction, Action> = {
  promote: { icon: ArrowUp, label: users_promote, question: { title: users_promote_title, text: users_promote_text } },
  demote: { icon: ArrowDown, label: users_demote, question: { title: users_demote_title, text: users_demote_text } },
  enable: { icon: Power, label: action_enable },
  disable: { icon: PowerOff, label: action_disable, question: { title: users_disable_title, text: users_disable_text } },
  reset_second_factor: {
    icon: RotateCcw,
    label: users_factor_reset,
    question: { title: users_factor_reset_title, text: users_factor_reset_text },
  },
  delete: {
    icon: UserX,
    label: users_deregister,
    question: { title: users_deregister_title, text: users_deregister_text },
    bad: true,
  },
};

function useRun(user: User): (action: ManageAction) => Promise<void> {
  const change = useUserAction();
  return async (action) => {
    const { label, question } = actions[action];
    const sure =
      question === undefined ||
      (await confirm({
        title: question.title({ name: user.username }),
        text: question.text(),
        confirmLabel: label(),
        tone: action === 'promote' ? undefined : 'bad',
      }));
    if (sure) change.mutate({ id: user.id, action }, { onError: notifyError, onSuccess: () => notify('ok', done()) });
  };
}

/** Nothing for deregistered users, and nothing that the server would refuse; what a user did and paid for everybody else. */
export function RowActions({ user }: { user: User }) {
  const session = useSession();
  const run = useRun(user);
  const disabling = useTokenDisabling();
  const navigate = useNavigate();
  const status = useStatus();
  const audit = useAuditItem(`user:${user.id}`);
  if (isGone(user)) return null;
  const { username, found_token: token } = user;
  const canEdit = mayEdit(session, user);
  const disableToken = async ({ id, name }: NonNullable<User['found_token']>) => {
    const confirmLabel = users_token_disable({ name });
    const sure = await confirm({ title: username, text: users_token_disable_text(), confirmLabel, tone: 'bad' });
    if (sure) disabling.mutate(id, { onError: notifyError, onSuccess: () => notify('ok', done()) });
  };
  const rows = (to: '/log' | '/midjourney' | '/task', label: string, icon: LucideIcon) => ({
    ...{ key: to, label, icon },
    onSelect: () => void navigate({ to, search: { user: username, ...lastDays(30) } }),
  });
  const items = () => [
    rows('/log', log_user_rows(), ScrollText),
    ...(status?.enable_drawing ? [rows('/midjourney', nav_drawing(), Image)] : []),
    ...(status?.enable_task ? [rows('/task', nav_task(), ListTodo)] : []),
    {
      key: 'statement',
      label: nav_statement(),
      icon: Receipt,
      onSelect: () => void navigate({ to: '/topup/statement', search: { user: user.id } }),
    },
    {
      key: 'orders',
      label: nav_payment(),
      icon: HandCoins,
      onSelect: () => void navigate({ to: '/payment', search: { username } }),
    },
    ...audit,
    ...(token && canEdit && !token.disabled
      ? [{ key: 'token', label: users_token_disable(token), icon: PowerOff, onSelect: () => void disableToken(token) }]
      : []),
    ...actionsFor(session, user).map((action, index) => ({
      key: action,
      label: actions[action].label(),
      icon: actions[action].icon,
      tone: actions[action].bad ? ('bad' as const) : undefined,
      separated: index === 0 || action === 'delete',
      disabled: isLocked(user) && (action === 'enable' || action === 'disable'),
      onSelect: () => void run(action),
    })),
  ];
  return (
    <span className="inline-flex justify-end">
      {canEdit && <EditLink to="/user/edit/$id" id={user.id} />}
      <RowMenu items={items} />
    </span>
  );
}

/** How many this user brought; what it earned and who brought them in the tooltip. */
export function Invites({ user }: { user: User }) {
  const format = useMoney();
  const inviter = user.inviter_id === 0 ? users_inviter_none() : `#${user.inviter_id}`;
  return (
    <span className="tabular-nums" data-tip={users_invites_tip({ earned: formatQuota(user.aff_history_quota, format), inviter })}>
      {formatUnits(user.aff_count)}
    </span>
  );
}
