import { agentStatus, dividendStatus, userStatus } from '@tollgate/contract';
import type { Options } from '../settings/index.ts';
import type { Transaction } from '../storage/database.ts';
import { agentAccounts, dividendSource, moveCents } from './agent-money.ts';
import { nano, parseNano } from './decimal.ts';
import { centsOf } from './topup-money.ts';

/** The currency that agents' accounts are in: that of the form gateway. */
export const agentCurrency = 'cny';

/** A customer's order that was paid just now. */
export interface DividendSource {
  order: { id: number; tradeNo: string };
  /** Who was credited. */
  userId: number;
  quota: number;
  /** What was paid. */
  cents: number;
  currency: string;
  options: Options;
  /** Unix seconds. */
  now: number;
}

const daySeconds = 86_400;

/**
 * Books the share of the agent who brought the customer, where there is one: perform it in the transaction that credits the
 * order. Rounded down; what is less than a cent is nothing.
 */
export async function earnDividend(tx: Transaction, source: DividendSource): Promise<void> {
  const { order, userId, options, now } = source;
  if (!options.AgentEnabled) return;
  const agent = await agentOf(tx, userId);
  if (agent === undefined) return;
  const rateNano = agent.rateNano ?? defaultRate(options);
  const money = paidCents(source, agent.group);
  const amount = shareOf(money, rateNano);
  if (amount === 0) return;
  const { id } = await tx.query
    .insertInto('agent_dividend')
    .values({
      ...{ agent_id: agent.id, user_id: userId, topup_id: order.id, trade_no: order.tradeNo },
      ...{ topup_money: money, rate_nano: rateNano, amount, status: dividendStatus.pending },
      ...{ mature_at: now + options.AgentMatureDays * daySeconds, created_at: now },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const move = { from: dividendSource, to: agentAccounts(agent.id).pending, amount, kind: 'dividend', now } as const;
  await moveCents(tx, { ...move, ref: `dividend:${id}`, agentId: agent.id, actorId: userId, note: order.tradeNo });
  if (options.AgentMatureDays === 0) await matureOne(tx, id, now);
}

/** The site's rate, scaled by 1e9. */
export function defaultRate(options: Pick<Options, 'AgentDefaultRate'>): number {
  return parseNano(options.AgentDefaultRate) ?? 0;
}

function shareOf(cents: number, rateNano: number): number {
  return Number((BigInt(cents) * BigInt(rateNano)) / BigInt(nano));
}

/** Payments in another currency count as what the same quota costs the customer's group in the agents' currency. */
function paidCents({ cents, currency, quota, options }: DividendSource, group: string): number {
  return currency === agentCurrency ? cents : Number(centsOf(options, { quota: BigInt(quota), group, price: options.Price }));
}

interface Earning {
  readonly id: number;
  readonly rateNano: number | null;
  /** The customer's. */
  readonly group: string;
}

/** The active agent whose link a customer came by; one who left or is banned earns nothing. */
async function agentOf(tx: Transaction, userId: number): Promise<Earning | undefined> {
  const row = await tx.query
    .selectFrom('users')
    .innerJoin('agent', 'agent.user_id', 'users.inviter_id')
    .innerJoin('users as owner', 'owner.id', 'agent.user_id')
    .select(['agent.user_id', 'agent.rate_nano', 'users.group_name'])
    .where('users.id', '=', userId)
    .where('agent.status', '=', agentStatus.active)
    .where('owner.deleted_at', 'is', null)
    .where('owner.status', '=', userStatus.enabled)
    .executeTakeFirst();
  return row && { id: row.user_id, rateNano: row.rate_nano, group: row.group_name };
}

/** An order of which a part, or all, was given back: `part` of `whole`, in all so far. */
export interface Reversal {
  topupId: number;
  part: number;
  whole: number;
  actorId: number;
  now: number;
}

/** Takes back what a refunded order had brought: from what matures, else from the balance, which may go below 0. */
export async function reverseDividend(tx: Transaction, { topupId, part, whole, actorId, now }: Reversal): Promise<void> {
  // An update that changes nothing locks the row: it does not mature meanwhile.
  const row = await tx.query
    .updateTable('agent_dividend')
    .set((column) => ({ reversed: column.ref('reversed') }))
    .where('topup_id', '=', topupId)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return;
  const left = Number((BigInt(row.topup_money) * BigInt(whole - part)) / BigInt(whole));
  const reversed = row.amount - shareOf(left, row.rate_nano);
  if (reversed <= row.reversed) return;
  const isWhole = reversed === row.amount;
  await tx.query
    .updateTable('agent_dividend')
    .set({ reversed, ...(isWhole ? { status: dividendStatus.reversed } : {}) })
    .where('id', '=', row.id)
    .execute();
  const accounts = agentAccounts(row.agent_id);
  const from = row.settled_at === 0 ? accounts.pending : accounts.balance;
  const move = { from, to: dividendSource, amount: reversed - row.reversed, kind: 'reversal', now } as const;
  const ref = `dividend:${row.id}:reverse:${reversed}`;
  await moveCents(tx, { ...move, ref, agentId: row.agent_id, actorId, note: row.trade_no });
}

/** Makes dividends withdrawable whose days are over by `due`, oldest first; answers how many. Call again while that is `limit`. */
export async function matureDividends(tx: Transaction, at: { now: number; due: number }, limit: number): Promise<number> {
  const dividends = await tx.query
    .selectFrom('agent_dividend')
    .select('id')
    .where('status', '=', dividendStatus.pending)
    .where('mature_at', '<=', at.due)
    .orderBy('mature_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  for (const { id } of dividends) await matureOne(tx, id, at.now);
  return dividends.length;
}

/** Once: another node, or a reversal, may have been faster. */
async function matureOne(tx: Transaction, id: number, now: number): Promise<void> {
  const row = await tx.query
    .updateTable('agent_dividend')
    .set({ status: dividendStatus.settled, settled_at: now })
    .where('id', '=', id)
    .where('status', '=', dividendStatus.pending)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return;
  const { balance, pending } = agentAccounts(row.agent_id);
  const move = { from: pending, to: balance, amount: row.amount - row.reversed, kind: 'maturing', now } as const;
  await moveCents(tx, { ...move, ref: `dividend:${id}:mature`, agentId: row.agent_id, actorId: 0, note: row.trade_no });
}
