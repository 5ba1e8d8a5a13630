import { Link } from '@tanstack/react-router';
import type { ManageAction, User } from '@tollgate/contract';
import { ArrowDown, ArrowUp, Pencil, Power, PowerOff, RotateCcw, UserX } from 'lucide-react';
import { useSession } from '../../api/session.ts';
import { useMoney } from '../../api/status.ts';
import {
  action_disable,
  action_edit,
  action_enable,
  done,
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
} from '../../i18n/generated/messages.ts';
import { formatQuota } from '../../lib/money.ts';
import { rowLinkClass } from '../../ui/Button.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';
import { RowMenu } from '../../ui/table/RowMenu.tsx';
import { actionsFor, isLocked, mayEdit } from './model.ts';
import { useUserAction } from './queries.ts';

interface Action {
  icon: typeof Pencil;
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

/** Nothing for deregistered users, and nothing that the server would refuse. */
export function RowActions({ user }: { user: User }) {
  const session = useSession();
  const run = useRun(user);
  const possible = actionsFor(session, user);
  const items = () =>
    possible.map((action) => ({
      key: action,
      label: actions[action].label(),
      icon: actions[action].icon,
      tone: actions[action].bad ? ('bad' as const) : undefined,
      separated: action === 'delete',
      disabled: isLocked(user) && (action === 'enable' || action === 'disable'),
      onSelect: () => void run(action),
    }));
  if (!mayEdit(session, user) && possible.length === 0) return null;
  return (
    <span className="inline-flex justify-end">
      {mayEdit(session, user) && (
        <Link
          to="/user/edit/$id"
          params={{ id: String(user.id) }}
          search={true}
          aria-label={action_edit()}
          data-tip={action_edit()}
          className={rowLinkClass}
        >
          <Pencil size={16} aria-hidden />
        </Link>
      )}
      {possible.length > 0 && <RowMenu items={items} />}
    </span>
  );
}

/** How many this user brought; what it earned and who brought them in the tooltip. */
export function Invites({ user }: { user: User }) {
  const format = useMoney();
  const inviter = user.inviter_id === 0 ? users_inviter_none() : `#${user.inviter_id}`;
  return (
    <span className="tabular-nums" data-tip={users_invites_tip({ earned: formatQuota(user.aff_history_quota, format), inviter })}>
      {user.aff_count.toLocaleString('en-US')}
    </span>
  );
}
