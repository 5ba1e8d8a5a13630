import type { BenchResult, Run, Target } from './bench.ts';
import { type Kind, streams } from './traffic.ts';

/** Middle, smallest and largest of the rounds. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export interface Figures {
  readonly target: Target;
  readonly kind: Kind;
  readonly callsPerSecond: Spread;
  readonly chunksPerSecond: Spread;
  /** CPU of the whole process per answered call, in microseconds. */
  readonly callCpuUs: Spread;
  readonly callMainThreadUs: Spread;
  /** CPU of a stream run divided by its chunks, so that the cost of each call is in it; 0 without streams. */
  readonly chunkCpuUs: Spread;
  readonly chunkMainThreadUs: Spread;
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  readonly firstByteP50Ms: Spread;
  readonly firstByteP99Ms: Spread;
  readonly rssMb: Spread;
  readonly peakRssMb: number;
  /** Share of the core that the process used, that others used, and that generator and mock used of theirs. */
  readonly busyShare: Spread;
  readonly foreignShare: Spread;
  readonly loadShare: Spread;
  readonly chunksPerRead: Spread;
  /** Of all rounds, between two chunks of one stream; milliseconds. */
  readonly longestGapMs: number;
  readonly errors: number;
  readonly firstError: string | undefined;
}

export interface Ratios {
  /** CPU per call of 1 KB that is not streamed, whole process and main thread, over nginx in the same round. */
  readonly call: Spread;
  readonly callMainThread: Spread;
  readonly chunk: Spread;
  readonly chunkMainThread: Spread;
  /** The same for 20 and 200 KB. 0 when such calls were not made, as below. */
  readonly call20: Spread;
  readonly call200: Spread;
  /** What a call of 1 KB takes longer than nginx's in the same round: milliseconds of the middle one and of 99 in 100. */
  readonly addedP50Ms: Spread;
  readonly addedP99Ms: Spread;
  /** The same until the first byte of a stream's body. */
  readonly addedFirstByteP50Ms: Spread;
  readonly addedFirstByteP99Ms: Spread;
  /** The gateway without its ledger over nginx: a call of 1 KB, and a chunk. 0 when it did not run. */
  readonly unmeteredCall: Spread;
  readonly unmeteredChunk: Spread;
  /** Of streams so long that their calls hardly count. */
  readonly longChunk: Spread;
  /** Of what one chunk more costs: streams of both lengths in the same round tell it from their calls. */
  readonly oneMoreChunk: Spread;
  /** Of many streams that each write as fast as a model does. */
  readonly crowdChunk: Spread;
  /** A call of 1 and of 20 KB and a chunk of each kind of stream over those of another revision's gateway. */
  readonly callOverOther: Spread;
  readonly call20OverOther: Spread;
  readonly chunkOverOther: Spread;
  readonly longChunkOverOther: Spread;
  readonly crowdChunkOverOther: Spread;
  /** A call of 1 and of 20 KB and a chunk over another product's. */
  readonly callOverPeer: Spread;
  readonly call20OverPeer: Spread;
  readonly chunkOverPeer: Spread;
  /** A call of 1 KB that is translated, over one that is passed on by the gateway itself. */
  readonly converted: Spread;
}

export interface Summary {
  readonly figures: readonly Figures[];
  readonly ratios: Ratios;
  readonly errors: number;
  readonly answered: number;
  readonly logRows: number;
  /** Runs after which the books did not agree, in words. */
  readonly faults: readonly string[];
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1] ?? 0;
  const high = sorted[Math.floor(middle)] ?? 0;
  return { median: (low + high) / 2, min: sorted[0] ?? 0, max: sorted.at(-1) ?? 0 };
}

