import { describe, expect, it } from 'vitest';
import { whatIsMissing } from './bench.ts';
import { judged, run, timeoutMs } from './judged.ts';
import { readOptions } from './options.ts';

/** The aim, which both machines reach. */
const manyStreams = { count: 5_000, mostRssMb: 450 };
/** Chunks come each second. */
const stallMs = 3_000;
const missing = whatIsMissing();
if (missing !== undefined) console.warn(`streams skipped: ${missing}`);

describe.skipIf(missing !== undefined)('thousands of open streams', () => {
  it(
    'stay within their memory, and none of them stands still',
    async () => {
      const { figures } = judged(await run(readOptions(['--streams', String(manyStreams.count)]), () => false));
      const [streams] = figures;
      expect(streams?.chunksPerSecond.median).toBeGreaterThan(manyStreams.count * 0.95);
      expect(streams?.peakRssMb).toBeLessThanOrEqual(manyStreams.mostRssMb);
      expect(streams?.longestGapMs).toBeLessThan(stallMs);
    },
    timeoutMs,
  );
});
