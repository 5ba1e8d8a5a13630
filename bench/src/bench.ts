import { fileURLToPath } from 'node:url';
import { findProgram } from '../../e2e/support/find-program.ts';
import { type Child, pin, startChild } from './children.ts';
import { type BenchGateway, type Start, startBenchGateway } from './gateway.ts';
import type { LoadOrder, LoadResult } from './load-types.ts';
import { type Cores, chooseCores, describeMachine, type Machine } from './machine.ts';
import { type NginxProxy, startNginx } from './nginx.ts';
import { type BenchOptions, type Peer, UsageError } from './options.ts';
import { buildRevision, type Revision } from './revision.ts';
import { isStream, type Kind, paceOf } from './traffic.ts';

const loadFile = fileURLToPath(new URL('./load.ts', import.meta.url));
const unmeteredFile = fileURLToPath(new URL('../../e2e/support/unmetered-server.ts', import.meta.url));
const mockFile = fileURLToPath(new URL('./mock.ts', import.meta.url));
const startTimeoutMs = 10_000;
/** Of a run that is in doubt. */
const maxRounds = 7;
/** What a run may take beyond its warm-up and window. */
const loadGraceMs = 30_000;

/** `unmetered` is the gateway without its ledger, `other` that of another revision, `peer` another product's. */
export type Target = 'nginx' | 'gateway' | 'unmetered' | 'other' | 'peer';

/** One load run against one target, and, for the gateway, whether its books agree with what was answered. */
export interface Run {
  readonly round: number;
  readonly kind: Kind;
  readonly target: Target;
  readonly load: LoadResult;
  readonly logRows?: number;
  readonly proofFault?: string;
}

export interface BenchResult {
  readonly at: string;
  readonly options: BenchOptions;
  readonly machine: Machine;
  readonly pinned: boolean;
  readonly durability: string;
  readonly start: Start;
  readonly runs: readonly Run[];
}

/** What serves and what it talks to, each on its core. */
export interface Site {
  readonly options: BenchOptions;
  readonly cores: Cores | undefined;
  readonly mock: { readonly pid: number; readonly port: number };
  readonly gateway: BenchGateway;
  /** Ends a run of the load generator at once. */
  readonly signal: AbortSignal | undefined;
}

type Beside = Exclude<Target, 'nginx' | 'gateway'>;
type Measured = Pick<BenchGateway, 'port' | 'pid' | 'newKeys' | 'logRows' | 'proofFault'>;

interface Parts extends Site {
  readonly proxy: NginxProxy;
  /** Beside ours. */
  readonly gateways: Partial<Record<Beside, Measured>>;
}

/** What a run tells while it goes on, and how it is ended. */
export interface Conduct {
  readonly note: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
  /** Whether a further round is needed once all have been. */
  readonly isInDoubt?: (runs: readonly Run[]) => boolean;
  /** The other revision, where it has been built for several benches; whoever built it stops it. */
  readonly other?: Revision | undefined;
}

/** Why this machine cannot run the bench, or undefined. */
export function whatIsMissing(): string | undefined {
  if (process.platform !== 'linux') return 'CPU time per process is read from /proc: the bench runs on Linux only';
  if (findProgram('nginx') === undefined)
    return 'nginx is not installed, and every figure is a ratio to it. Debian and Ubuntu: apt-get install nginx-light';
  return undefined;
}

