import { describe, expect, test } from 'vitest';
import { type AgentStep, agentWorld } from '../../test/agent-kit.ts';
import { type ApiKit, createApiKit } from '../../test/api-kit.ts';
import { unlockTable } from '../../test/append-only.ts';
import { onEachEngine } from '../../test/engines.ts';
import { setUpPayments } from '../../test/payment-kit.ts';
import type { Transaction } from '../storage/database.ts';
import { agentChecks } from './prove-agents.ts';
import { proveBalances } from './reconcile.ts';

/** One agent, after all that can happen: the ids of what is there, by what became of it. */
interface Scene {
  agentId: number;
  dividends: { settled: number; maturing: number };
  withdrawals: { open: number; paid: number; converted: number };
}

interface Fault {
  check: string;
  what: string;
  plant(tx: Transaction, scene: Scene): Promise<unknown>;
  /** The first difference as the page tells it. */
  told(scene: Scene): string;
}

/** A movement that never happened, as the books see it. */
const hideRef = (tx: Transaction, ref: string) =>
  tx.query
    .updateTable('transfer')
    .set({ ref: `hidden:${ref}` })
    .where('ref', '=', ref)
    .execute();
/** A movement that went elsewhere. */
const divert = (tx: Transaction, ref: string) =>
  tx.query.updateTable('transfer').set({ to_account: 'payout:elsewhere' }).where('ref', '=', ref).execute();

const faults: readonly Fault[] = [
  {
    check: 'dividends_booked',
    what: 'a dividend that was never booked',
    plant: (tx, { dividends }) => hideRef(tx, `dividend:${dividends.maturing}`),
    told: ({ dividends }) => `dividend:${dividends.maturing}: 0 instead of 300`,
  },
  {
    check: 'dividends_booked',
    what: 'a settled dividend that never matured',
    plant: (tx, { dividends }) => hideRef(tx, `dividend:${dividends.settled}:mature`),
    told: ({ dividends }) => `dividend:${dividends.settled}:mature: 0 instead of 1`,
  },
  {
    check: 'dividends_booked',
    what: 'a dividend in a state that its figures deny',
    plant: (tx, { dividends }) =>
      tx.query.updateTable('agent_dividend').set({ status: 2 }).where('id', '=', dividends.settled).execute(),
    told: ({ dividends }) => `dividend:${dividends.settled} status: 2 instead of 1`,
  },
  {
    check: 'dividends_pending',
    what: 'a movement back that did not leave what matures',
    plant: (tx, { agentId }) =>
      tx.query
        .updateTable('transfer')
        .set({ from_account: 'payout:elsewhere' })
        .where('from_account', '=', `agent:${agentId}:pending`)
        .where('kind', '=', 'reversal')
        .execute(),
    told: ({ agentId }) => `agent:${agentId}:pending: 300 instead of 200`,
  },
  {
    check: 'dividends_reversed',
    what: 'a movement back that went elsewhere',
    plant: (tx, { dividends }) => divert(tx, `dividend:${dividends.maturing}:reverse:100`),
    told: ({ agentId }) => `agent:${agentId} reversed: 0 instead of 100`,
  },
  {
    check: 'agents_balance',
    what: 'a matured dividend that went elsewhere',
    plant: (tx, { dividends }) => divert(tx, `dividend:${dividends.settled}:mature`),
    told: ({ agentId }) => `agent:${agentId}: -1000 instead of 500`,
  },
  {
    check: 'agents_balance',
    what: 'money that an agent got for nothing',
    plant: (tx, { agentId }) => {
      const accounts = { from_account: 'dividend', to_account: `agent:${agentId + 1}`, unit: 'cent', kind: 'dividend' };
      const rest = { amount: 7, ref: 'gift', user_id: agentId + 1, actor_id: 0, created_at: 1, note: '' };
      return tx.query
        .insertInto('transfer')
        .values({ ...accounts, ...rest })
        .execute();
    },
    told: ({ agentId }) => `agent:${agentId + 1}: 7 instead of 0`,
  },
  {
    check: 'withdrawals_open',
    what: 'an asked amount that is not where it waits',
    plant: (tx, { withdrawals }) => divert(tx, `withdrawal:${withdrawals.open}`),
    told: ({ agentId }) => `agent:${agentId}:withdrawing: 0 instead of 300`,
  },
  {
    check: 'withdrawals_paid',
    what: 'a payout that never left',
    plant: (tx, { withdrawals }) => hideRef(tx, `withdrawal:${withdrawals.paid}:payout`),
    told: ({ withdrawals }) => `withdrawal:${withdrawals.paid}:payout: 0 instead of 396`,
  },
  {
    check: 'withdrawals_paid',
    what: 'a fee that is not the one that was kept',
    plant: (tx, { withdrawals }) => hideRef(tx, `withdrawal:${withdrawals.paid}:fee`),
    told: ({ withdrawals }) => `withdrawal:${withdrawals.paid}:fee: 0 instead of 4`,
  },
  {
    check: 'withdrawals_paid',
    what: 'quota that never came',
    plant: (tx, { withdrawals }) => hideRef(tx, `withdrawal:${withdrawals.converted}:quota`),
    told: ({ withdrawals }) => `withdrawal:${withdrawals.converted}:quota: 0 instead of 200000`,
  },
];

