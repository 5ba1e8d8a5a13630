import { parseArgs } from 'node:util';
import { type Kind, kinds, streams } from './traffic.ts';

const maxPort = 65_535;
const maxPid = 4_194_304;

export interface BenchOptions {
  /** Of the files that the result is written to; those of the full run are the published ones. */
  readonly name: string;
  readonly kinds: readonly Kind[];
  readonly engine: 'sqlite' | 'postgres';
  /** The gateway without its ledger too: what metering costs. */
  readonly withUnmetered: boolean;
  /** A revision of the sources whose gateway runs too; '' = none. */
  readonly against: string;
  readonly rounds: number;
  readonly connections: number;
  /** What the channel says: pieces of a stream that come within this are written together; 0 = each by itself. */
  readonly coalesceMs: number;
  /** Users with a wallet and a key each, who call in turn. */
  readonly users: number;
  /** 0 = as fast as answers come. */
  readonly ratePerSecond: number;
  /** Another product's gateway, which runs already and asks our upstream; undefined = none. */
  readonly peer: Peer | undefined;
  /** Where the upstream listens; 0 = anywhere. */
  readonly upstreamPort: number;
  /** How long code is used before anything is measured. */
  readonly compileMs: number;
  readonly warmMs: number;
  /** Length of the one window of a soak, in minutes; 0 = no soak. */
  readonly soakMinutes: number;
  readonly windowMs: number;
}

export interface Peer {
  readonly port: number;
  readonly key: string;
  /** Of its one process: what others do for it does not count. */
  readonly pid: number;
}

/** Something the person at the terminal can mend: the text says what. */
export class UsageError extends Error {}

export const full: BenchOptions = {
  ...{ name: 'latest', withUnmetered: true, against: '', peer: undefined, upstreamPort: 0 },
  ...{ kinds, engine: 'sqlite', rounds: 5, connections: 64, ratePerSecond: 0, soakMinutes: 0, coalesceMs: 0, users: 1 },
  ...{ compileMs: 5_000, warmMs: 1_000, windowMs: 5_000 },
};
/** What a call waits longer than by the plain proxy when so many come in a second. */
const paced: BenchOptions = { ...full, name: 'rate', withUnmetered: false, kinds: ['json', 'stream'], compileMs: 15_000 };
/** So many streams at once that say something each second; all are open in the window. */
const manyStreams: BenchOptions = {
  ...{ ...full, name: 'streams', withUnmetered: false, kinds: ['idle'], rounds: 1 },
  ...{ warmMs: 8_000, windowMs: 18_000 },
};
export const quick: BenchOptions = {
  ...{ ...full, name: 'quick', withUnmetered: false, kinds: ['json', 'stream'], rounds: 2 },
  ...{ compileMs: 4_000, warmMs: 600, windowMs: 2_000 },
};

/** So many streams at once that each write as fast as a model does. */
const crowd: BenchOptions = {
  ...{ ...full, name: 'crowd', withUnmetered: false, kinds: ['crowd'], windowMs: 20_000 },
};

/** Streams of a channel whose pieces are written together. */
const coalescing: BenchOptions = { ...full, name: 'coalesce', withUnmetered: false, kinds: ['stream'] };

/** No two calls in a row are of the same user. */
const manyUsers: BenchOptions = { ...full, name: 'users', withUnmetered: false, kinds: ['json'] };

/** Beside the plain proxy: bodies of each size, streams, and another dialect than the upstream's. */
export const sizes: BenchOptions = {
  ...{ ...quick, name: 'sizes', rounds: 1 },
  kinds: ['json', 'stream', 'json20', 'json200', 'converted'],
};

/** This gateway beside that of another revision. Bodies of 20 KB are what its heaps cost most for. */
export const compared: BenchOptions = { ...quick, name: 'against', kinds: ['json', 'json20', 'stream'], windowMs: 2_500 };

/** This gateway beside another product's. */
const besidePeer: BenchOptions = {
  ...{ ...full, name: 'peer', withUnmetered: false, kinds: ['json', 'json20', 'stream'], rounds: 3, upstreamPort: 9_100 },
};

