import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentStory, agentWorld, booksOf } from '../../test/agent-kit.ts';
import { createApiKit } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { setUpPayments } from '../../test/payment-kit.ts';
import { proveLedger } from '../billing/reconcile.ts';

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
  });
});
