import type { Clock } from '../platform/clock.ts';
import type { Database } from './database.ts';
import { openPostgres } from './postgres/open.ts';
import { openSqlite } from './sqlite/open.ts';

export interface DatabaseConfig {
  /** `postgres://...`; absent = the embedded database in `dataDir`. */
  url: string | undefined;
  dataDir: string;
  synchronous: 'FULL' | 'NORMAL';
  /** Module that exports `works: WorkRegistry`; imported where the writer runs. */
  worksModule: URL;
  clock: Clock;
}

/** Opens the database. Throws DatabaseError when it cannot be reached. `migrate` comes next. */
export function openDatabase(config: DatabaseConfig): Promise<Database> {
  return config.url === undefined ? openSqlite(config) : openPostgres({ url: config.url, worksModule: config.worksModule });
}
