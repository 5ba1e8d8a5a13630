import { findProgram } from '../../e2e/support/find-program.ts';
import { type Conduct, onSite, type Run, runGateway, type Site } from './bench.ts';
import { describeMachine, type Machine } from './machine.ts';
import type { BenchOptions } from './options.ts';
import { descriptorsOf, readCpu } from './proc.ts';
import { spreadOf } from './summary.ts';
import { paceOf } from './traffic.ts';

/** Of what the gateway can answer: calls in one piece, and streams that cost as much as several of those. */
const shares = { json: 0.5, stream: 0.1 } as const;
const lookEveryMs = 5_000;
const minuteMs = 60_000;
/** Code is compiled, caches fill, and the heap finds its size. */
const warmShare = 0.25;

interface Look {
  /** Since the load began. */
  readonly atMs: number;
  readonly rssMb: number;
  readonly ownMb: number;
  readonly descriptors: number;
  readonly loopDelayP99Ms: number;
}

/** What was seen in one minute. The least memory is what is left when garbage has just been collected. */
export interface Minute {
  readonly minute: number;
  readonly leastRssMb: number;
  readonly mostRssMb: number;
  /** Without what it has in memory of files. */
  readonly leastOwnMb: number;
  readonly mostDescriptors: number;
  readonly loopDelayP99Ms: number;
}

/** The least memory of a minute, or of some. */
export interface Level {
  /** Of several the first. */
  readonly minute: number;
  readonly mb: number;
}

export interface SoakResult {
  readonly at: string;
  readonly options: BenchOptions;
  readonly machine: Machine;
  readonly durability: string;
  /** Calls of 1 KB in a second, as fast as the gateway can. */
  readonly capacity: number;
  readonly callsPerSecond: number;
  readonly streamsPerSecond: number;
  readonly answered: number;
  readonly minutes: readonly Minute[];
  /** Once it is warm: of all its memory, and of its own alone. */
  readonly floors: readonly Level[];
  readonly ownFloors: readonly Level[];
  /** Of all minutes then, in MB an hour. */
  readonly slopeMbPerHour: number;
  readonly ownSlopeMbPerHour: number;
  /** Errors, and books that do not agree, in words. */
  readonly faults: readonly string[];
}

/** The gateway alone at 60 % of what it can, for so many minutes: what it keeps, and whether its books agree at the end. */
export function runSoak(options: BenchOptions, conduct: Conduct): Promise<SoakResult> {
  const { note } = conduct;
  return onSite(options, conduct, async (site) => {
    const free = await runGateway({ ...site, options: { ...options, windowMs: options.compileMs } }, 0, 'json');
    const capacity = Math.round(free.load.answered / free.load.seconds);
    const rates = { json: paceOf('json', capacity * shares.json), stream: paceOf('stream', capacity * shares.stream) };
    note(
      `${capacity} calls/s at most; now ${rates.json} calls and ${rates.stream} streams a second for ${options.soakMinutes} min`,
    );
    const load = (kind: 'json' | 'stream') =>
      runGateway(
        paced(site, kind === 'json' ? options.connections : streamsOpen(rates.stream), capacity * shares[kind]),
        1,
        kind,
      );
    const looking = lookAt(site, note);
    const runs = await Promise.all([load('json'), load('stream')]).finally(looking.stop);
    // Afterwards the books are read, which is another kind of load.
    const loadMs = options.warmMs + options.soakMinutes * minuteMs;
    const minutes = minutesOf(looking.stop().filter(({ atMs }) => atMs <= loadMs));
    const warm = warmOf(minutes);
    const floors = floorsOf(warm, ({ leastRssMb }) => leastRssMb);
    const ownFloors = floorsOf(warm, ({ leastOwnMb }) => leastOwnMb);
    return {
      at: new Date().toISOString(),
      options,
      machine: describeMachine(findProgram('nginx'), site.gateway.dataDir),
      durability: site.gateway.durability,
      capacity,
      callsPerSecond: rates.json,
      streamsPerSecond: rates.stream,
      answered: runs.reduce((sum, { load: { totalAnswered } }) => sum + totalAnswered, 0),
      minutes,
      floors,
      ownFloors,
      slopeMbPerHour: slopeOf(warm.map(({ minute, leastRssMb: mb }) => ({ minute, mb }))),
      ownSlopeMbPerHour: slopeOf(warm.map(({ minute, leastOwnMb: mb }) => ({ minute, mb }))),
      faults: runs.flatMap(faultsOf),
    };
  });
}

const warmOf = (minutes: readonly Minute[]) => minutes.slice(Math.floor(minutes.length * warmShare));

function paced(site: Site, connections: number, ratePerSecond: number): Site {
  return { ...site, options: { ...site.options, connections, ratePerSecond, windowMs: site.options.soakMinutes * minuteMs } };
}

/** Enough that no stream waits for another one to end. */
export const streamsOpen = (perSecond: number) => Math.max(4, perSecond);

function faultsOf({ kind, load, logRows, proofFault }: Run): string[] {
  return [
    ...(load.totalErrors === 0 ? [] : [`${kind}: ${load.totalErrors} errors: ${load.firstError}`]),
    ...(logRows === load.totalAnswered ? [] : [`${kind}: ${load.totalAnswered} calls answered, ${logRows} log rows`]),
    ...(proofFault === undefined ? [] : [`the ledger's proof fails: ${proofFault}`]),
  ];
}

