import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { systemClock } from '../src/platform/clock.ts';
import { migrate } from '../src/storage/migrate.ts';
import { openDatabase } from '../src/storage/open.ts';

const databaseName = 'tollgate_template';

/** Migrated databases that tests copy instead of migrating one each. */
export interface Templates {
  /** Folder of an embedded database. */
  readonly dataDir: string;
  remove(): void;
}

/** Makes a migrated embedded database, and one on each of the PostgreSQL servers. */
export async function makeTemplates(servers: readonly string[]): Promise<Templates> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-template-'));
  await migrated({ url: undefined, dataDir });
  for (const server of servers) {
    await administer(server, `CREATE DATABASE ${databaseName}`);
    await migrated({ url: `${server}/${databaseName}`, dataDir: '' });
  }
  return { dataDir, remove: () => rmSync(dataDir, { recursive: true, force: true }) };
}

async function migrated(place: { url: string | undefined; dataDir: string }): Promise<void> {
  const worksModule = new URL('../src/billing/works.ts', import.meta.url);
  const db = await openDatabase({ ...place, synchronous: 'NORMAL', worksModule, clock: systemClock });
  await migrate(db);
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
  await administer(server, `CREATE DATABASE ${name}${isEmpty ? '' : ` TEMPLATE ${databaseName}`}`);
  return name;
}

export const dropDatabase = (server: string, name: string): Promise<void> =>
  administer(server, `DROP DATABASE ${name} WITH (FORCE)`);

async function administer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${server}/postgres` });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
