import type { Env } from './env.ts';
import type { Bus } from './platform/bus/bus.ts';
import { createLocalBus } from './platform/bus/local.ts';
import { createRedisBus } from './platform/bus/redis.ts';
import type { Clock } from './platform/clock.ts';
import type { Log } from './platform/log.ts';
import type { Database } from './storage/database.ts';
import { type DatabaseConfig, openDatabase, openForReading } from './storage/open.ts';

type StorageEnv = Pick<Env, 'DATABASE_URL' | 'DATA_DIR' | 'SQLITE_SYNCHRONOUS'>;

/** The database that the environment names, for server and command line alike. Throws DatabaseError. `migrate` comes next. */
export function openStorage(env: StorageEnv, clock: Clock): Promise<Database> {
  return openDatabase(configOf(env, clock));
}

/** The same without the right to write; throws DatabaseError instead of creating what is missing. */
export function openStorageForReading(env: StorageEnv, clock: Clock): Promise<Database> {
  return openForReading(configOf(env, clock));
}

/** What the nodes wake each other with; without REDIS_URL there is only this one. Never waits and never throws for a server that is away. */
export function openBus({ REDIS_URL }: Pick<Env, 'REDIS_URL'>, log: Log): Bus {
  return REDIS_URL === undefined ? createLocalBus(log) : createRedisBus({ url: REDIS_URL, log });
}

function configOf(env: StorageEnv, clock: Clock): DatabaseConfig {
  return {
    url: env.DATABASE_URL,
    dataDir: env.DATA_DIR,
    synchronous: env.SQLITE_SYNCHRONOUS,
    worksModule: new URL('./billing/works.ts', import.meta.url),
    clock,
  };
}