function lookAt({ gateway, cores }: Site, note: (text: string) => void) {
  const looks: Look[] = [];
  let told = 0;
  const startedMs = performance.now();
  const look = async () => {
    const { rssMb, ownMb } = readCpu(gateway.pid, cores?.target ?? 0);
    const atMs = performance.now() - startedMs;
    looks.push({ atMs, rssMb, ownMb, descriptors: descriptorsOf(gateway.pid), loopDelayP99Ms: await gateway.loopDelayP99Ms() });
    // The one before has ended.
    const [last, current] = minutesOf(looks).slice(-2);
    if (last !== undefined && current !== undefined && current.minute !== told) {
      told = current.minute;
      note(describe(last));
    }
  };
  const timer = setInterval(() => void look().catch(() => undefined), lookEveryMs);
  return {
    stop() {
      clearInterval(timer);
      return looks;
    },
  };
}

const describe = (each: Minute) =>
  `minute ${each.minute}: ${Math.round(each.leastRssMb)} to ${Math.round(each.mostRssMb)} MB, ${each.leastOwnMb.toFixed(1)} its own, ${each.mostDescriptors} descriptors, loop p99 ${each.loopDelayP99Ms.toFixed(1)} ms`;

export function minutesOf(looks: readonly Look[]): Minute[] {
  const groups = Map.groupBy(looks, ({ atMs }) => Math.floor(atMs / minuteMs));
  return [...groups].map(([minute, group]) => {
    const memory = spreadOf(group.map(({ rssMb }) => rssMb));
    return {
      minute,
      leastRssMb: memory.min,
      mostRssMb: memory.max,
      leastOwnMb: spreadOf(group.map(({ ownMb }) => ownMb)).min,
      mostDescriptors: spreadOf(group.map(({ descriptors }) => descriptors)).max,
      loopDelayP99Ms: spreadOf(group.map(({ loopDelayP99Ms }) => loopDelayP99Ms)).max,
    };
  });
}

/** A heap that is seldom collected whole fills in between: what is kept shows in the least of many minutes only. */
const floorMinutes = 10;

/** The least of each ten minutes; what is left of them at the end is not enough for one. */
export function floorsOf(minutes: readonly Minute[], figure: (minute: Minute) => number): Level[] {
  const groups = Map.groupBy(minutes, (_, index) => Math.floor(index / floorMinutes));
  return [...groups.values()]
    .filter(({ length }) => length === floorMinutes)
    .map((group) => ({ minute: group[0]?.minute ?? 0, mb: Math.min(...group.map(figure)) }));
}

/** The middle of the slopes between any two (Theil and Sen), in MB an hour; 0 for less than two. What one collection gives back for a while tilts it little. */
export function slopeOf(levels: readonly Level[]): number {
  const slopes = levels.flatMap(({ minute, mb }, index) =>
    levels.slice(index + 1).map((later) => ((later.mb - mb) / (later.minute - minute)) * 60),
  );
  return slopes.length === 0 ? 0 : spreadOf(slopes).median;
}

function trendOf(floors: readonly Level[], slopeMbPerHour: number): string {
  if (floors.length < 2) return '';
  const levels = floors.map(({ mb }) => mb.toFixed(1)).join(', ');
  return `, the least of each ten minutes ${levels}: **${slopeMbPerHour.toFixed(1)} MB an hour**`;
}

/** The result as Markdown. */
export function soakMarkdown(result: SoakResult): string {
  const { minutes, options, machine } = result;
  const warm = warmOf(minutes);
  const over = (figure: (minute: Minute) => number) => spreadOf(warm.map(figure));
  const [least, most] = [over(({ leastRssMb }) => leastRssMb), over(({ mostRssMb }) => mostRssMb)];
  const own = over(({ leastOwnMb }) => leastOwnMb);
  const [open, delay] = [over(({ mostDescriptors }) => mostDescriptors), over(({ loopDelayP99Ms }) => loopDelayP99Ms)];
  return [
    `- ${options.soakMinutes} minutes at ${result.callsPerSecond} calls and ${result.streamsPerSecond} streams a second, 60 % of what it can (${result.capacity} calls/s): ${result.answered} answered`,
    `- memory, once warm: **${Math.round(least.min)} to ${Math.round(most.max)} MB**${trendOf(result.floors, result.slopeMbPerHour)}`,
    `- of it its own, without what it has in memory of files: **${Math.round(own.min)} to ${Math.round(own.max)} MB**${trendOf(result.ownFloors, result.ownSlopeMbPerHour)}`,
    `- descriptors: **${open.min} to ${open.max}**`,
    `- delay of the loop, 99th percentile of five seconds: **${delay.median.toFixed(1)} ms** in the middle minute, ${delay.max.toFixed(1)} in the worst`,
    ...(result.faults.length === 0 ? ['- every answer as it must be, a log row for each, ledger proof green'] : []),
    ...result.faults.map((fault) => `- **${fault}**`),
    '',
    `${result.at.slice(0, 10)}. The first quarter is the warm-up. Engine ${options.engine}, ${result.durability}; file system ${machine.fileSystem}. ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB; Node ${machine.node}.`,
    '',
  ].join('\n');
}