/** Runs all rounds, nginx and gateway in turn, and stops everything it started. Throws UsageError when something is missing. */
export async function runBench(options: BenchOptions, conduct: Conduct): Promise<BenchResult> {
  const missing = whatIsMissing();
  const nginx = findProgram('nginx');
  if (missing !== undefined || nginx === undefined) throw new UsageError(missing);
  const other = conduct.other ?? (options.against === '' ? undefined : await buildRevision(options.against));
  return onSite(options, conduct, async (site, stopLater) => {
    if (other !== undefined && conduct.other === undefined) stopLater(other);
    const proxy = await startNginx(nginx, site.cores?.target, site.mock.port);
    stopLater(proxy);
    const beside = async (main: string) => {
      const gateway = await startBenchGateway({ ...options, engine: 'sqlite' }, site.cores?.target, site.mock.port, main);
      stopLater(gateway);
      return gateway;
    };
    if (options.peer !== undefined && site.cores !== undefined) pin(options.peer.pid, site.cores.target);
    const gateways: Parts['gateways'] = {
      ...(options.withUnmetered ? { unmetered: await beside(unmeteredFile) } : {}),
      ...(other === undefined ? {} : { other: await beside(other.main) }),
      ...(options.peer === undefined ? {} : { peer: asMeasured(options.peer) }),
    };
    return {
      at: new Date().toISOString(),
      // Results are for others to read: no key.
      options: { ...options, peer: undefined },
      machine: describeMachine(nginx, site.gateway.dataDir),
      pinned: site.cores !== undefined,
      durability: site.gateway.durability,
      start: site.gateway.start,
      runs: await allRounds({ ...site, proxy, gateways }, conduct),
    };
  });
}

/** Whose books nobody asks for. */
function asMeasured({ key, ...process }: Peer): Measured {
  return { ...process, newKeys: async () => [key], logRows: async () => 0, proofFault: async () => undefined };
}

type Stoppable = { stop(): Promise<void> };

/** Starts the upstream and the gateway, and stops them and what else was started when `use` has ended. */
export async function onSite<T>(
  options: BenchOptions,
  { note, signal }: Conduct,
  use: (site: Site, stopLater: (started: Stoppable) => void) => Promise<T>,
): Promise<T> {
  const cores = chooseCores(findProgram('taskset'));
  if (cores === undefined) note('Not pinned: taskset or a second core is missing, so that the processes disturb each other.');
  const started: Stoppable[] = [];
  const stopLater = (one: Stoppable) => void started.push(one);
  try {
    const mock = await startChild(cores?.load, process.execPath, [mockFile, String(options.upstreamPort)]);
    stopLater(mock);
    const { port } = JSON.parse(await mock.output(/^.*\n/, startTimeoutMs)) as { port: number };
    const gateway = await startBenchGateway(options, cores?.target, port);
    stopLater(gateway);
    return await use({ options, cores, mock: { pid: mock.pid, port }, gateway, signal }, stopLater);
  } finally {
    for (const one of started.reverse()) await one.stop();
  }
}

async function allRounds(parts: Parts, { note, isInDoubt = () => false }: Conduct): Promise<Run[]> {
  const runs: Run[] = [];
  // A run of each kind that does not count, as fast as it can: the gateway's code is compiled while it is used.
  const compiling = { ...parts.options, windowMs: parts.options.compileMs, ratePerSecond: 0 };
  for (const kind of parts.options.kinds) {
    if (isStream(kind) && kind !== 'stream') continue;
    for (const targets of stepsOf(kind, parts))
      if (targets[0] !== 'nginx') await runAtOnce({ ...parts, options: compiling }, 0, kind, targets);
  }
  const { rounds } = parts.options;
  for (let round = 1; round <= rounds || (round <= maxRounds && isInDoubt(runs)); round += 1) {
    for (const kind of parts.options.kinds) {
      // Who comes first is not who comes second the next time.
      const steps = stepsOf(kind, parts);
      for (const targets of round % 2 === 1 ? steps : steps.toReversed().map((each) => each.toReversed())) {
        parts.signal?.throwIfAborted();
        for (const run of await runAtOnce(parts, round, kind, targets)) {
          note(describeRun(run));
          runs.push(run);
        }
      }
    }
  }
  return runs;
}

type InTurn = Exclude<Beside, 'other'>;
const comparedKinds: Record<InTurn, readonly Kind[]> = {
  unmetered: ['json', 'stream'],
  peer: ['json', 'json20', 'stream', 'long', 'crowd'],
};

/**
 * Who runs after whom. Two revisions run at once, on the same core: what others do to it comes into both alike, as it does not
 * into runs one after the other, of which the same code showed 0.72 to 1.29. Half of a core is nothing to compare with nginx.
 */
