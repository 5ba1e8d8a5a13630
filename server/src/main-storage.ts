import type { Env } from './env.ts';
import type { Bus } from './platform/bus/bus.ts';
import type { Clock } from './platform/clock.ts';
import { createCommonLimiter } from './platform/limiter/common.ts';
import { createMemoryLimiter, type Limiter } from './platform/limiter/memory.ts';
import type { SharedCounts } from './platform/limiter/shared.ts';
import type { Log } from './platform/log.ts';
import { createWorkerBus } from './platform/workers/bus.ts';
import { createWorkerCounts } from './platform/workers/counts.ts';
import type { WorkerPlace } from './platform/workers/line.ts';
import { createWorkerTurns } from './platform/workers/turns.ts';
import type { Database } from './storage/database.ts';
import { type DatabaseConfig, openDatabase, openForReading } from './storage/open.ts';

type StorageEnv = Pick<Env, 'DATABASE_URL' | 'DATA_DIR' | 'SQLITE_SYNCHRONOUS'>;

/** The database that the environment names, for server and command line alike. Throws DatabaseError. `migrate` comes next. */
export function openStorage(env: StorageEnv, place?: WorkerPlace): Promise<Database> {
  return openDatabase({ ...configOf(env), inTurn: place && createWorkerTurns(place.line) });
}

/** The same without the right to write; throws DatabaseError instead of creating what is missing. */
export function openStorageForReading(env: StorageEnv): Promise<Database> {
  return openForReading(configOf(env));
}

/** What the nodes, or without REDIS_URL the workers of this one, wake each other with; absent in a process that is alone. Never waits and never throws for a server that is away. */
export async function openBus(
  { REDIS_URL }: Pick<Env, 'REDIS_URL'>,
  log: Log,
  place: WorkerPlace | undefined,
): Promise<Bus | undefined> {
  if (REDIS_URL === undefined) return place && createWorkerBus(place.line);
  const { createRedisBus } = await import('./platform/bus/redis.ts');
  return createRedisBus({ url: REDIS_URL, log });
}

/** What the nodes, or without REDIS_URL the workers of this one, count together; absent in a process that is alone. Never throws for a server that is away. */
export async function openSharedCounts(
  { REDIS_URL }: Pick<Env, 'REDIS_URL'>,
  node: string,
  log: Log,
  place: WorkerPlace | undefined,
): Promise<SharedCounts | undefined> {
  if (REDIS_URL === undefined) return place && createWorkerCounts(place.line, place.workers);
  const { createRedisCounts } = await import('./platform/limiter/redis.ts');
  return createRedisCounts({ url: REDIS_URL, node, log });
}

/** The rate limits of the console API, over all nodes when there are several. */
export function createLimiter(clock: Clock, factor: number, shared: SharedCounts | undefined): Limiter {
  const own = createMemoryLimiter({ clock, factor });
  return shared === undefined ? own : createCommonLimiter(own, shared, factor);
}

function configOf(env: StorageEnv): DatabaseConfig {
  return {
    url: env.DATABASE_URL,
    dataDir: env.DATA_DIR,
    synchronous: env.SQLITE_SYNCHRONOUS,
    worksModule: new URL('./billing/works.ts', import.meta.url),
  };
}
