import { Link, useNavigate } from '@tanstack/react-router';
import { agentStatus } from '@tollgate/contract';
import { Banknote, Coins, Power, PowerOff } from 'lucide-react';
import {
  agents_activate,
  agents_activate_text,
  agents_activate_title,
  agents_review,
  agents_suspend,
  agents_suspend_text,
  agents_suspend_title,
  agents_to_dividends,
  agents_to_withdrawals,
  done,
} from '../../../i18n/generated/messages.ts';
import { buttonClass } from '../../../ui/Button.tsx';
import { notify, notifyError } from '../../../ui/notify.ts';
import { confirm, type MenuItem } from '../../../ui/overlays.ts';
import { EditLink } from '../../../ui/table/EditLink.tsx';
import { RowMenu } from '../../../ui/table/RowMenu.tsx';
import { nameOf } from '../model.ts';
import { type AgentRow, useReview } from '../queries.ts';

/** Starts or ends that an agent earns; a new application is read first. */
function useSwitch(row: AgentRow): MenuItem[] {
  const review = useReview();
  const run = async (on: boolean) => {
    const name = nameOf(row);
    const question = on
      ? { title: agents_activate_title({ name }), text: agents_activate_text(), confirmLabel: agents_activate() }
      : {
          title: agents_suspend_title({ name }),
          text: agents_suspend_text(),
          confirmLabel: agents_suspend(),
          tone: 'bad' as const,
        };
    if (!(await confirm(question))) return;
    const status = on ? agentStatus.active : agentStatus.suspended;
    review.mutate(
      { id: row.user_id, status, seen_status: row.status },
      { onError: notifyError, onSuccess: () => notify('ok', done()) },
    );
  };
  if (row.status === agentStatus.applied) return [];
  return row.status === agentStatus.active
    ? [{ key: 'suspend', label: agents_suspend(), icon: PowerOff, tone: 'bad', separated: true, onSelect: () => void run(false) }]
    : [{ key: 'activate', label: agents_activate(), icon: Power, separated: true, onSelect: () => void run(true) }];
}

export function AgentActions({ row }: { row: AgentRow }) {
  const navigate = useNavigate();
  const switches = useSwitch(row);
  const records = (tab: 'dividends' | 'withdrawals') =>
    void navigate({ to: '/agent/manage', search: { tab, agent: row.user_id } });
  const items = (): MenuItem[] => [
    { key: 'dividends', label: agents_to_dividends(), icon: Coins, onSelect: () => records('dividends') },
    { key: 'withdrawals', label: agents_to_withdrawals(), icon: Banknote, onSelect: () => records('withdrawals') },
    ...switches,
  ];
  return (
    <span className="inline-flex items-center justify-end gap-1">
      {row.status === agentStatus.applied ? (
        <Link
          to="/agent/manage/edit/$id"
          params={{ id: String(row.user_id) }}
          search={true}
          className={buttonClass('primary', 'sm')}
        >
          {agents_review()}
        </Link>
      ) : (
        <EditLink to="/agent/manage/edit/$id" id={row.user_id} />
      )}
      <RowMenu items={items} />
    </span>
  );
}
