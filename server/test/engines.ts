import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, describe, inject } from 'vitest';
import type { Database } from '../src/storage/database.ts';
import { migrate } from '../src/storage/migrate.ts';
import { openDatabase } from '../src/storage/open.ts';
import { dropDatabase, newDatabase, newDirectory } from './template.ts';

export interface OpenOptions {
  worksModule?: URL;
  /** A database made by an earlier `place()`: several handles on one database. */
  place?: Place;
}

/** Where a fresh database lives. */
export interface Place {
  url: string | undefined;
  dataDir: string;
}

export interface EngineKit {
  /** A new place with a migrated database, or nothing; dropped when the test ends, or the file when made outside of a test. */
  place(options?: { isEmpty?: boolean }): Promise<Place>;
}

/** Opens a migrated database; without `options.place` a fresh one of its own. Closed when the test ends, or the file when opened outside of a test. */
export type Open = (options?: OpenOptions) => Promise<Database>;

export const productWorks = new URL('../src/billing/works.ts', import.meta.url);

type Body = (name: Database['engine'], open: Open, kit: EngineKit) => void;

/** Runs the same tests on every engine of this machine; a missing engine is counted as skipped. */
export function onEachEngine(body: Body): void {
  onSqlite(body);
  onPostgres(body);
}

/** For what only the embedded engine has: its threads and its file. */
export function onSqlite(body: Body): void {
  const wanted = (process.env.TOLLGATE_TEST_ENGINES ?? 'sqlite,postgres').split(',');
  describe.skipIf(!wanted.includes('sqlite'))('sqlite', () => {
    suite('sqlite', body, async (isEmpty) => {
      const dataDir = newDirectory(isEmpty ? undefined : inject('templateDir'));
      return { url: undefined, dataDir, drop: async () => rmSync(dataDir, { recursive: true, force: true }) };
    });
  });
}

/** For what only PostgreSQL can do: connections that break, rows locked by others. */
export function onPostgres(body: Body): void {
  const servers = inject('postgresUrls');
  const postgresUrl = servers[Number(process.env.VITEST_POOL_ID) % servers.length] ?? '';
  describe.skipIf(postgresUrl === '')('postgres', () => {
    suite('postgres', body, async (isEmpty) => {
      const name = await newDatabase(postgresUrl, isEmpty);
      return { url: `${postgresUrl}/${name}`, dataDir: '', drop: () => dropDatabase(postgresUrl, name) };
    });
  });
}

type Create = (isEmpty: boolean) => Promise<Place & { drop(): Promise<void> }>;

function suite(name: Database['engine'], body: Body, create: Create): void {
  const forFile: (() => Promise<void>)[] = [];
  const forTest: (() => Promise<void>)[] = [];
  let cleanups = forFile;
  const clean = async (list: (() => Promise<void>)[]): Promise<void> => {
    for (const cleanup of list.splice(0).reverse()) await cleanup();
  };
  beforeEach(() => {
    cleanups = forTest;
  });
  afterEach(async () => {
    cleanups = forFile;
    await clean(forTest);
  });
  afterAll(() => clean(forFile));
  const place: EngineKit['place'] = async ({ isEmpty = false } = {}) => {
    const made = await create(isEmpty);
    cleanups.push(made.drop);
    return made;
  };
  const open: Open = async (options = {}) => {
    const { url, dataDir } = options.place ?? (await place());
    const worksModule = options.worksModule ?? productWorks;
    const db = await openDatabase({ url, dataDir, synchronous: 'FULL', worksModule });
    cleanups.push(() => db.close());
    await migrate(db);
    return db;
  };
  body(name, open, { place });
}
