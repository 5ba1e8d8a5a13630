import { role, withdrawalStatus } from '@tollgate/contract';
import fc from 'fast-check';
import { moneyOfAgents, nothingEarned, openWallet } from '../src/billing/index.ts';
import { settleRefund } from '../src/billing/topup-refund.ts';
import { settlePaid } from '../src/billing/topup-settle.ts';
import { blankUser } from '../src/identity/registration.ts';
import { PublicError } from '../src/platform/errors.ts';
import type { ApiKit } from './api-kit.ts';

/** What may happen to agents. Numbers are picks: they select one of what exists at that moment. */
export interface AgentStep {
  kind:
    | 'pay'
    | 'refund'
    | 'reverse'
    | 'mature'
    | 'withdraw'
    | 'convert'
    | 'cancel'
    | 'claim'
    | 'release'
    | 'payout'
    | 'reject'
    | 'suspend';
  pick: number;
  cents: number;
  /** Which of two administrators, and which currency. */
  flag: boolean;
}

const weights: Record<AgentStep['kind'], number> = {
  ...{ pay: 8, refund: 2, reverse: 2, mature: 6, withdraw: 7, convert: 2, cancel: 2 },
  ...{ claim: 4, release: 2, payout: 5, reject: 3, suspend: 1 },
};

const step: fc.Arbitrary<AgentStep> = fc.record({
  kind: fc.oneof(
    ...Object.entries(weights).map(([name, weight]) => ({ arbitrary: fc.constant(name as AgentStep['kind']), weight })),
  ),
  // Few, so that steps at the same time often mean the same thing.
  pick: fc.nat(3),
  cents: fc.integer({ min: 1, max: 5000 }),
  flag: fc.boolean(),
});

/** Steps of one list happen at the same time. */
export const agentStory: fc.Arbitrary<AgentStep[][]> = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), {
  minLength: 15,
  maxLength: 30,
});

/** Two agents with two customers each, and two administrators, all new; `play` makes one step, refusals included. */
export interface AgentWorld {
  agents: readonly number[];
  play(step: AgentStep): Promise<void>;
}

let counter = 0;

