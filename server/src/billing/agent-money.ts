import type { AgentMoney } from '@tollgate/contract';
import type { Kysely } from 'kysely';
import type { Transaction } from '../storage/database.ts';
import type { Schema } from '../storage/schema.ts';
import { accountBalance, transfer } from './accounts.ts';
import type { TransferRequest } from './types.ts';

/** What agents are paid from, where payouts go, and the part of them that the site keeps; all in cents. */
export const dividendSource = 'dividend';
export const payoutSink = 'payout';
export const feeSink = 'payout:fee';

/** The accounts of one agent: withdrawable, maturing, in open withdrawals. */
export function agentAccounts(agentId: number): { balance: string; pending: string; withdrawing: string } {
  const balance = `agent:${agentId}`;
  return { balance, pending: `${balance}:pending`, withdrawing: `${balance}:withdrawing` };
}

export type CentMove = Pick<TransferRequest, 'from' | 'to' | 'amount' | 'kind' | 'ref' | 'now'> & {
  agentId: number;
  actorId: number;
  note?: string;
};

/** A movement of an agent's money; a ref that was booked before is a fault of ours, because every transition is guarded. */
export async function moveCents(tx: Transaction, { agentId, note = '', ...move }: CentMove): Promise<void> {
  const isNew = await tx.perform(transfer({ ...move, userId: agentId, note }));
  if (!isNew) throw new Error(`The ref ${move.ref} was booked before`);
}

/** What may be withdrawn; call it while the agent's row is locked. */
export function agentBalance(tx: Transaction, agentId: number): Promise<number> {
  return tx.perform(accountBalance(agentAccounts(agentId).balance));
}

/** What agents own and what came of their earnings, from the transfers alone. Who never earned is absent. */
export async function moneyOfAgents(read: Kysely<Schema>, agentIds: readonly number[]): Promise<ReadonlyMap<number, AgentMoney>> {
  const found = new Map<number, AgentMoney>();
  if (agentIds.length === 0) return found;
  for (const flow of await flowsOf(read, agentIds)) {
    const money = found.get(flow.userId) ?? nothingEarned();
    addFlow(money, flow);
    found.set(flow.userId, money);
  }
  return found;
}

/** The same of all agents together. */
export async function moneyOfAllAgents(read: Kysely<Schema>): Promise<AgentMoney> {
  const money = nothingEarned();
  for (const flow of await flowsOf(read)) addFlow(money, flow);
  return money;
}

export function nothingEarned(): AgentMoney {
  return { balance: 0, pending: 0, withdrawing: 0, total_earned: 0, total_reversed: 0, total_withdrawn: 0 };
}

interface Flow {
  userId: number;
  from: string;
  to: string;
  total: number;
}

async function flowsOf(read: Kysely<Schema>, agentIds?: readonly number[]): Promise<Flow[]> {
  let rows = read
    .selectFrom('transfer')
    .select(['user_id', 'from_account', 'to_account', (sum) => sum.fn.sum<number | string>('amount').as('total')])
    .where('unit', '=', 'cent');
  if (agentIds !== undefined) rows = rows.where('user_id', 'in', [...agentIds]);
  const sums = await rows.groupBy(['user_id', 'from_account', 'to_account']).execute();
  return sums.map((row) => ({ userId: row.user_id, from: row.from_account, to: row.to_account, total: Number(row.total) }));
}

function addFlow(money: AgentMoney, { userId, from, to, total }: Flow): void {
  const accounts = agentAccounts(userId);
  for (const name of ['balance', 'pending', 'withdrawing'] as const) {
    if (to === accounts[name]) money[name] += total;
    if (from === accounts[name]) money[name] -= total;
  }
  if (from === dividendSource) money.total_earned += total;
  if (to === dividendSource) money.total_reversed += total;
  if (to === payoutSink || to === feeSink) money.total_withdrawn += total;
}
