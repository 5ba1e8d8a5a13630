import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { onPostgres, onSqlite } from '../../test/engines.ts';
import { heldOpen } from '../../test/held-open.ts';
import { isOutage, isRepeatable } from './errors.ts';
import { openDatabase } from './open.ts';
import { asDatabaseError } from './postgres/pools.ts';

const oddWorks = new URL('../../test/odd-works.ts', import.meta.url);

onSqlite((_, open, kit) => {
  test('a database thread that dies is replaced: its callers hear of it, the next ones are served', async () => {
    const db = await open({ worksModule: oddWorks });
    const error: unknown = await db.run('die', null).catch((reason: unknown) => reason);
    expect(isOutage(error)).toBe(true);
    await db.run('remember', 'a');
    expect(await db.read.selectFrom('option').select('key').execute()).toEqual([{ key: 'a' }]);
  });

  test('a foreign writer that keeps the file locked makes calls fail in time; afterwards they work', async () => {
    const place = await kit.place();
    const db = await open({ place, worksModule: oddWorks });
    const foreign = new Sqlite(join(place.dataDir, 'tollgate.db'));
    foreign.exec('BEGIN IMMEDIATE');
    const startMs = performance.now();
    const error: unknown = await db.run('remember', 'a').catch((reason: unknown) => reason);
    expect(isRepeatable(error)).toBe(true);
    expect(performance.now() - startMs).toBeLessThan(10_000);
    foreign.exec('ROLLBACK');
    foreign.close();
    await db.run('remember', 'a');
    expect(await db.read.selectFrom('option').select('key').execute()).toEqual([{ key: 'a' }]);
  });

  test('a full disk commits nothing, gives up the ballast file to who closes and not to who comes, and heals', async () => {
    const place = await kit.place();
    const db = await open({ place, worksModule: oddWorks });
    const limit = (pages: number) =>
      db.transaction((tx) => sql`PRAGMA max_page_count = ${sql.raw(String(pages))}`.execute(tx.query));
    expect(existsSync(join(place.dataDir, 'ballast'))).toBe(true);
    await limit(1);
    const beginning: unknown = await db.run('fill', 1_000_000).catch((reason: unknown) => reason);
    expect(beginning).toMatchObject({ kind: 'full', code: 'SQLITE_FULL' });
    expect(existsSync(join(place.dataDir, 'ballast'))).toBe(true);
    const error: unknown = await db.run('fill', 1_000_000, true).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ kind: 'full', code: 'SQLITE_FULL' });
    expect(existsSync(join(place.dataDir, 'ballast'))).toBe(false);
    await limit(1_000_000);
    await db.run('fill', 1_000_000);
    expect(await db.read.selectFrom('option').select('key').execute()).toEqual([{ key: 'big' }]);
  });
});

test('a server that answers at none of its addresses is told with the reason of the first', () => {
  const faults = ['::1', '127.0.0.1'].map((address) => new Error(`connect ECONNREFUSED ${address}:5432`));
  const fault = asDatabaseError(Object.assign(new AggregateError(faults), { code: 'ECONNREFUSED' }));
  expect([String(fault), fault.kind]).toEqual(['DatabaseError: connect ECONNREFUSED ::1:5432', 'unavailable']);
  expect(String(asDatabaseError(Object.assign(new Error(''), { code: 'ETIMEDOUT' })))).toBe('DatabaseError: ETIMEDOUT');
});

test('a start on a server that is not there says which, and nothing of its password', async () => {
  const url = 'postgres://gate:hidden@127.0.0.1:1/books';
  const config = { url, dataDir: '', synchronous: 'FULL', worksModule: oddWorks } as const;
  const fault: unknown = await openDatabase(config).catch((reason: unknown) => reason);
  expect(fault).toMatchObject({ kind: 'unavailable', code: 'ECONNREFUSED' });
  expect(String(fault)).toMatch(/^DatabaseError: PostgreSQL at 127\.0\.0\.1:1\/books: .*ECONNREFUSED.* correct the address$/);
  expect(String(fault)).not.toContain('hidden');
});

onPostgres((_, open) => {
  test('after the server dropped all connections the next calls work', async () => {
    const db = await open({ worksModule: oddWorks });
    await db.run('remember', 'a');
    const dropAll = sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    await dropAll.execute(db.read);
    await db.run('remember', 'b');
    await db.transaction((tx) => tx.query.insertInto('option').values({ key: 'c', value: '1' }).execute());
    expect(await db.read.selectFrom('option').select('key').orderBy('key').execute()).toHaveLength(3);
  });

  test('a row that somebody else keeps locked ends in an error that says so, in time', async () => {
    const db = await open();
    await db.transaction((tx) => tx.query.insertInto('option').values({ key: 'a', value: '1' }).execute());
    const somebody = await heldOpen(db, (tx) => tx.query.updateTable('option').set({ value: '2' }).execute());
    const startMs = performance.now();
    const other = db.transaction((tx) => tx.query.updateTable('option').set({ value: '3' }).execute());
    const error: unknown = await other.catch((reason: unknown) => reason);
    expect(isRepeatable(error)).toBe(true);
    expect(performance.now() - startMs).toBeLessThan(8000);
    await somebody.end();
  });

  test('reading connections have a limit on the server, too', async () => {
    const db = await open();
    const { rows } = await sql<{
      statement_timeout: string;
    }>`SELECT current_setting('statement_timeout') AS statement_timeout`.execute(db.read);
    expect(rows).toEqual([{ statement_timeout: '30s' }]);
  });
});
