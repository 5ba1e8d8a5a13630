import { logType } from '@tollgate/contract';
import { formatLogQuota, type Options } from '../settings/index.ts';
import type { Transaction } from '../storage/database.ts';
import { logBalanceChange } from '../usage/index.ts';
import { accountBalance, availableOf, transfer } from './accounts.ts';

/** A payment of which a part, or all, was given back: `part` of `whole`, in all so far. */
export interface RebateReversal {
  /** Of the payment's own transfer. */
  paymentRef: string;
  part: number;
  whole: number;
  actorId: number;
  options: Options;
  /** Unix seconds. */
  now: number;
}

/** Of the inviter, as it is once the reversal is done. */
export interface Reversed {
  taken: number;
  owed: number;
}

const collectBatch = 100;

/**
 * Takes back the share of a rebate whose payment was given back (decision 0097): one that waits is not paid, or what it is too
 * much goes back when it is; one that was paid goes back out of the inviter's earnings, and what is not there out of later ones.
 */
export async function reverseRebate(tx: Transaction, reversal: RebateReversal): Promise<Reversed> {
  const { paymentRef, part, whole, actorId, options, now } = reversal;
  // An update that changes nothing locks the row: it is not paid meanwhile.
  const row = await tx.query
    .updateTable('invite_reward')
    .set((column) => ({ reversed: column.ref('reversed') }))
    .where('ref', '=', `rebate:${paymentRef}`)
    .where('state', '<>', 'void')
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return { taken: 0, owed: 0 };
  const reward = tx.query.updateTable('invite_reward').where('id', '=', row.id);
  if (row.state === 'waiting' && part === whole) {
    await reward.set({ state: 'void', reversed: 0 }).execute();
    return { taken: 0, owed: 0 };
  }
  const reversed = row.amount - Number((BigInt(row.amount) * BigInt(whole - part)) / BigInt(whole));
  if (reversed <= row.reversed) return { taken: 0, owed: 0 };
  await reward.set({ reversed }).execute();
  if (row.state === 'waiting') return { taken: 0, owed: 0 };
  return collectOwed(tx, { inviterId: row.inviter_id, actorId, options, now });
}

interface Collection {
  inviterId: number;
  actorId: number;
  options: Options;
  now: number;
}

/** Takes what an inviter owes out of the earnings that were not moved yet, oldest first. */
export async function collectOwed(tx: Transaction, { inviterId, actorId, options, now }: Collection): Promise<Reversed> {
  if ((await owedRows(tx, inviterId, 1)).length === 0) return { taken: 0, owed: 0 };
  // Under the same lock as earnings are moved: neither takes what the other does.
  await tx.perform(availableOf(inviterId));
  const earnings = `user:${inviterId}:affiliate`;
  let left = await tx.perform(accountBalance(earnings));
  let taken = 0;
  // What went back in whole is no longer among them.
  const next = () => owedRows(tx, inviterId, collectBatch);
  for (let rows = await next(); left > 0 && rows.length > 0; rows = await next()) {
    for (const { id, ref, reversed, returned } of rows) {
      const amount = Math.min(left, reversed - returned);
      if (amount === 0) break;
      const movement = {
        from: earnings,
        to: 'invite',
        amount,
        kind: 'reversal',
        ref: `${ref}:reverse:${returned + amount}`,
      } as const;
      await tx.perform(transfer({ ...movement, userId: inviterId, actorId, now, note: '' }));
      await tx.query
        .updateTable('invite_reward')
        .set({ returned: returned + amount })
        .where('id', '=', id)
        .execute();
      left -= amount;
      taken += amount;
    }
  }
  const owed = await owedSum(tx, inviterId);
  if (taken > 0) await tellInviter(tx, inviterId, { taken, owed }, options, now);
  return { taken, owed };
}

function owedRows(tx: Transaction, inviterId: number, limit: number) {
  return tx.query
    .selectFrom('invite_reward')
    .select(['id', 'ref', 'reversed', 'returned'])
    .where('inviter_id', '=', inviterId)
    .where('state', '=', 'paid')
    .whereRef('returned', '<', 'reversed')
    .orderBy('id')
    .limit(limit)
    .execute();
}

async function owedSum(tx: Transaction, inviterId: number): Promise<number> {
  const row = await tx.query
    .selectFrom('invite_reward')
    .select(({ fn }) => [
      fn.sum<number | string | null>('reversed').as('reversed'),
      fn.sum<number | string | null>('returned').as('returned'),
    ])
    .where('inviter_id', '=', inviterId)
    .where('state', '=', 'paid')
    .executeTakeFirst();
  return Number(row?.reversed ?? 0) - Number(row?.returned ?? 0);
}

async function tellInviter(tx: Transaction, userId: number, { taken, owed }: Reversed, options: Options, now: number) {
  const rest = owed > 0 ? `，其余 ${formatLogQuota(owed, options)} 将从以后的邀请收益中扣除` : '';
  const content = `好友充值已退款，扣回邀请返利 ${formatLogQuota(taken, options)}${rest}`;
  await logBalanceChange(tx, { type: logType.system, userId, now, content });
}
