import { agentStatus, logType, type WithdrawalQuote, type WithdrawalWish, withdrawalStatus } from '@tollgate/contract';
import type { Selectable } from 'kysely';
import { PublicError } from '../platform/errors.ts';
import { formatLogQuota, isClosed, type Options } from '../settings/index.ts';
import type { Transaction } from '../storage/database.ts';
import { countRows } from '../storage/page.ts';
import type { AgentWithdrawalTable } from '../storage/schema.ts';
import { logBalanceChange } from '../usage/index.ts';
import { transfer } from './accounts.ts';
import { agentAccounts, agentBalance, feeSink, moveCents, payoutSink } from './agent-money.ts';
import { nano, parseNano } from './decimal.ts';
import { moneyText } from './topup-money.ts';

type Withdrawal = Selectable<AgentWithdrawalTable>;
/** Of a payee, at least and at most. */
const nameLength = { least: 2, most: 30 };

export const openWithdrawals: readonly number[] = [withdrawalStatus.pending, withdrawalStatus.processing];

/**
 * What a withdrawal takes and brings: the fee is rounded up, quota down (contract 9.3). Throws PublicError `withdrawal_...`,
 * `topup_unconfigured`.
 */
export function quoteWithdrawal(
  options: Pick<Options, 'AgentFeeRate' | 'AgentMinWithdraw' | 'Price' | 'QuotaPerUnit'>,
  { amount, method }: Pick<WithdrawalWish, 'amount' | 'method'>,
): WithdrawalQuote {
  // At terms that cannot be read nothing is sold (decision 0090).
  if (isClosed(options, method === 'quota' ? ['Price', 'QuotaPerUnit'] : ['AgentFeeRate']))
    throw new PublicError('topup_unconfigured');
  const minimum = options.AgentMinWithdraw;
  if (amount < minimum) throw new PublicError('withdrawal_amount_low', { minimum: moneyText(minimum) });
  if (method === 'quota') return { amount, fee: 0, net: amount, quota: quotaFor(options, amount) };
  const scale = BigInt(nano);
  const fee = Number((BigInt(amount) * BigInt(parseNano(options.AgentFeeRate) ?? 0) + scale - 1n) / scale);
  if (fee >= amount) throw new PublicError('withdrawal_fee_whole');
  return { amount, fee, net: amount - fee, quota: 0 };
}

/** At the price that customers pay. */
function quotaFor({ Price, QuotaPerUnit }: Pick<Options, 'Price' | 'QuotaPerUnit'>, cents: number): number {
  const priceNano = BigInt(parseNano(Price) ?? 0);
  if (priceNano === 0n) throw new PublicError('withdrawal_quota_high');
  const quota = (BigInt(cents) * BigInt(QuotaPerUnit) * BigInt(nano)) / (priceNano * 100n);
  if (quota === 0n) throw new PublicError('withdrawal_quota_low');
  if (quota > BigInt(Number.MAX_SAFE_INTEGER)) throw new PublicError('withdrawal_quota_high');
  return Number(quota);
}

export interface NewWithdrawal {
  agent: { id: number; username: string };
  wish: WithdrawalWish;
  options: Options;
  /** Unix seconds. */
  now: number;
}

/**
 * Takes an amount out of the balance: into an open withdrawal, or at once into the agent's quota. Answers the row's id.
 * Throws PublicError `agent_missing`, `agent_suspended`, `withdrawal_...`.
 */
export async function withdraw(tx: Transaction, { agent, wish, options, now }: NewWithdrawal): Promise<number> {
  const { amount, method } = wish;
  await lockActive(tx, agent.id);
  const payee = payeeOf(wish);
  const { fee, quota } = quoteWithdrawal(options, wish);
  const isConversion = method === 'quota';
  if (!isConversion && (await countOpen(tx, agent.id)) >= options.AgentMaxPending) throw new PublicError('withdrawal_pending');
  if ((await agentBalance(tx, agent.id)) < amount) throw new PublicError('withdrawal_balance_low');
  const status = isConversion ? withdrawalStatus.paid : withdrawalStatus.pending;
  const common = { agent_id: agent.id, amount, fee, method, remark: wish.remark, ...payee, quota, status };
  const { id } = await tx.query
    .insertInto('agent_withdrawal')
    .values({ ...common, created_at: now, updated_at: now, finished_at: isConversion ? now : 0 })
    .returning('id')
    .executeTakeFirstOrThrow();
  const { balance, withdrawing } = agentAccounts(agent.id);
  const whose = { agentId: agent.id, actorId: agent.id, now };
  if (isConversion) {
    await moveCents(tx, { from: balance, to: payoutSink, amount, kind: 'conversion', ref: `withdrawal:${id}:payout`, ...whose });
    await creditQuota(tx, { id, agent, quota, options, now });
  } else {
    await moveCents(tx, { from: balance, to: withdrawing, amount, kind: 'withdrawal', ref: `withdrawal:${id}`, ...whose });
  }
  return id;
}

/** Withdrawals of one agent come one after the other. */
async function lockActive(tx: Transaction, agentId: number): Promise<void> {
  const row = await tx.query
    .updateTable('agent')
    .set((column) => ({ updated_at: column.ref('updated_at') }))
    .where('user_id', '=', agentId)
    .returning('status')
    .executeTakeFirst();
  if (row?.status === agentStatus.suspended) throw new PublicError('agent_suspended');
  if (row?.status !== agentStatus.active) throw new PublicError('agent_missing');
}

