import { expect, test } from 'vitest';
import { openBooks } from './support/books.ts';
import { gatewayOn, onEachEngine } from './support/engine.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { startLoad } from './support/load.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { eventually } from './support/wait.ts';

const cycles = process.env.TOLLGATE_SOAK === '1' ? 200 : 20;
const model = 'per-call';
const leases = { HOLD_LEASE_SECONDS: '2', HOLD_SWEEP_SECONDS: '1', HOLD_CHECKPOINT_SECONDS: '1' };

/** A fixed sequence, so that a failing run can be repeated. */
function delays(count: number): number[] {
  let state = 20_261_120;
  return Array.from({ length: count }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return 30 + (state % 250);
  });
}

onEachEngine((engine, _open, kit) => {
  test(
    `after ${cycles} kills every answered call is charged exactly once and no hold stays open`,
    async () => {
      const upstream = await startMockUpstream();
      let gateway: Gateway = await gatewayOn(kit, leases);
      const root = await gateway.root();
      await root.addChannel({ base_url: upstream.url, models: model });
      await root.setOption('ModelPrice', { [model]: 0.0002 });
      const { key } = await root.addToken();
      const answered = new Set<string>();

      for (const delayMs of delays(cycles)) {
        const load = startLoad({ url: gateway.url, key, model, parallel: 16 });
        // Killed only after the load runs: an idle kill proves nothing.
        await load.firstAnswer;
        await new Promise((resolve) => setTimeout(resolve, delayMs));
        await gateway.kill();
        for (const id of await load.stop()) answered.add(id);
        gateway = await startGateway(gateway.env);
      }

      const books = await openBooks(gateway);
      await eventually(async () => expect(await books.openHolds()).toBe(0), 15_000);
      const charges = await books.charges();
      const wrong = [...answered].filter((id) => charges.get(id)?.transfers !== 1 || charges.get(id)?.logRows !== 1);
      const proof = await (await gateway.root()).call<{ ok: boolean }>('GET', '/api/ledger/proof');
      console.log(`${engine}: ${cycles} kills, ${answered.size} answered calls, ${charges.size} charged`);
      await books.close();
      await gateway.stop();
      await upstream.close();
      expect(answered.size).toBeGreaterThan(cycles);
      expect(wrong).toEqual([]);
      expect(proof).toMatchObject({ ok: true });
    },
    60_000 + cycles * 10_000,
  );
});