/** Memory, descriptors and the delay of the loop over a long time. */
const soak: BenchOptions = { ...full, name: 'soak', withUnmetered: false, compileMs: 10_000 };

/** Reads the command line; throws UsageError. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parse(args);
  const base = baseOf(values);
  const engine = values.engine ?? base.engine;
  if (engine !== 'sqlite' && engine !== 'postgres') throw new UsageError('--engine is sqlite or postgres');
  if (engine === 'postgres' && values.against !== undefined) throw new UsageError('--against compares on SQLite only');
  return {
    ...base,
    name: engine === 'sqlite' ? base.name : `${base.name}-${engine}`,
    engine,
    rounds: count('--rounds', values.rounds, base.rounds, 99),
    connections: connectionsOf(values, base),
    ratePerSecond: values.rate === undefined ? base.ratePerSecond : count('--rate', values.rate, 0, 100_000),
    coalesceMs: values.coalesce === undefined ? 0 : count('--coalesce', values.coalesce, 0, 20),
    users: count('--users', values.users, base.users, 1_000),
    soakMinutes: values.soak === undefined ? 0 : count('--soak', values.soak, 0, 1_440),
    windowMs: count('--seconds', values.seconds, base.windowMs / 1000, 600) * 1000,
    kinds: values.kinds === undefined ? base.kinds : kindsOf(values.kinds),
    against: values.against ?? base.against,
    peer: peerOf(values),
    upstreamPort: count('--upstream', values.upstream, base.upstreamPort, maxPort),
  };
}

/** A stream is a connection: variants of many streams say how many by their name. */
function connectionsOf({ streams, crowd, connections }: Variants & { connections?: string }, base: BenchOptions): number {
  if (streams !== undefined) return count('--streams', streams, base.connections, 20_000);
  if (crowd !== undefined) return count('--crowd', crowd, base.connections, 20_000);
  return count('--connections', connections, base.connections, 1_000);
}

function kindsOf(list: string): Kind[] {
  const all: readonly string[] = [...new Set([...kinds, ...Object.keys(streams)])];
  const wanted = list.split(',');
  if (wanted.some((kind) => !all.includes(kind))) throw new UsageError(`--kinds is some of ${all.join(',')}`);
  return wanted as Kind[];
}

interface Variants {
  readonly streams?: string;
  readonly crowd?: string;
  readonly rate?: string;
  readonly soak?: string;
  readonly coalesce?: string;
  readonly users?: string;
  readonly against?: string;
  readonly peer?: string;
  readonly quick?: boolean;
}

function peerOf(values: { peer?: string; 'peer-key'?: string; 'peer-pid'?: string }): Peer | undefined {
  const { peer: port, 'peer-key': key, 'peer-pid': pid } = values;
  if (port === undefined) return undefined;
  if (key === undefined || pid === undefined) throw new UsageError('--peer needs --peer-key and --peer-pid');
  return { key, port: count('--peer', port, 0, maxPort), pid: count('--peer-pid', pid, 0, maxPid) };
}

function baseOf(values: Variants): BenchOptions {
  if (values.coalesce !== undefined) return coalescing;
  if (values.soak !== undefined) return soak;
  if (values.streams !== undefined) return manyStreams;
  if (values.crowd !== undefined) return crowd;
  if (values.rate !== undefined) return paced;
  if (values.against !== undefined) return compared;
  if (values.peer !== undefined) return besidePeer;
  if (values.users !== undefined) return manyUsers;
  return values.quick === true ? quick : full;
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean' },
        engine: text,
        rounds: text,
        connections: text,
        seconds: text,
        streams: text,
        crowd: text,
        rate: text,
        soak: text,
        coalesce: text,
        users: text,
        kinds: text,
        against: text,
        peer: text,
        'peer-key': text,
        'peer-pid': text,
        upstream: text,
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function count(name: string, value: string | undefined, fallback: number, most: number): number {
  if (value === undefined) return fallback;
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1 || number > most)
    throw new UsageError(`${name} is a whole number from 1 to ${most}`);
  return number;
}
