import { describe, expect, it, vi } from 'vitest';
import { findPostgres, startPostgres } from '../../server/test/postgres.ts';
import { type Conduct, type Run, whatIsMissing } from './bench.ts';
import { judged, run, timeoutMs } from './judged.ts';
import { type BenchOptions, compared, quick, readOptions, sizes } from './options.ts';
import { buildRevision, knowsRevision } from './revision.ts';
import { type Summary, summarize } from './summary.ts';

/** Times nginx's CPU in the same run, of a translated call times that of one passed on: what we aim at. docs/performance.md has it. */
const aim = { perCall: 5, perChunk: 1.5, perLargeCall: 5, perTranslated: 1.6 };
/** What a short run may show above an aim that every machine reached. */
const tolerance = 1.2;
/**
 * What no machine may exceed in the round that others disturbed least: on a shared one rounds of the same code differ by
 * half, and between two machines the same code differs twofold, so that the reference is the sharper one.
 */
const most = {
  ...{ perCall: 10, perChunk: 3 },
  ...{ perLargeCall: aim.perLargeCall * tolerance, perTranslated: aim.perTranslated * tolerance },
};
/**
 * How many times what a call takes through nginx in the same rounds it may take longer: three times the aim where nginx
 * takes 0.1 ms, as on a quiet machine, and more where others use its cores and every wait is longer.
 */
const mostAdded = 30;
/**
 * At most one in so many of the calls that nginx can: 1,000 where it can 40,000. Where others take a third of a machine, a
 * thousand would be all that the rest of it can, and calls would wait for the machine.
 */
const steady = { callsPerSecond: 1_000, ofNginx: 40 };
/** As it was just measured; a test that runs alone takes it for quick enough. */
let nginxCallsPerSecond = Number.POSITIVE_INFINITY;
/** The latest revision that was measured as faster than those before it, and what a call and a chunk may take of its CPU, side by side. */
const reference = 'e3db8c4f3cd68a0e913500d42a779997c593e6e7';
const allowed = 1.15;
/** Of a measurement that is in doubt. */
const mostStarts = 3;

const missing = whatIsMissing();
if (missing !== undefined) console.warn(`bench skipped: ${missing}`);
const isCompared = knowsRevision(reference);
if (!isCompared) console.warn(`Not compared with revision ${reference}: it takes a copy with its history.`);

const isDearer = (runs: readonly Run[]): boolean => {
  const { callOverOther, call20OverOther, chunkOverOther } = summarize({ runs }).ratios;
  return Math.max(callOverOther.median, call20OverOther.median, chunkOverOther.median) > allowed;
};

const isTooDear = (runs: readonly Run[]): boolean => {
  const { call, call20, call200, chunk, converted } = summarize({ runs }).ratios;
  const isLargeTooDear = Math.max(call20.min, call200.min) > most.perLargeCall;
  return isLargeTooDear || call.min > most.perCall || chunk.min > most.perChunk || converted.min > most.perTranslated;
};

/** What calls may take longer than through nginx on a machine where they take that long through it. */
function mayAdd({ figures }: Summary): { p50Ms: number; p99Ms: number } {
  const nginx = figures.find(({ target }) => target === 'nginx');
  return { p50Ms: mostAdded * (nginx?.p50Ms.median ?? 0), p99Ms: mostAdded * (nginx?.p99Ms.median ?? 0) };
}

const isTooLate = (runs: readonly Run[]): boolean => {
  const summary = summarize({ runs });
  const { addedP50Ms, addedP99Ms } = summary.ratios;
  const most = mayAdd(summary);
  return addedP50Ms.median > most.p50Ms || addedP99Ms.median > most.p99Ms;
};

/** Runs the bench, prints what it found, and holds it to right answers and books that agree. */
async function measure(options: BenchOptions, isInDoubt: Conduct['isInDoubt']): Promise<Summary> {
  return judged(await run(options, isInDoubt));
}

/**
 * The same with processes that are started anew while it is in doubt, and the rounds of all of them: what a process was
 * given at its start, memory above all, makes each of its rounds dearer than those of its neighbour, however many there are.
 */
