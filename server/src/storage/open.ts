import type { InTurn } from '../platform/workers/turns.ts';
import { type Database, refuseWrite } from './database.ts';
import { openSqlite, openSqliteForReading } from './sqlite/open.ts';

export interface DatabaseConfig {
  /** `postgres://...`; absent = the embedded database in `dataDir`. */
  url: string | undefined;
  dataDir: string;
  synchronous: 'FULL' | 'NORMAL';
  /** Module that exports `works: WorkRegistry`; imported where works run. */
  worksModule: URL;
  /** How several processes take turns in writing into one embedded database. */
  inTurn?: InTurn | undefined;
}

/** Opens the database. Throws DatabaseError when it cannot be reached. `migrate` comes next. */
export function openDatabase(config: DatabaseConfig): Promise<Database> {
  return config.url === undefined ? openSqlite(config) : openServer(config.url, config);
}

/** The same for tools that only look: creates nothing, and every write is refused. */
export async function openForReading(config: DatabaseConfig): Promise<Database> {
  if (config.url === undefined) return openSqliteForReading(config);
  const database = await openServer(config.url, config);
  return { ...database, transaction: refuseWrite, run: refuseWrite };
}

/** A start on the embedded database does not wait for the library of the other one. */
async function openServer(url: string, { worksModule }: DatabaseConfig): Promise<Database> {
  const { openPostgres } = await import('./postgres/open.ts');
  return openPostgres({ url, worksModule });
}
