import { logType, userStatus } from '@tollgate/contract';
import { formatLogQuota, type Options } from '../settings/index.ts';
import { notifyChange } from '../storage/changes.ts';
import type { Transaction } from '../storage/database.ts';
import { countRows } from '../storage/page.ts';
import { insertSystemLog, logBalanceChange } from '../usage/index.ts';
import { transfer } from './accounts.ts';
import { nano, parseNano } from './decimal.ts';
import { type InviteMarks, isSamePerson, sharesMailbox } from './invite-person.ts';
import { collectOwed } from './invite-reversal.ts';

/** A registration that came by somebody's code. */
export interface Invitation {
  inviter: { id: number; username: string };
  invitee: { id: number; username: string };
  marks: InviteMarks;
  options: Options;
  /** Unix seconds. */
  now: number;
}

/** An invited user's payment. */
export interface PaidTopup {
  userId: number;
  quota: number;
  /** Of the payment's own transfer. */
  ref: string;
  options: Options;
  now: number;
}

interface Reward {
  id: number;
  inviter_id: number;
  invitee_id: number;
  kind: string;
  ref: string;
  amount: number;
}

const daySeconds = 86_400;
/** Waits for the invited user's first payment. */
const withFirstPayment = -1;
const dueBatch = 100;

/**
 * Books what a registration by invite code brings (contract 2.4, rulings 8): the invited user's gift at once, the
 * inviter's reward at once or when its condition is met. Perform it in the transaction that creates the user.
 */
export async function rewardInvitation(tx: Transaction, invitation: Invitation): Promise<void> {
  const { inviter, invitee, marks, options, now } = invitation;
  await tx.query
    .updateTable('users')
    .set((column) => ({ aff_count: column('aff_count', '+', 1) }))
    .where('id', '=', inviter.id)
    .execute();
  // Under the inviter's lock: of two who register at once the second sees the first.
  const isDoubtful = await isSamePerson(tx, inviter.id, marks, options);
  const stored = { ip: marks.ip, email_hmac: marks.email, device_hmac: marks.device };
  await tx.query
    .insertInto('invite')
    .values({ invitee_id: invitee.id, inviter_id: inviter.id, created_at: now, ...stored })
    .execute();
  await tx.perform(notifyChange('user', String(inviter.id), now));
  if (isDoubtful) return;
  await giftInvitee(tx, invitation);
  if (options.QuotaForInviter <= 0 || (await isOverDailyCap(tx, invitation))) return;
  const wait = { none: 0, first_payment: withFirstPayment, days: now + options.InviteHoldDays * daySeconds };
  const common = { inviter_id: inviter.id, invitee_id: invitee.id, kind: 'register', ref: `invite:${invitee.id}` };
  await addReward(tx, { ...common, amount: options.QuotaForInviter, due_at: wait[options.InviteHold] }, options, now);
}

async function giftInvitee(tx: Transaction, { invitee, options, now }: Invitation): Promise<void> {
  const amount = options.QuotaForInvitee;
  if (amount <= 0) return;
  const ref = `invite:${invitee.id}:invitee`;
  const movement = { from: 'invite', to: `user:${invitee.id}`, amount, kind: 'invite', ref } as const;
  await tx.perform(transfer({ ...movement, userId: invitee.id, actorId: invitee.id, now, note: '' }));
  const content = `使用邀请码赠送 ${formatLogQuota(amount, options)}`;
  await insertSystemLog(tx, { type: logType.system, userId: invitee.id, username: invitee.username, now, content });
}

async function isOverDailyCap(tx: Transaction, { inviter, options, now }: Invitation): Promise<boolean> {
  if (options.InviteDailyCap === 0) return false;
  const ofToday = tx.query
    .selectFrom('invite_reward')
    .where('inviter_id', '=', inviter.id)
    .where('created_at', '>', now - daySeconds)
    .where('kind', '=', 'register');
  return (await countRows(ofToday)) >= options.InviteDailyCap;
}

type NewReward = Omit<Reward, 'id'> & { due_at: number };

