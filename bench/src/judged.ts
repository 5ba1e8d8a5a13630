import { expect } from 'vitest';
import { type BenchResult, type Conduct, runBench } from './bench.ts';
import type { BenchOptions } from './options.ts';
import { toMarkdown } from './report.ts';
import type { Revision } from './revision.ts';
import { type Summary, summarize } from './summary.ts';

/** Of a test that measures. */
export const timeoutMs = 300_000;
/** Early enough to stop everything that was started. */
const stopMs = 280_000;

/** Runs the bench for a test. */
export function run(options: BenchOptions, isInDoubt: Conduct['isInDoubt'], other?: Revision): Promise<BenchResult> {
  return runBench(options, { note: () => undefined, signal: AbortSignal.timeout(stopMs), isInDoubt, other });
}

/** Prints what a run found, and holds it to right answers and books that agree. */
export function judged(result: BenchResult): Summary {
  const summary = summarize(result);
  console.log(toMarkdown(result, summary));
  expect(summary.errors).toBe(0);
  expect(summary.faults).toEqual([]);
  expect(summary.logRows).toBe(summary.answered);
  expect(summary.answered).toBeGreaterThan(0);
  return summary;
}
