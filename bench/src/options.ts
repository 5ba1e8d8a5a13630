import { parseArgs } from 'node:util';
import { type Kind, kinds } from './traffic.ts';

export interface BenchOptions {
  readonly kinds: readonly Kind[];
  readonly engine: 'sqlite' | 'postgres';
  readonly rounds: number;
  readonly connections: number;
  /** 0 = as fast as answers come. */
  readonly ratePerSecond: number;
  readonly warmMs: number;
  readonly windowMs: number;
}

/** Something the person at the terminal can mend: the text says what. */
export class UsageError extends Error {}

export const full: BenchOptions = {
  ...{ kinds, engine: 'sqlite', rounds: 5, connections: 64, ratePerSecond: 0 },
  ...{ warmMs: 1_000, windowMs: 5_000 },
};
/** What a call waits longer than by the plain proxy when so many come in a second. */
const paced: BenchOptions = { ...full, kinds: ['json'] };
/** So many streams at once that say something each second; all are open in the window. */
const manyStreams: BenchOptions = { ...full, kinds: ['idle'], rounds: 1, warmMs: 8_000, windowMs: 18_000 };
export const quick: BenchOptions = { ...full, kinds: ['json', 'stream'], rounds: 2, warmMs: 600, windowMs: 2_000 };

/** Reads the command line; throws UsageError. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parse(args);
  const base = baseOf(values);
  const engine = values.engine ?? base.engine;
  if (engine !== 'sqlite' && engine !== 'postgres') throw new UsageError('--engine is sqlite or postgres');
  return {
    ...base,
    engine,
    rounds: count('--rounds', values.rounds, base.rounds, 99),
    connections:
      values.streams === undefined
        ? count('--connections', values.connections, base.connections, 1_000)
        : count('--streams', values.streams, base.connections, 20_000),
    ratePerSecond: values.rate === undefined ? base.ratePerSecond : count('--rate', values.rate, 0, 100_000),
    windowMs: count('--seconds', values.seconds, base.windowMs / 1000, 600) * 1000,
  };
}

function baseOf(values: { streams?: string; rate?: string; quick?: boolean }): BenchOptions {
  if (values.streams !== undefined) return manyStreams;
  if (values.rate !== undefined) return paced;
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
        rate: text,
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
