import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Database } from '../src/storage/database.ts';
import { migrate } from '../src/storage/migrate.ts';
import { openDatabase } from '../src/storage/open.ts';

const databaseName = 'tollgate_template';

/** Migrated databases that tests copy instead of migrating one each. */
export interface Templates {
  /** Folder of an embedded database. */
  readonly dataDir: string;
  remove(): void;
}

/** What the databases hold beside their tables. */
export type Furnish = (db: Database) => Promise<unknown>;

/** Makes a migrated embedded database, and one on each of the PostgreSQL servers. */
export async function makeTemplates(servers: readonly string[], furnish?: Furnish): Promise<Templates> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-template-'));
  await migrated({ url: undefined, dataDir }, furnish);
  for (const server of servers) {
    await administer(server, `CREATE DATABASE ${databaseName}`);
    await migrated({ url: `${server}/${databaseName}`, dataDir: '' }, furnish);
  }
  return { dataDir, remove: () => rmSync(dataDir, { recursive: true, force: true }) };
}

async function migrated(place: { url: string | undefined; dataDir: string }, furnish?: Furnish): Promise<void> {
  const worksModule = new URL('../src/billing/works.ts', import.meta.url);
  const db = await openDatabase({ ...place, synchronous: 'NORMAL', worksModule });
  await migrate(db);
  await furnish?.(db);
  await db.close();
}

/** A folder of its own, empty or with a copy of the template's database. */
export function newDirectory(template: string | undefined): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-test-'));
  if (template !== undefined) cpSync(template, dataDir, { recursive: true });
  return dataDir;
}

let counter = 0;

/** Creates a database of its own, empty or a copy of the template; returns its name. */
export async function newDatabase(server: string, isEmpty: boolean): Promise<string> {
  counter += 1;
  const name = `t_${process.pid}_${counter}_${Math.floor(Math.random() * 1e6)}`;
  await administer(server, `CREATE DATABASE ${name}${isEmpty ? '' : await asTemplate(server)}`);
  return name;
}

/** As files: page by page through the log, which is usual since version 15, takes twice as long. */
async function asTemplate(server: string): Promise<string> {
  const { rows } = await poolOn(server).query<{ server_version_num: string }>('SHOW server_version_num');
  return ` TEMPLATE ${databaseName}${Number(rows[0]?.server_version_num) < 150_000 ? '' : ' STRATEGY FILE_COPY'}`;
}

export const dropDatabase = (server: string, name: string): Promise<void> =>
  administer(server, `DROP DATABASE ${name} WITH (FORCE)`);

/** One connection to each server, kept: to make one took as long as most tests. It keeps no process alive, and goes with its server. */
const pools = new Map<string, pg.Pool>();

function poolOn(server: string): pg.Pool {
  const known = pools.get(server);
  if (known !== undefined) return known;
  const connectionString = `${server}/postgres`;
  const fresh = new pg.Pool({ connectionString, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
  fresh.on('error', () => undefined);
  pools.set(server, fresh);
  return fresh;
}

async function administer(server: string, statement: string): Promise<void> {
  await poolOn(server).query(statement);
}
