import type { InviteRecord, RewardRecord, RewardState } from '@tollgate/contract';
import {
  col_created,
  col_status,
  col_user,
  wallet_aff_paid,
  wallet_aff_time,
  wallet_aff_waiting,
  wallet_reward_amount,
  wallet_reward_due,
  wallet_reward_first,
  wallet_reward_kind,
  wallet_reward_rebate,
  wallet_reward_register,
  wallet_reward_reversed,
  wallet_reward_void,
  wallet_reward_waiting,
  wallet_state_paid,
} from '../../i18n/generated/messages.ts';
import { StatusDot, type Tone } from '../../ui/Badge.tsx';
import { MaskedName } from '../../ui/MaskedName.tsx';
import { Quota } from '../../ui/Quota.tsx';
import { Time } from '../../ui/Time.tsx';
import type { Column } from '../../ui/table/columns.ts';

export const inviteColumns: readonly Column<InviteRecord>[] = [
  { id: 'user', header: col_user, card: 'title', cell: (row) => <MaskedName name={row.username} id={row.id} /> },
  { id: 'created', header: wallet_aff_time, cell: (row) => <Time seconds={row.created_time} /> },
  { id: 'paid', header: wallet_aff_paid, end: true, cell: (row) => <Quota value={row.paid_quota} /> },
  { id: 'waiting', header: wallet_aff_waiting, end: true, cell: (row) => <Quota value={row.waiting_quota} /> },
];

/** Word and colour of what became of a reward. */
export const rewardFaces: Record<RewardState, { text(): string; tone: Tone }> = {
  waiting: { text: wallet_reward_waiting, tone: 'warn' },
  paid: { text: wallet_state_paid, tone: 'ok' },
  void: { text: wallet_reward_void, tone: 'grey' },
};
const kinds: Record<RewardRecord['kind'], () => string> = { register: wallet_reward_register, rebate: wallet_reward_rebate };

/** When a waiting reward is paid. */
function Due({ row }: { row: RewardRecord }) {
  if (row.state !== 'waiting' || row.due_at === 0) return <span className="text-muted">–</span>;
  return row.due_at < 0 ? wallet_reward_first() : <Time seconds={row.due_at} />;
}

export const rewardColumns: readonly Column<RewardRecord>[] = [
  { id: 'created', header: col_created, card: 'title', cell: (row) => <Time seconds={row.created_at} /> },
  {
    id: 'state',
    header: col_status,
    card: 'corner',
    cell: (row) => <StatusDot tone={rewardFaces[row.state].tone}>{rewardFaces[row.state].text()}</StatusDot>,
  },
  { id: 'kind', header: wallet_reward_kind, cell: (row) => kinds[row.kind]() },
  { id: 'user', header: col_user, cell: (row) => <MaskedName name={row.username} id={row.user_id} /> },
  { id: 'amount', header: wallet_reward_amount, end: true, cell: (row) => <Quota value={row.amount} /> },
  {
    id: 'reversed',
    header: wallet_reward_reversed,
    end: true,
    cell: (row) => (row.reversed > 0 ? <Quota value={row.reversed} /> : <span className="text-muted">–</span>),
  },
  { id: 'due', header: wallet_reward_due, cell: (row) => <Due row={row} /> },
];
