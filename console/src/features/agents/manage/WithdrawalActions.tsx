import { type AgentWithdrawal, type WithdrawalAction, withdrawalStatus } from '@tollgate/contract';
import { CircleX, Hand, HandCoins, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useSession } from '../../../api/session.ts';
import {
  agents_claim,
  agents_claim_done,
  agents_claimed_by,
  agents_pay,
  agents_reject,
  agents_release,
  agents_release_done,
} from '../../../i18n/generated/messages.ts';
import { Button } from '../../../ui/Button.tsx';
import { notify, notifyError } from '../../../ui/notify.ts';
import type { MenuItem } from '../../../ui/overlays.ts';
import { part } from '../../../ui/part.tsx';
import { RowMenu } from '../../../ui/table/RowMenu.tsx';
import { type ListProps, Withdrawals } from '../lists.tsx';
import { actionsFor } from '../model.ts';
import { useManagement } from '../queries.ts';

const CloseDialog = part(() => import('./CloseDialog.tsx'), 'CloseDialog');

const faces: Record<WithdrawalAction, { label: () => string; icon: typeof Hand }> = {
  claim: { label: agents_claim, icon: Hand },
  release: { label: agents_release, icon: Undo2 },
  pay: { label: agents_pay, icon: HandCoins },
  reject: { label: agents_reject, icon: CircleX },
};

/** What is done about a withdrawal: claiming and releasing at once, paying and rejecting with what must be known. */
function Actions({ row }: { row: AgentWithdrawal }) {
  const session = useSession();
  const manage = useManagement();
  const [closing, setClosing] = useState<'pay' | 'reject'>();
  const [first, ...others] = actionsFor(session, row);
  if (first === undefined) {
    if (row.status !== withdrawalStatus.processing) return null;
    return <span className="text-muted text-xs">{agents_claimed_by({ name: row.reviewer || `#${row.reviewer_id}` })}</span>;
  }
  const run = (action: WithdrawalAction) => {
    if (action === 'pay' || action === 'reject') return setClosing(action);
    const onSuccess = () => notify('ok', action === 'claim' ? agents_claim_done() : agents_release_done());
    manage.mutate({ id: row.id, action }, { onError: notifyError, onSuccess });
  };
  const items = () =>
    others.map(
      (action): MenuItem => ({
        key: action,
        ...{ label: faces[action].label(), icon: faces[action].icon },
        tone: action === 'reject' ? 'bad' : undefined,
        onSelect: () => run(action),
      }),
    );
  return (
    <span className="inline-flex items-center justify-end gap-1">
      <Button size="sm" icon={faces[first].icon} pending={manage.isPending} onClick={() => run(first)}>
        {faces[first].label()}
      </Button>
      <RowMenu items={items} />
      {closing && <CloseDialog row={row} action={closing} onClose={() => setClosing(undefined)} />}
    </span>
  );
}

const actions = (row: AgentWithdrawal) => <Actions row={row} />;

/** Everybody's withdrawals, with what is done about them. */
export function ManagedWithdrawals(props: ListProps) {
  return <Withdrawals {...props} actions={actions} />;
}