async function addReward(tx: Transaction, reward: NewReward, options: Options, now: number): Promise<void> {
  const row = await tx.query
    .insertInto('invite_reward')
    .values({ ...reward, state: 'waiting', created_at: now })
    .onConflict((conflict) => conflict.column('ref').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (row !== undefined && reward.due_at === 0) await payReward(tx, { ...reward, id: row.id }, options, now);
}

/**
 * Pays one reward that is due, once; answers whether it did. To whoever is gone, and for a registration that is, nothing; while
 * one of both is disabled it waits another day (decision 0195).
 */
async function payReward(tx: Transaction, reward: Reward, options: Options, now: number): Promise<boolean> {
  const { inviter_id: inviterId, invitee_id: inviteeId, amount, ref } = reward;
  const columns = ['id', 'username', 'status'] as const;
  const present = tx.query.selectFrom('users').select(columns).where('id', 'in', [inviterId, inviteeId]);
  const people = await present.where('deleted_at', 'is', null).execute();
  const inviter = people.find(({ id }) => id === inviterId);
  const isGone = inviter === undefined || (reward.kind === 'register' && !people.some(({ id }) => id === inviteeId));
  if (isGone || (!options.InviteSameEmailRewarded && (await sharesMailbox(tx, inviterId, inviteeId)))) {
    await change(tx, reward, { state: 'void' });
    return false;
  }
  if (people.some(({ status }) => status !== userStatus.enabled)) {
    await change(tx, reward, { due_at: now + daySeconds });
    return false;
  }
  if (!(await change(tx, reward, { state: 'paid' }))) return false;
  const movement = { from: 'invite', to: `user:${inviterId}:affiliate`, amount, kind: 'invite', ref } as const;
  await tx.perform(transfer({ ...movement, userId: inviterId, actorId: inviteeId, now, note: '' }));
  await tx.query
    .updateTable('users')
    .set((column) => ({ aff_history_quota: column('aff_history_quota', '+', amount) }))
    .where('id', '=', inviterId)
    .execute();
  const content = `${reward.kind === 'rebate' ? '邀请返利' : '邀请用户赠送'} ${formatLogQuota(amount, options)}`;
  await logBalanceChange(tx, { type: logType.system, userId: inviterId, username: inviter.username, now, content });
  await collectOwed(tx, { inviterId, actorId: inviteeId, options, now });
  return true;
}

/** Of one that still waits; answers whether it did. */
async function change(tx: Transaction, { id }: Reward, to: { state: 'paid' | 'void' } | { due_at: number }): Promise<boolean> {
  const waiting = tx.query.updateTable('invite_reward').set(to).where('id', '=', id).where('state', '=', 'waiting');
  return (await waiting.executeTakeFirst()).numUpdatedRows > 0n;
}

/** What an invited user's payment brings the inviter: the reward that waited for it, and the rebate. */
export async function rewardPayment(tx: Transaction, payment: PaidTopup): Promise<void> {
  const { userId, options, now } = payment;
  const waiting = await tx.query
    .selectFrom('invite_reward')
    .selectAll()
    .where('invitee_id', '=', userId)
    .where('state', '=', 'waiting')
    .where('due_at', '=', withFirstPayment)
    .execute();
  for (const reward of waiting) await payReward(tx, reward, options, now);
  const inviterId = await inviterOf(tx, userId);
  if (inviterId === undefined) return;
  const amount = await rebateOf(tx, payment, inviterId);
  if (amount <= 0) return;
  const hold = options.InviteRebateHoldDays;
  const common = { inviter_id: inviterId, invitee_id: userId, kind: 'rebate', ref: `rebate:${payment.ref}` };
  await addReward(tx, { ...common, amount, due_at: hold === 0 ? 0 : now + hold * daySeconds }, options, now);
}

/** Who invited a user, unless that one is gone. Users that were brought from elsewhere have no row in `invite`. */
async function inviterOf(tx: Transaction, userId: number): Promise<number | undefined> {
  const row = await tx.query
    .selectFrom('users')
    .innerJoin('users as inviter', 'inviter.id', 'users.inviter_id')
    .select('inviter.id')
    .where('users.id', '=', userId)
    .where('inviter.deleted_at', 'is', null)
    .executeTakeFirst();
  return row?.id;
}

/** Rounded down, and never above what the day still allows. */
async function rebateOf(tx: Transaction, { quota, options, now }: PaidTopup, inviterId: number): Promise<number> {
  const percentNano = BigInt(parseNano(options.InviteRebatePercent) ?? 0);
  const rebate = Number((BigInt(quota) * percentNano) / (100n * BigInt(nano)));
  if (rebate === 0 || options.InviteRebateDailyCap === 0) return rebate;
  // One after the other, so that payments at once do not both take the day's rest.
  await tx.query
    .updateTable('users')
    .set((column) => ({ aff_count: column.ref('aff_count') }))
    .where('id', '=', inviterId)
    .execute();
  const row = await tx.query
    .selectFrom('invite_reward')
    .select((sum) => sum.fn.sum<number | string | null>('amount').as('total'))
    .where('inviter_id', '=', inviterId)
    .where('kind', '=', 'rebate')
    .where('state', '<>', 'void')
    .where('created_at', '>', now - daySeconds)
    .executeTakeFirst();
  return Math.max(0, Math.min(rebate, options.InviteRebateDailyCap - Number(row?.total ?? 0)));
}

/** What still waits and is void when a user leaves: what their registration would bring, and all if they are disabled, for nobody enables them again. */
export async function voidRewardsFor(tx: Transaction, { id, status }: { id: number; status: number }): Promise<void> {
  const waiting = tx.query.updateTable('invite_reward').set({ state: 'void' }).where('state', '=', 'waiting');
  const theirs = waiting.where('invitee_id', '=', id);
  await (status === userStatus.enabled ? theirs.where('kind', '=', 'register') : theirs).execute();
}

/** Pays rewards whose days are over by `due`, some at a time and the longest due first; answers how many. */
export async function payDueRewards(tx: Transaction, options: Options, at: { now: number; due: number }): Promise<number> {
  const rewards = await tx.query
    .selectFrom('invite_reward')
    .selectAll()
    .where('state', '=', 'waiting')
    .where('due_at', '>', 0)
    .where('due_at', '<=', at.due)
    .orderBy('due_at')
    .orderBy('id')
    .limit(dueBatch)
    .execute();
  let paid = 0;
  for (const reward of rewards) paid += (await payReward(tx, reward, options, at.now)) ? 1 : 0;
  return paid;
}