function payeeOf({ method, payee_name, payee_account, bank_name }: WithdrawalWish) {
  if (method === 'quota') return { payee_name: '', payee_account: '', bank_name: '' };
  if (payee_name === '' || payee_account === '' || (method === 'bank' && bank_name === '')) {
    throw new PublicError('withdrawal_payee_missing');
  }
  const { length } = [...payee_name];
  if (length < nameLength.least || length > nameLength.most) throw new PublicError('withdrawal_payee_name');
  return { payee_name, payee_account, bank_name: method === 'bank' ? bank_name : '' };
}

function countOpen(tx: Transaction, agentId: number): Promise<number> {
  const own = tx.query.selectFrom('agent_withdrawal').where('agent_id', '=', agentId);
  return countRows(own.where('status', 'in', openWithdrawals));
}

interface Credit extends Pick<NewWithdrawal, 'agent' | 'options' | 'now'> {
  id: number;
  quota: number;
}

async function creditQuota(tx: Transaction, { id, agent, quota, options, now }: Credit): Promise<void> {
  const movement = { from: 'grant', to: `user:${agent.id}`, amount: quota, kind: 'conversion' } as const;
  const ref = `withdrawal:${id}:quota`;
  await tx.perform(transfer({ ...movement, ref, userId: agent.id, actorId: agent.id, now, note: '' }));
  const content = `代理分红兑换额度 ${formatLogQuota(quota, options)}`;
  await logBalanceChange(tx, { type: logType.system, userId: agent.id, username: agent.username, now, content });
}

/** The agent's own: while nobody claimed it. Throws PublicError `withdrawal_not_found`, `withdrawal_changed`. */
export async function cancelWithdrawal(tx: Transaction, id: number, agentId: number, now: number): Promise<void> {
  const row = await tx.query
    .updateTable('agent_withdrawal')
    .set({ status: withdrawalStatus.cancelled, updated_at: now, finished_at: now })
    .where('id', '=', id)
    .where('agent_id', '=', agentId)
    .where('status', '=', withdrawalStatus.pending)
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) return giveBack(tx, row, agentId, now);
  const found = tx.query.selectFrom('agent_withdrawal').select('id').where('id', '=', id).where('agent_id', '=', agentId);
  const exists = (await found.executeTakeFirst()) !== undefined;
  throw new PublicError(exists ? 'withdrawal_changed' : 'withdrawal_not_found');
}

/** To the balance, from a withdrawal that was closed without a payout. */
async function giveBack(tx: Transaction, row: Withdrawal, actorId: number, now: number): Promise<void> {
  const { balance, withdrawing } = agentAccounts(row.agent_id);
  const move = { from: withdrawing, to: balance, amount: row.amount, kind: 'withdrawal', now } as const;
  await moveCents(tx, { ...move, ref: `withdrawal:${row.id}:return`, agentId: row.agent_id, actorId });
}

/** Who deals with a withdrawal. */
export interface Handler {
  actorId: number;
  /** Root may end what others claimed. */
  isRoot: boolean;
  now: number;
}

/** claim 1 -> 4. False: the state has changed, as with all of these. */
export async function claimWithdrawal(tx: Transaction, id: number, { actorId, now }: Handler): Promise<boolean> {
  const { numUpdatedRows } = await tx.query
    .updateTable('agent_withdrawal')
    .set({ status: withdrawalStatus.processing, reviewer_id: actorId, updated_at: now })
    .where('id', '=', id)
    .where('status', '=', withdrawalStatus.pending)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** release 4 -> 1. */
export async function releaseWithdrawal(tx: Transaction, id: number, handler: Handler): Promise<boolean> {
  const { numUpdatedRows } = await tx.query
    .updateTable('agent_withdrawal')
    .set({ status: withdrawalStatus.pending, reviewer_id: 0, updated_at: handler.now })
    .where('id', '=', id)
    .where('status', '=', withdrawalStatus.processing)
    .where('reviewer_id', handler.isRoot ? '>=' : '=', handler.isRoot ? 0 : handler.actorId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** pay 1/4 -> 2: the money left, with the reference of its payout. */
export async function payWithdrawal(tx: Transaction, id: number, handler: Handler, reference: string): Promise<boolean> {
  const row = await closeOpen(tx, id, handler, { status: withdrawalStatus.paid, reference });
  if (row === undefined) return false;
  const from = agentAccounts(row.agent_id).withdrawing;
  const move = { from, kind: 'payout', now: handler.now, agentId: row.agent_id, actorId: handler.actorId } as const;
  await moveCents(tx, { ...move, to: payoutSink, amount: row.amount - row.fee, ref: `withdrawal:${id}:payout` });
  if (row.fee > 0) await moveCents(tx, { ...move, to: feeSink, amount: row.fee, ref: `withdrawal:${id}:fee` });
  return true;
}

/** reject 1/4 -> 3: the amount comes back. */
export async function rejectWithdrawal(tx: Transaction, id: number, handler: Handler, reason: string): Promise<boolean> {
  const row = await closeOpen(tx, id, handler, { status: withdrawalStatus.rejected, reject_reason: reason });
  if (row !== undefined) await giveBack(tx, row, handler.actorId, handler.now);
  return row !== undefined;
}

function closeOpen(
  tx: Transaction,
  id: number,
  { actorId, isRoot, now }: Handler,
  set: { status: number; reference?: string; reject_reason?: string },
): Promise<Withdrawal | undefined> {
  let open = tx.query
    .updateTable('agent_withdrawal')
    .set({ ...set, reviewer_id: actorId, updated_at: now, finished_at: now })
    .where('id', '=', id)
    .where('status', 'in', openWithdrawals);
  if (!isRoot) {
    open = open.where((where) => where.or([where('status', '=', withdrawalStatus.pending), where('reviewer_id', '=', actorId)]));
  }
  return open.returningAll().executeTakeFirst();
}