/** Medians over the rounds; ratios are taken within each round first. */
export function summarize({ runs }: Pick<BenchResult, 'runs'>): Summary {
  const metered = runs.filter((run) => run.target === 'gateway');
  return {
    figures: [...group(runs).values()].map((own) => figuresOf(own, runs)),
    ratios: {
      call: ratio(runs, 'json', callUs),
      callMainThread: ratio(runs, 'json', (run) => (run.target === 'nginx' ? callUs(run) : mainCallUs(run))),
      chunk: ratio(runs, 'stream', chunkUs),
      chunkMainThread: ratio(runs, 'stream', (run) => (run.target === 'nginx' ? chunkUs(run) : mainChunkUs(run))),
      call20: ratio(runs, 'json20', callUs),
      call200: ratio(runs, 'json200', callUs),
      unmeteredCall: ratio(runs, 'json', callUs, 'unmetered'),
      unmeteredChunk: ratio(runs, 'stream', chunkUs, 'unmetered'),
      longChunk: ratio(runs, 'long', chunkUs),
      oneMoreChunk: spreadOf(oneMoreRatios(runs)),
      crowdChunk: ratio(runs, 'crowd', chunkUs),
      callOverOther: ratio(runs, 'json', callUs, 'gateway', 'other'),
      call20OverOther: ratio(runs, 'json20', callUs, 'gateway', 'other'),
      chunkOverOther: ratio(runs, 'stream', chunkUs, 'gateway', 'other'),
      longChunkOverOther: ratio(runs, 'long', chunkUs, 'gateway', 'other'),
      crowdChunkOverOther: ratio(runs, 'crowd', chunkUs, 'gateway', 'other'),
      callOverPeer: ratio(runs, 'json', callUs, 'gateway', 'peer'),
      call20OverPeer: ratio(runs, 'json20', callUs, 'gateway', 'peer'),
      chunkOverPeer: ratio(runs, 'stream', chunkUs, 'gateway', 'peer'),
      addedP50Ms: difference(runs, 'json', ({ load }) => load.p50Ms),
      addedP99Ms: difference(runs, 'json', ({ load }) => load.p99Ms),
      addedFirstByteP50Ms: difference(runs, 'stream', ({ load }) => load.firstByteP50Ms),
      addedFirstByteP99Ms: difference(runs, 'stream', ({ load }) => load.firstByteP99Ms),
      converted: quotient(ownRuns(metered, 'converted'), ownRuns(metered, 'json'), callUs),
    },
    errors: sum(runs.map((run) => run.load.totalErrors)),
    answered: sum(metered.map((run) => run.load.totalAnswered)),
    logRows: sum(metered.map((run) => run.logRows ?? 0)),
    faults: metered.flatMap(faultsOf),
  };
}

function faultsOf({ round, kind, load, logRows, proofFault }: Run): string[] {
  const where = `round ${round} ${kind}`;
  return [
    ...(logRows === load.totalAnswered ? [] : [`${where}: ${load.totalAnswered} calls answered, ${logRows} log rows`]),
    ...(proofFault === undefined ? [] : [`${where}: the ledger's proof fails: ${proofFault}`]),
  ];
}

function group(runs: readonly Run[]): Map<string, Run[]> {
  return Map.groupBy(runs, (run) => `${run.kind} ${run.target}`);
}

function figuresOf(runs: readonly Run[], all: readonly Run[]): Figures {
  const over = (figure: (run: Run) => number) => spreadOf(runs.map(figure));
  return {
    target: runs[0]?.target ?? 'gateway',
    kind: runs[0]?.kind ?? 'json',
    callsPerSecond: over(({ load }) => load.answered / load.seconds),
    chunksPerSecond: over(({ load }) => load.chunks / load.seconds),
    callCpuUs: over(callUs),
    callMainThreadUs: over(mainCallUs),
    chunkCpuUs: over(chunkUs),
    chunkMainThreadUs: over(mainChunkUs),
    p50Ms: over(({ load }) => load.p50Ms),
    p99Ms: over(({ load }) => load.p99Ms),
    firstByteP50Ms: over(({ load }) => load.firstByteP50Ms),
    firstByteP99Ms: over(({ load }) => load.firstByteP99Ms),
    rssMb: over(({ load }) => load.after.rssMb),
    peakRssMb: Math.max(...runs.map(({ load }) => load.after.peakRssMb)),
    busyShare: over((run) => processSeconds(run) / run.load.seconds),
    foreignShare: over((run) => foreignShare(run, twinOf(run, all))),
    loadShare: over(({ load }) => (load.generatorSeconds + load.mockSeconds) / load.seconds),
    chunksPerRead: over(({ load }) => per(load.chunks, load.chunkReads)),
    longestGapMs: Math.max(...runs.map(({ load }) => load.longestGapMs)),
    errors: sum(runs.map((run) => run.load.totalErrors)),
    firstError: runs.find((run) => run.load.firstError !== undefined)?.load.firstError,
  };
}