function stepsOf(kind: Kind, { gateways: { other, ...rest } }: Parts): readonly (readonly Target[])[] {
  // A plain proxy does not translate, and many idle streams ask for memory and not for speed.
  if (kind === 'converted' || kind === 'idle') return [['gateway']];
  if (other !== undefined) return [['gateway', 'other']];
  const others = (Object.keys(rest) as InTurn[]).filter((each) => comparedKinds[each].includes(kind));
  return [['nginx'], ['gateway'], ...others.map((each) => [each])];
}

function describeRun({ round, kind, target, load, logRows, proofFault }: Run): string {
  const rate = Math.round(load.answered / load.seconds);
  const books = logRows === undefined ? '' : `, ${logRows} log rows, proof ${proofFault ?? 'green'}`;
  const errors = load.totalErrors === 0 ? '' : `, ${load.totalErrors} errors: ${load.firstError}`;
  return `round ${round} ${kind} ${target}: ${rate}/s, ${load.totalAnswered} answered${books}${errors}`;
}

/** One load run with keys of its own, and whether the books agree with it. */
export async function runGateway(site: Site, round: number, kind: Kind): Promise<Run> {
  const [run] = await runAimed(site, round, [await aimAtGateway(site.gateway, 'gateway', round, kind)]);
  if (run === undefined) throw new Error('one aim has one run');
  return run;
}

async function runAtOnce(parts: Parts, round: number, kind: Kind, targets: readonly Target[]): Promise<Run[]> {
  const aimed: Aimed[] = [];
  for (const target of targets) aimed.push(await aimAt(parts, target, round, kind));
  return runAimed(parts, round, aimed);
}

type Aim = Pick<LoadOrder, 'kind' | 'port' | 'watchPid' | 'keys' | 'withUsageFrame' | 'isRespelt'>;

interface Aimed {
  readonly target: Target;
  readonly aim: Aim;
  /** Once the run is over. */
  books(): Promise<Pick<Run, 'logRows' | 'proofFault'>>;
}

async function aimAt({ proxy, gateway, gateways }: Parts, target: Target, round: number, kind: Kind): Promise<Aimed> {
  if (target === 'gateway') return aimAtGateway(gateway, target, round, kind);
  if (target === 'nginx') {
    const { port, workerPid: watchPid } = proxy;
    return { target, aim: { kind, port, watchPid, keys: ['not-checked'], withUsageFrame: true }, books: async () => ({}) };
  }
  const beside = gateways[target];
  if (beside === undefined) throw new Error(`no gateway runs as ${target}`);
  const { aim, books } = await aimAtGateway(beside, target, round, kind);
  // Its books are asked for like ours, so that both go into the next run alike, and not judged.
  return { target, aim: { ...aim, isRespelt: target === 'peer' }, books: () => books().then(() => ({})) };
}

async function aimAtGateway(gateway: Measured, target: Target, round: number, kind: Kind): Promise<Aimed> {
  const name = `bench-${process.pid}-${round}-${kind}`;
  const aim = { kind, port: gateway.port, watchPid: gateway.pid, keys: await gateway.newKeys(name), withUsageFrame: false };
  return { target, aim, books: async () => ({ logRows: await gateway.logRows(name), proofFault: await gateway.proofFault() }) };
}

async function runAimed({ options, cores, mock, signal }: Site, round: number, aimed: readonly Aimed[]): Promise<Run[]> {
  const { connections, ratePerSecond, warmMs, windowMs } = options;
  const orders = aimed.map(
    ({ aim }): LoadOrder => ({
      ...aim,
      connections,
      ratePerSecond: paceOf(aim.kind, ratePerSecond),
      warmMs,
      windowMs,
      watchCore: cores?.target ?? 0,
      mockPid: mock.pid,
    }),
  );
  const child: Child = await startChild(cores?.load, process.execPath, [loadFile, JSON.stringify(orders)]);
  const end = () => void child.stop();
  signal?.addEventListener('abort', end, { once: true });
  try {
    const loads = JSON.parse(await child.output(/^\[.*\]$/, warmMs + windowMs + loadGraceMs)) as LoadResult[];
    const runs: Run[] = [];
    for (const [index, { target, aim, books }] of aimed.entries())
      runs.push({ round, kind: aim.kind, target, load: loads[index] as LoadResult, ...(await books()) });
    return runs;
  } finally {
    signal?.removeEventListener('abort', end);
    await child.stop();
  }
}
