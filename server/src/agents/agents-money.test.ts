import { role, type WithdrawalAction, withdrawalStatus } from '@tollgate/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentStory, agentWorld, booksOf } from '../../test/agent-kit.ts';
import { createApiKit } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { setUpPayments } from '../../test/payment-kit.ts';
import { proveLedger } from '../billing/reconcile.ts';
import { commandLineManager } from '../identity/index.ts';

const timeoutMs = 300_000;

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