const callUs = (run: Run) => per(processSeconds(run) * 1e6, run.load.answered);
const mainCallUs = (run: Run) => per(mainThreadSeconds(run) * 1e6, run.load.answered);
const chunkUs = (run: Run) => per(processSeconds(run) * 1e6, run.load.chunks);
const mainChunkUs = (run: Run) => per(mainThreadSeconds(run) * 1e6, run.load.chunks);

function processSeconds({ load }: Run): number {
  return load.after.processSeconds - load.before.processSeconds;
}

function mainThreadSeconds({ load }: Run): number {
  return load.after.mainThreadSeconds - load.before.mainThreadSeconds;
}

/** Another revision runs at once with ours. */
function twinOf({ round, kind, target }: Run, runs: readonly Run[]): Run | undefined {
  const twin = target === 'gateway' ? 'other' : target === 'other' ? 'gateway' : undefined;
  return runs.find((run) => run.round === round && run.kind === kind && run.target === twin);
}

/** What neither the processes under test nor idleness took of their core. */
function foreignShare(run: Run, twin: Run | undefined): number {
  const { before, after, seconds } = run.load;
  const measured = processSeconds(run) + (twin === undefined ? 0 : processSeconds(twin));
  const others = after.coreBusySeconds - before.coreBusySeconds - measured;
  return Math.max(0, others + after.stolenSeconds - before.stolenSeconds) / seconds;
}

function ratio(
  runs: readonly Run[],
  kind: Kind,
  figure: (run: Run) => number,
  measured: Target = 'gateway',
  yardstick: Target = 'nginx',
): Spread {
  const of = (target: Target) => runs.filter((run) => run.kind === kind && run.target === target);
  return quotient(of(measured), of(yardstick), figure);
}

/** Of each round in which both lengths ran. */
function oneMoreRatios(runs: readonly Run[]): number[] {
  const rounds = [...new Set(runs.map(({ round }) => round))];
  return rounds.flatMap((round) => {
    const inRound = runs.filter((run) => run.round === round);
    const [nginxUs, gatewayUs] = [oneMoreUs(inRound, 'nginx'), oneMoreUs(inRound, 'gateway')];
    return nginxUs === undefined || gatewayUs === undefined ? [] : [per(gatewayUs, nginxUs)];
  });
}

/** A chunk's share of its call is the smaller the longer the stream; without any it costs this. */
function oneMoreUs(runs: readonly Run[], target: Target): number | undefined {
  const us = (kind: 'stream' | 'long') => runs.filter((run) => run.kind === kind && run.target === target).map(chunkUs)[0];
  const [shortUs, longUs] = [us('stream'), us('long')];
  if (shortUs === undefined || longUs === undefined) return undefined;
  const { stream: short, long } = streams;
  return (longUs * long.chunks - shortUs * short.chunks) / (long.chunks - short.chunks);
}

function ownRuns(runs: readonly Run[], kind: Kind): Run[] {
  return runs.filter((run) => run.kind === kind);
}

function difference(runs: readonly Run[], kind: Kind, figure: (run: Run) => number): Spread {
  const of = (target: Target) => runs.filter((run) => run.kind === kind && run.target === target);
  const known = new Map(of('nginx').map((run) => [run.round, figure(run)]));
  return spreadOf(of('gateway').map((run) => figure(run) - (known.get(run.round) ?? 0)));
}

/** Of the figures of each round. */
function quotient(runs: readonly Run[], yardsticks: readonly Run[], figure: (run: Run) => number): Spread {
  const known = new Map(yardsticks.map((run) => [run.round, figure(run)]));
  return spreadOf(runs.map((run) => per(figure(run), known.get(run.round) ?? 0)));
}

function per(amount: number, count: number): number {
  return count === 0 ? 0 : amount / count;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
