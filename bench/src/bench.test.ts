import { describe, expect, it } from 'vitest';
import { type Run, runBench, whatIsMissing } from './bench.ts';
import { compared, quick } from './options.ts';
import { toMarkdown } from './report.ts';
import { knowsRevision } from './revision.ts';
import { summarize } from './summary.ts';

/** Times nginx's CPU in the same run: what we aim at. docs/performance.md has it. */
const aim = { perCall: 5, perChunk: 1.5 };
/** What no machine may exceed. Between two of them the same code differs twofold, so that the reference is the sharper one. */
const most = { perCall: 11, perChunk: 3.5 };
/** The latest revision that was measured as faster than those before it, and what a call and a chunk may take of its CPU, side by side. */
const reference = '3f8bc56b587537fea46e8c6529b97f4384ddac4d';
const allowed = 1.15;
const timeoutMs = 300_000;
/** Early enough to stop everything that was started. */
const stopMs = 280_000;

const missing = whatIsMissing();
if (missing !== undefined) console.warn(`bench skipped: ${missing}`);
const isCompared = knowsRevision(reference);
if (!isCompared) console.warn(`Not compared with revision ${reference}: it takes a copy with its history.`);

const isTooDear = (runs: readonly Run[]): boolean => {
  const { call, chunk, callOverOther, chunkOverOther } = summarize({ runs }).ratios;
  const isDearer = Math.max(callOverOther.median, chunkOverOther.median) > allowed;
  return isDearer || call.median > most.perCall || chunk.median > most.perChunk;
};

describe.skipIf(missing !== undefined)('metered calls stay within a fixed factor of the plain proxy', () => {
  it(
    'books every answered call, answers every byte right, and takes at most 15 % more CPU per call and per chunk than the reference',
    async () => {
      const options = isCompared ? { ...compared, against: reference } : quick;
      const conduct = { note: () => undefined, signal: AbortSignal.timeout(stopMs), isInDoubt: isTooDear };
      const result = await runBench(options, conduct);
      const summary = summarize(result);
      console.log(toMarkdown(result, summary));
      console.log(`aim: ${aim.perCall}x of nginx per call, ${aim.perChunk}x per chunk; guard: ${allowed}x of the reference`);
      expect(summary.errors).toBe(0);
      expect(summary.faults).toEqual([]);
      expect(summary.logRows).toBe(summary.answered);
      expect(summary.answered).toBeGreaterThan(0);
      // A stream's first byte comes long before its last one, through both.
      const streams = summary.figures.filter(({ kind }) => kind === 'stream');
      expect(streams.map(({ firstByteP50Ms, p50Ms }) => firstByteP50Ms.median < p50Ms.median / 5)).not.toContain(false);
      expect(summary.ratios.call.median).toBeLessThanOrEqual(most.perCall);
      expect(summary.ratios.chunk.median).toBeLessThanOrEqual(most.perChunk);
      expect(summary.ratios.callOverOther.median).toBeLessThanOrEqual(allowed);
      expect(summary.ratios.chunkOverOther.median).toBeLessThanOrEqual(allowed);
    },
    timeoutMs,
  );
});
