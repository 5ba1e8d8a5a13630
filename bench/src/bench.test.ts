import { describe, expect, it } from 'vitest';
import { runBench, whatIsMissing } from './bench.ts';
import { quick } from './options.ts';
import { toMarkdown } from './report.ts';
import { summarize } from './summary.ts';

/** Times nginx's CPU in the same run: what we aim at, and what a change must not exceed. docs/performance.md has both. */
const aim = { perCall: 6, perChunk: 2 };
const guard = { perCall: 11, perChunk: 3.5 };
const timeoutMs = 90_000;
/** Early enough to stop everything that was started. */
const stopMs = 80_000;

const missing = whatIsMissing();
if (missing !== undefined) console.warn(`bench skipped: ${missing}`);

describe.skipIf(missing !== undefined)('metered calls stay within a fixed factor of the plain proxy', () => {
  it(
    'books every answered call, answers every byte right, and keeps its CPU per call and per chunk',
    async () => {
      const result = await runBench(quick, () => undefined, AbortSignal.timeout(stopMs));
      const summary = summarize(result);
      console.log(toMarkdown(result, summary));
      console.log(`aim: ${aim.perCall}x per call, ${aim.perChunk}x per chunk; guard: ${guard.perCall}x and ${guard.perChunk}x`);
      expect(summary.errors).toBe(0);
      expect(summary.faults).toEqual([]);
      expect(summary.logRows).toBe(summary.answered);
      expect(summary.answered).toBeGreaterThan(0);
      expect(summary.ratios.call.median).toBeLessThanOrEqual(guard.perCall);
      expect(summary.ratios.chunk.median).toBeLessThanOrEqual(guard.perChunk);
    },
    timeoutMs,
  );
});