export async function agentWorld(kit: ApiKit): Promise<AgentWorld> {
  const now = () => Math.floor(kit.clock.nowMs() / 1000);
  const newUser = (more: { role?: number; inviter_id?: number } = {}) => {
    counter += 1;
    const username = `person${counter}`;
    return kit.db.transaction(async (tx) => {
      const row = {
        ...blankUser(now()),
        username,
        display_name: username,
        aff_code: `aff${counter}`,
        password_hash: '',
        ...more,
      };
      const { id } = await tx.query.insertInto('users').values(row).returning('id').executeTakeFirstOrThrow();
      await tx.perform(openWallet(id));
      return { id, username, ip: '' };
    });
  };
  const [left, right] = [await newUser({ role: role.admin }), await newUser({ role: role.admin })];
  const root = { id: 1, username: 'root', ip: '', role: role.root };
  const agents = [await newUser(), await newUser()];
  for (const { id } of agents) await kit.deps.agents.all.review(root, id, { status: 1, commission_rate: 0.3 });
  const customers: number[] = [];
  for (const { id } of [...agents, ...agents]) customers.push((await newUser({ inviter_id: id })).id);
  const orders: { id: number; ref: string; cents: number; back: number }[] = [];

  const { own, all } = kit.deps.agents;
  const agentOf = ({ pick }: AgentStep) => agents[pick % agents.length] ?? root;
  const withdrawalOf = async ({ pick }: AgentStep) => {
    const ids = agents.map(({ id }) => id);
    const rows = await kit.db.read
      .selectFrom('agent_withdrawal')
      .select(['id', 'agent_id'])
      .where('agent_id', 'in', ids)
      .orderBy('id', 'desc')
      .limit(3)
      .execute();
    return rows[pick % Math.max(1, rows.length)];
  };
  const manage = async (step: AgentStep, action: 'claim' | 'release' | 'pay' | 'reject') => {
    const row = await withdrawalOf(step);
    const reviewer = { ...(step.flag ? left : right), role: role.admin };
    if (row !== undefined) await all.manage(reviewer, row.id, { action, reference: 'T1', reason: 'no' });
  };
  const pay = async ({ pick, cents: few, flag }: AgentStep) => {
    counter += 1;
    const cents = 500 + few;
    const [tradeNo, ref] = [`TRADE${counter}`, `pi_${counter}`];
    const currency = flag ? 'cny' : 'usd';
    const userId = customers[pick % customers.length] ?? 0;
    const money = { quota: cents * 1000, money_cents: cents, currency };
    const times = { created_at: now(), expires_at: now() + 9999 };
    const row = {
      user_id: userId,
      provider: 'stripe',
      method: 'stripe',
      trade_no: tradeNo,
      amount: 1,
      ...money,
      state: 'pending',
      ...times,
    };
    const { id } = await kit.db.transaction((tx) =>
      tx.query.insertInto('topup_order').values(row).returning('id').executeTakeFirstOrThrow(),
    );
    const paid = { says: 'paid', tradeNo, method: '', cents, currency, providerRef: ref } as const;
    const context = { provider: 'stripe', options: kit.deps.settings.current(), now: now(), events: [] };
    // Told twice at the same moment, as services do.
    await Promise.all([1, 2].map(() => kit.db.transaction((tx) => settlePaid(tx, paid, context))));
    orders.push({ id, ref, cents, back: 0 });
  };
  const orderOf = ({ pick }: AgentStep) => orders[pick % Math.max(1, orders.length)];
  const refund = async (step: AgentStep) => {
    const order = orderOf(step);
    if (order === undefined) return;
    order.back = Math.min(order.cents, order.back + step.cents);
    const told = {
      says: 'refund',
      providerRef: order.ref,
      cents: order.back,
      currency: 'cny',
      eventId: `ev${order.back}`,
    } as const;
    const context = { provider: 'stripe', options: kit.deps.settings.current(), now: now(), events: [] };
    await kit.db.transaction((tx) => settleRefund(tx, told, context));
  };
  const acts: Record<AgentStep['kind'], (step: AgentStep) => Promise<unknown>> = {
    pay,
    refund,
    reverse: async (step) => {
      const order = orderOf(step);
      if (order !== undefined) await kit.deps.topups.reverse({ orderId: order.id, actor: left, role: role.admin, reason: 'x' });
    },
    mature: async ({ flag }) => {
      kit.clock.advanceMs(3 * 86_400_000);
      await Promise.all((flag ? [1, 2] : [1]).map(() => kit.deps.agents.mature()));
    },
    withdraw: (step) => {
      const payee = { payee_name: 'Lin', payee_account: 'x', bank_name: '', remark: '' };
      return own.withdraw(agentOf(step), { amount: 1 + (step.cents % 400), method: 'alipay', ...payee });
    },
    convert: (step) => {
      const payee = { payee_name: '', payee_account: '', bank_name: '', remark: '' };
      return own.withdraw(agentOf(step), { amount: 1 + (step.cents % 400), method: 'quota', ...payee });
    },
    cancel: async (step) => {
      const row = await withdrawalOf(step);
      const owner = agents.find(({ id }) => id === row?.agent_id);
      if (row !== undefined && owner !== undefined) await own.cancel(owner, row.id);
    },
    claim: (step) => manage(step, 'claim'),
    release: (step) => manage(step, 'release'),
    payout: (step) => manage(step, 'pay'),
    reject: (step) => manage(step, 'reject'),
    suspend: async (step) => {
      const { id } = agentOf(step);
      await all.review(root, id, { status: step.flag ? 3 : 1 });
      if (step.flag) await all.review(root, id, { status: 1 });
    },
  };
  return {
    agents: agents.map(({ id }) => id),
    async play(step) {
      await acts[step.kind](step).catch((error: unknown) => {
        if (!(error instanceof PublicError)) throw error;
      });
    },
  };
}

/** What an agent's rows say beside what the transfers say; both must be the same. */
export async function booksOf({ db }: ApiKit, agentId: number) {
  const dividends = await db.read.selectFrom('agent_dividend').selectAll().where('agent_id', '=', agentId).execute();
  const withdrawals = await db.read.selectFrom('agent_withdrawal').selectAll().where('agent_id', '=', agentId).execute();
  const sum = <Row>(rows: readonly Row[], of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);
  const isOpen = (status: number) => status === withdrawalStatus.pending || status === withdrawalStatus.processing;
  const rows = {
    total_earned: sum(dividends, (row) => row.amount),
    total_reversed: sum(dividends, (row) => row.reversed),
    pending: sum(dividends, (row) => (row.settled_at === 0 ? row.amount - row.reversed : 0)),
    withdrawing: sum(withdrawals, (row) => (isOpen(row.status) ? row.amount : 0)),
    total_withdrawn: sum(withdrawals, (row) => (row.status === withdrawalStatus.paid ? row.amount : 0)),
  };
  const balance = rows.total_earned - rows.total_reversed - rows.pending - rows.withdrawing - rows.total_withdrawn;
  const transfers = (await moneyOfAgents(db.read, [agentId])).get(agentId) ?? nothingEarned();
  return { rows: { ...rows, balance }, transfers };
}
