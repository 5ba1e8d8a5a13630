import type { CpuReading } from './proc.ts';
import type { Kind } from './traffic.ts';

/** One run of the load generator; its process is passed a list of those that go on at once, as JSON. */
export interface LoadOrder {
  readonly port: number;
  /** Calls take them in turn. */
  readonly keys: readonly string[];
  readonly kind: Kind;
  /** The answer carries the upstream's usage frame: a plain proxy passes it on. */
  readonly withUsageFrame: boolean;
  /** Bodies are another gateway's own. */
  readonly isRespelt?: boolean;
  readonly connections: number;
  /** Requests per second of all connections together; 0 = as fast as answers come. */
  readonly ratePerSecond: number;
  readonly warmMs: number;
  readonly windowMs: number;
  /** Process under test and its core. */
  readonly watchPid: number;
  readonly watchCore: number;
  readonly mockPid: number;
}

/** What it saw. Figures are of the window alone unless they say `total`. */
export interface LoadResult {
  readonly seconds: number;
  readonly answered: number;
  /** Answers from the first to the last request, warm-up and drain included. */
  readonly totalAnswered: number;
  readonly chunks: number;
  /** Reads in which content chunks came: equal to `chunks` when each came alone. */
  readonly chunkReads: number;
  /** Longest time between two chunks of one stream, milliseconds; 0 without streams. */
  readonly longestGapMs: number;
  readonly totalErrors: number;
  readonly firstError: string | undefined;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Until something of the body is there. */
  readonly firstByteP50Ms: number;
  readonly firstByteP99Ms: number;
  readonly before: CpuReading;
  readonly after: CpuReading;
  /** Seconds of CPU of this generator and of the mock upstream. */
  readonly generatorSeconds: number;
  readonly mockSeconds: number;
}
