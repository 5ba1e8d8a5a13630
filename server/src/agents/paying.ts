import { role, type WithdrawalAction, type WithdrawalManagement, withdrawalStatus } from '@tollgate/contract';
import { recordAudit } from '../audit/index.ts';
import { claimWithdrawal, type Handler, payWithdrawal, rejectWithdrawal, releaseWithdrawal } from '../billing/index.ts';
import { PublicError } from '../platform/errors.ts';
import type { Transaction } from '../storage/database.ts';
import { checkLevel, levelOf } from './applying.ts';
import type { Reviewer } from './deps.ts';

type Step = (tx: Transaction, id: number, handler: Handler, words: WithdrawalManagement) => Promise<boolean>;

const steps: Record<WithdrawalAction, Step> = {
  claim: claimWithdrawal,
  release: releaseWithdrawal,
  pay: (tx, id, handler, { reference }) => {
    if (reference === '') throw new PublicError('withdrawal_reference_missing');
    return payWithdrawal(tx, id, handler, reference);
  },
  reject: (tx, id, handler, { reason }) => {
    if (reason === '') throw new PublicError('withdrawal_reason_missing');
    return rejectWithdrawal(tx, id, handler, reason);
  },
};

/** One step of an administrator with a withdrawal. Throws PublicError `withdrawal_...`, `user_level_write`. */
export async function manageWithdrawal(
  tx: Transaction,
  id: number,
  { management, reviewer, now }: { management: WithdrawalManagement; reviewer: Reviewer; now: number },
): Promise<void> {
  const seen = await tx.query.selectFrom('agent_withdrawal').select('agent_id').where('id', '=', id).executeTakeFirst();
  if (seen === undefined) throw new PublicError('withdrawal_not_found');
  // What an agent asked for is still to be ended when the user is gone.
  checkLevel((await levelOf(tx, seen.agent_id)) ?? role.common, reviewer);
  const handler = { actorId: reviewer.id, isRoot: reviewer.role === role.root, now };
  const { action, reference, reason } = management;
  if (!(await steps[action](tx, id, handler, management))) throw await whyNot(tx, id, action, handler);
  const detail = { action, reference, reason, agent: seen.agent_id };
  await tx.perform(recordAudit({ actor: reviewer, action: 'agent.payout', target: `withdrawal:${id}`, detail, now }));
}

async function whyNot(tx: Transaction, id: number, action: WithdrawalAction, { actorId, isRoot }: Handler): Promise<PublicError> {
  const row = await tx.query
    .selectFrom('agent_withdrawal')
    .leftJoin('users', 'users.id', 'agent_withdrawal.reviewer_id')
    .select(['agent_withdrawal.status', 'agent_withdrawal.reviewer_id', 'users.username'])
    .where('agent_withdrawal.id', '=', id)
    .executeTakeFirst();
  const isForeign = row?.status === withdrawalStatus.processing && row.reviewer_id !== actorId;
  if (isForeign && (!isRoot || action === 'claim')) return new PublicError('withdrawal_claimed', { name: row.username ?? '' });
  return new PublicError('withdrawal_changed');
}
