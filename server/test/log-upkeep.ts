import { systemClock } from '../src/platform/clock.ts';
import { migrate } from '../src/storage/migrate.ts';
import { openDatabase } from '../src/storage/open.ts';
import { createRollup, createSealer } from '../src/usage/index.ts';

const worksModule = new URL('../src/billing/works.ts', import.meta.url);
const rowsPerStep = 10_000;

/** Postings and sums of a log that no server has open, made by the product's own jobs in large steps. Seconds of both. */
export async function makeUpkeep(dataDir: string, say: (text: string) => void): Promise<{ postings: number; sums: number }> {
  const db = await openDatabase({ url: undefined, dataDir, synchronous: 'NORMAL', worksModule });
  try {
    await migrate(db);
    const seconds = async (step: () => Promise<boolean>, what: string) => {
      const startedMs = performance.now();
      for (let count = 1; await step(); count += 1) if (count % 20 === 0) say(`${what}: ${count} steps`);
      return (performance.now() - startedMs) / 1000;
    };
    const sealer = createSealer({ db });
    const postings = await seconds(async () => (await sealer.seal(4)) > 0, 'postings');
    const rollup = createRollup({ db, clock: systemClock, node: 'bench', batch: rowsPerStep, stepMs: Number.POSITIVE_INFINITY });
    const sums = await seconds(async () => (await rollup.step()) === 'more', 'sums');
    return { postings, sums };
  } finally {
    await db.close();
  }
}