/** Earned 1500, settled, and 300 that mature, of them 100 taken back; 400 paid out, 300 converted, 300 asked for. */
async function tellStory(kit: ApiKit): Promise<Scene> {
  const agents = {
    AgentEnabled: 'true',
    AgentMinWithdraw: '1',
    AgentFeeRate: '0.01',
    AgentMaxPending: '2',
    AgentMatureDays: '3',
  };
  await setUpPayments(kit, { ...agents, Price: '7.5', QuotaPerUnit: '500000' });
  const world = await agentWorld(kit);
  const [agentId = 0] = world.agents;
  const play = (kind: AgentStep['kind'], cents = 1, pick = 0) => world.play({ kind, pick, cents, flag: true });
  // 30 % of 50.00 and of 10.00; amounts asked for are 1 + what is said.
  await play('pay', 4500);
  await play('mature');
  await play('withdraw', 99);
  await play('cancel');
  await play('withdraw', 99);
  await play('reject');
  await play('withdraw', 399);
  await play('claim');
  await play('payout');
  await play('convert', 299);
  await play('withdraw', 299);
  await play('pay', 500, 2);
  await play('refund', 333, 1);
  return { agentId, ...(await found(kit, agentId)) };
}

async function found({ db }: ApiKit, agentId: number): Promise<Omit<Scene, 'agentId'>> {
  const dividends = await db.read.selectFrom('agent_dividend').selectAll().where('agent_id', '=', agentId).execute();
  const withdrawals = await db.read.selectFrom('agent_withdrawal').selectAll().where('agent_id', '=', agentId).execute();
  const idOf = <Row extends { id: number }>(rows: readonly Row[], test: (row: Row) => boolean) => rows.find(test)?.id ?? 0;
  return {
    dividends: {
      settled: idOf(dividends, (row) => row.settled_at > 0),
      maturing: idOf(dividends, (row) => row.settled_at === 0),
    },
    withdrawals: {
      open: idOf(withdrawals, ({ status }) => status === 1),
      paid: idOf(withdrawals, ({ status, method }) => status === 2 && method === 'alipay'),
      converted: idOf(withdrawals, ({ method }) => method === 'quota'),
    },
  };
}

onEachEngine((_name, open) => {
  describe('the proof of what agents own', () => {
    test('of a difference in one row exactly the check that compares it turns red, and names it', async () => {
      const kit = await createApiKit(await open());
      const scene = await tellStory(kit);
      const red = async () =>
        (await proveBalances(kit.db)).flatMap(({ ok, name, first_difference }) => (ok ? [] : [`${name}: ${first_difference}`]));
      expect(await red()).toEqual([]);
      await unlockTable(kit.db, 'transfer');
      for (const { check, what, plant, told } of faults) {
        const before = await rowsOf(kit);
        await kit.db.transaction((tx) => plant(tx, scene));
        expect({ what, red: await red() }).toEqual({ what, red: [`${check}: ${told(scene)}`] });
        await putBack(kit, before);
        expect({ what, red: await red() }).toEqual({ what, red: [] });
      }
      // Every check of agents was seen red.
      expect(new Set(faults.map(({ check }) => check))).toEqual(new Set(agentChecks.map(({ name }) => name)));
    });
  });
});

async function rowsOf({ db }: ApiKit) {
  const [transfers, dividends] = await Promise.all([
    db.read.selectFrom('transfer').selectAll().execute(),
    db.read.selectFrom('agent_dividend').selectAll().execute(),
  ]);
  return { transfers, dividends };
}

async function putBack({ db }: ApiKit, { transfers, dividends }: Awaited<ReturnType<typeof rowsOf>>): Promise<void> {
  await db.transaction(async (tx) => {
    const known = transfers.map(({ id }) => id);
    await tx.query.deleteFrom('transfer').where('id', 'not in', known).execute();
    for (const { id, ...row } of transfers) await tx.query.updateTable('transfer').set(row).where('id', '=', id).execute();
    for (const { id, ...row } of dividends) await tx.query.updateTable('agent_dividend').set(row).where('id', '=', id).execute();
  });
}