async function measureAnew(options: BenchOptions, isInDoubt: (runs: readonly Run[]) => boolean): Promise<Summary> {
  const other = options.against === '' ? undefined : await buildRevision(options.against);
  try {
    const begin = () => run(options, () => false, other);
    let result = await begin();
    for (let start = 1; start < mostStarts && isInDoubt(result.runs); start += 1) {
      const { runs, ...more } = await begin();
      const later = runs.map((each) => ({ ...each, round: each.round + start * options.rounds }));
      result = { ...more, runs: [...result.runs, ...later] };
    }
    return judged(result);
  } finally {
    await other?.stop();
  }
}

describe.skipIf(missing !== undefined)('metered calls stay within a fixed factor of the plain proxy', () => {
  it(
    'books every answered call, answers every byte right, and takes at most 15 % more CPU per call and per chunk than the reference',
    async () => {
      const { ratios } = await measureAnew({ ...compared, against: isCompared ? reference : '' }, isDearer);
      console.log(`guard: ${allowed}x of the reference`);
      expect(ratios.callOverOther.median).toBeLessThanOrEqual(allowed);
      expect(ratios.call20OverOther.median).toBeLessThanOrEqual(allowed);
      expect(ratios.chunkOverOther.median).toBeLessThanOrEqual(allowed);
    },
    mostStarts * timeoutMs,
  );

  it(
    'takes no more than so many times nginx, also where bodies are large, and for a translated call little more than for one that is passed on',
    async () => {
      const { figures, ratios } = await measure(sizes, isTooDear);
      console.log(`aim: ${aim.perCall}x of nginx per call, ${aim.perChunk}x per chunk`);
      nginxCallsPerSecond = figures.find(({ target, kind }) => target === 'nginx' && kind === 'json')?.callsPerSecond.median ?? 0;
      expect(nginxCallsPerSecond).toBeGreaterThan(0);
      // A stream's first byte comes long before its last one, through both.
      const streams = figures.filter(({ kind }) => kind === 'stream');
      expect(streams.map(({ firstByteP50Ms, p50Ms }) => firstByteP50Ms.median < p50Ms.median / 5)).toEqual([true, true]);
      const { call, call20, call200, chunk, converted } = ratios;
      expect(Math.min(call.min, call20.min, call200.min, chunk.min, converted.min)).toBeGreaterThan(0);
      expect(call.min).toBeLessThanOrEqual(most.perCall);
      expect(Math.max(call20.min, call200.min)).toBeLessThanOrEqual(most.perLargeCall);
      expect(chunk.min).toBeLessThanOrEqual(most.perChunk);
      expect(converted.min).toBeLessThanOrEqual(most.perTranslated);
    },
    timeoutMs,
  );

  it(
    'at a steady rate a call comes little later than through the plain proxy',
    async () => {
      const rate = Math.min(steady.callsPerSecond, Math.floor(nginxCallsPerSecond / steady.ofNginx));
      const options = readOptions(['--rate', String(rate), '--rounds', '1', '--seconds', '3', '--kinds', 'json']);
      const summary = await measure({ ...options, compileMs: quick.compileMs }, isTooLate);
      const { addedP50Ms, addedP99Ms } = summary.ratios;
      const may = mayAdd(summary);
      expect(summary.figures.every(({ callsPerSecond }) => callsPerSecond.median > 0.9 * rate)).toBe(true);
      expect(addedP50Ms.median).toBeLessThanOrEqual(may.p50Ms);
      expect(addedP99Ms.median).toBeLessThanOrEqual(may.p99Ms);
    },
    timeoutMs,
  );

  const postgres = findPostgres();
  if (postgres === undefined) console.warn('bench on PostgreSQL skipped: it is not installed');
  it.skipIf(postgres === undefined)(
    'a call that is booked on PostgreSQL costs the gateway no more either',
    async () => {
      const server = await startPostgres(postgres ?? '', 100);
      vi.stubEnv('DATABASE_URL', `${server.url}/postgres`);
      try {
        const { ratios } = await measure({ ...quick, engine: 'postgres', kinds: ['json'], rounds: 1 }, isTooDear);
        expect(ratios.call.min).toBeGreaterThan(0);
        expect(ratios.call.min).toBeLessThanOrEqual(most.perCall);
      } finally {
        vi.unstubAllEnvs();
        await server.stop();
      }
    },
    timeoutMs,
  );
});
