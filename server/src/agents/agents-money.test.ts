import { role, type WithdrawalAction, withdrawalStatus } from '@tollgate/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentStory, agentWorld, booksOf } from '../../test/agent-kit.ts';
import { type ApiKit, createApiKit } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { setUpPayments } from '../../test/payment-kit.ts';
import { proveLedger } from '../billing/reconcile.ts';
import { commandLineManager } from '../identity/index.ts';

const timeoutMs = 300_000;

/** This month and the one before: they follow on each other, end with what the agent has, and say what the days of earnings say. */
async function checkStatements(kit: ApiKit, agentId: number): Promise<void> {
  const { own } = kit.deps.agents;
  const time_zone = 'Asia/Kolkata';
  const read = (month: string) => own.statement({ user_id: agentId, username: '' }, { month, time_zone });
  const told = await read('');
  const { pending, balance, withdrawing } = (await booksOf(kit, agentId)).transfers;
  expect(told.closing).toBe(pending + balance + withdrawing);
  const before = await read(new Date((told.start - 86_400) * 1000).toISOString().slice(0, 7));
  expect([before.end, before.closing]).toEqual([told.start, told.opening]);
  for (const { start, end, opening, closing, movements } of [before, told]) {
    const range = { agent_id: agentId, start_timestamp: start, end_timestamp: end - 1, time_zone, offset: 0 };
    const days = await own.earnings(range);
    const [earned = 0, reversed = 0, withdrawn = 0] = (['earned', 'reversed', 'withdrawn'] as const).map((name) =>
      days.reduce((sum, day) => sum + day[name], 0),
    );
    const moved = (of: string) => movements.find(({ kind }) => kind === of)?.amount ?? 0;
    expect([moved('dividend'), moved('refund'), moved('withdrawal')]).toEqual([earned, 0 - reversed, 0 - withdrawn]);
    expect(opening + earned - reversed - withdrawn).toBe(closing);
  }
}

onEachEngine((name, open) => {
  describe('the money of agents', () => {
    test(
      'whatever happens in whatever order, also at once: earned = pending + balance + withdrawing + withdrawn + reversed, and the ledger is green',
      async () => {
        const kit = await createApiKit(await open());
        const agents = {
          AgentEnabled: 'true',
          AgentMinWithdraw: '1',
          AgentFeeRate: '0.007',
          AgentMaxPending: '2',
          AgentMatureDays: '3',
        };
        await setUpPayments(kit, { ...agents, InviteRebatePercent: '5', InviteRebateHoldDays: '1' });
        let turns = 0;
        await fc.assert(
          fc.asyncProperty(agentStory, async (story) => {
            const world = await agentWorld(kit);
            for (const steps of story) {
              await Promise.all(steps.map((step) => world.play(step)));
              for (const agentId of world.agents) {
                const { rows, transfers } = await booksOf(kit, agentId);
                expect(transfers).toEqual(rows);
                expect(Math.min(transfers.pending, transfers.withdrawing)).toBeGreaterThanOrEqual(0);
              }
              turns += 1;
            }
            const { checks } = await proveLedger(kit);
            expect(checks.filter(({ ok }) => !ok)).toEqual([]);
            for (const agentId of world.agents) await checkStatements(kit, agentId);
          }),
          { numRuns: name === 'sqlite' ? 12 : 8, endOnFailure: true },
        );
        expect(turns).toBeGreaterThan(100);
        // What it was about did happen.
        const done = await kit.db.read.selectFrom('agent_withdrawal').select('status').groupBy('status').execute();
        expect(done.length).toBeGreaterThanOrEqual(3);
        const kinds = await kit.db.read
          .selectFrom('transfer')
          .select('kind')
          .where('unit', '=', 'cent')
          .groupBy('kind')
          .execute();
        expect(kinds.map(({ kind }) => kind).sort()).toEqual([
          'conversion',
          'dividend',
          'maturing',
          'payout',
          'reversal',
          'withdrawal',
        ]);
      },
      timeoutMs,
    );

    test('what an agent had asked for is ended although the user is gone: paid, or back on the account, and the ledger is green', async () => {
      const kit = await createApiKit(await open());
      await setUpPayments(kit, { AgentEnabled: 'true', AgentMinWithdraw: '1', AgentFeeRate: '0.01', AgentMaxPending: '3' });
      const world = await agentWorld(kit);
      const [agentId = 0] = world.agents;
      const step = { pick: 0, cents: 5000, flag: true };
      for (const kind of ['pay', 'mature', 'mature', 'mature', 'withdraw', 'withdraw', 'withdraw'] as const) {
        await world.play({ ...step, kind });
      }
      const amount = 1 + (step.cents % 400);
      const balance = 1650 - 3 * amount;
      expect((await booksOf(kit, agentId)).transfers).toMatchObject({ balance, withdrawing: 3 * amount });
      await kit.deps.people.remove(commandLineManager, agentId);

      const boss = { id: 7001, username: 'boss', ip: '', role: role.admin };
      const other = { ...boss, id: 7002, username: 'other' };
      const { all } = kit.deps.agents;
      const manage = (reviewer: typeof boss, id: number, action: WithdrawalAction) =>
        all.manage(reviewer, id, { action, reference: 'T1', reason: 'gone' });
      const rows = kit.db.read.selectFrom('agent_withdrawal').select('id').where('agent_id', '=', agentId).orderBy('id');
      const [paid = 0, rejected = 0, released = 0] = (await rows.execute()).map(({ id }) => id);
      await expect(all.review(boss, agentId, { status: 1 })).rejects.toMatchObject({ code: 'agent_not_found' });
      await manage(boss, paid, 'claim');
      await expect(manage(other, paid, 'reject')).rejects.toMatchObject({ code: 'withdrawal_claimed' });
      expect(await manage(boss, paid, 'pay')).toMatchObject({ status: withdrawalStatus.paid, agent: '' });
      expect(await manage(other, rejected, 'reject')).toMatchObject({ status: withdrawalStatus.rejected });
      await manage(boss, released, 'claim');
      expect(await manage(boss, released, 'release')).toMatchObject({ status: withdrawalStatus.pending });
      const green = async (open: number) => {
        const { rows: said, transfers } = await booksOf(kit, agentId);
        expect(transfers).toEqual(said);
        const kept = { balance: balance + 2 * amount - open, withdrawing: open, total_withdrawn: amount };
        expect(transfers).toMatchObject(kept);
        expect(await all.summary()).toMatchObject(kept);
        expect((await proveLedger(kit)).checks.filter(({ ok }) => !ok)).toEqual([]);
      };
      await green(amount);
      await manage(other, released, 'reject');
      await green(0);
      // Nobody comes into it: numbers of users are not given twice.
      expect(Math.min(...(await agentWorld(kit)).agents)).toBeGreaterThan(agentId);
    });
  });
});
