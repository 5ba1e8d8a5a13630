import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { productWorks } from '../../test/engines.ts';
import { heldOpen } from '../../test/held-open.ts';
import { findPostgres, startPostgres, type TestPostgres } from '../../test/postgres.ts';
import { begin, seedLog, usageRow } from '../../test/usage-kit.ts';
import { systemClock } from '../platform/clock.ts';
import { createChangeReader } from './change-reader.ts';
import { notifyChange } from './changes.ts';
import type { Database } from './database.ts';
import { createHorizon } from './horizon.ts';
import { inspectEngine } from './inspect.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open.ts';
import { pingDatabase } from './ping.ts';
import { createPool } from './postgres/pools.ts';
import { sessionOn } from './postgres/session.ts';
import { createTimelines } from './postgres/timelines.ts';

const bin = findPostgres();

describe.skipIf(bin === undefined)('after a fail-over to a database that lacks the newest rows', () => {
  let server: TestPostgres;
  let url: string;
  let db: Database;
  beforeAll(async () => {
    server = await startPostgres(bin ?? '', 40);
    url = `${server.url}/postgres`;
    db = await openDatabase({ url, dataDir: '', synchronous: 'FULL', worksModule: productWorks });
    await migrate(db);
  });
  afterAll(async () => {
    await db.close();
    await server.stop();
  });

  /** The database as a standby has it that got nothing after this row. */
  const forget = async (table: 'change' | 'log', key: 'seq' | 'id', after: number): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`DELETE FROM ${table} WHERE ${key} > $1`, [after]);
    await client.query(`SELECT setval(pg_get_serial_sequence('${table}', '${key}'), $1)`, [after]);
    await client.end();
    await server.crash(0);
  };

  /** It goes on as a standby of its own, which is promoted after `meanwhile`. */
  const failOver = async (meanwhile = async (): Promise<void> => undefined): Promise<void> => {
    const operator = new pg.Client({ connectionString: url });
    await operator.connect();
    const { rows } = await operator.query<{ data_directory: string }>('SHOW data_directory');
    await operator.end();
    writeFileSync(join(rows[0]?.data_directory ?? '', 'standby.signal'), '');
    const isPrimary = server.crash(0);
    const standby = createPool({ url, max: 1 });
    const inRecovery = () => standby.query('SELECT pg_is_in_recovery() AS standby').then((answer) => answer.rows, String);
    await expect.poll(inRecovery, { timeout: 20_000 }).toEqual([{ standby: 1 }]);
    await meanwhile();
    await standby.query('SELECT pg_promote()');
    await isPrimary;
    await standby.end();
  };

  test('everything is read anew, since numbers that were read already now stand for other changes', async () => {
    const note = (key: string) => db.transaction((tx) => tx.perform(notifyChange('user', key, 1)));
    const reader = createChangeReader({ db, clock: systemClock });
    const look = async () => (await reader.changesSince()).map(({ kind, key }) => `${kind} ${key}`);
    await note('0');
    expect(await look()).toEqual([]);
    const before = reader.seq();
    for (const key of ['1', '2', '3']) await note(key);
    expect(await look()).toEqual(['user 1', 'user 2', 'user 3']);
    await forget('change', 'seq', before);
    await note('4');
    expect((await look()).sort()).toEqual(['channel *', 'option *', 'token *', 'user *']);
    expect(await look()).toEqual([]);
    await note('5');
    expect(await look()).toEqual(['user 5']);
  });

  test('connections that lead to what only reads are given up: whoever writes, and the look at the readiness, finds the new primary', async () => {
    const operator = new pg.Client({ connectionString: url });
    await operator.connect();
    // As each connection finds it when it is made, and never again: like an address that leads to a standby for a moment.
    const astray = async (): Promise<void> => {
      await operator.query('ALTER DATABASE postgres SET default_transaction_read_only = on');
      await operator.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
    };
    const works = (promise: Promise<unknown>) =>
      promise.then(
        () => 'works',
        (error: { kind?: string; code?: string }) => `${error.kind} ${error.code}`,
      );
    const write = () => works(db.transaction((tx) => tx.perform(notifyChange('user', 'astray', 1))));
    const ping = () => works(pingDatabase(db));
    await astray();
    for (const each of [write, write, write, write, write, ping, ping]) await each();
    expect([await write(), await ping()]).toEqual(['unavailable 25006', 'unavailable 25006']);
    await operator.query('ALTER DATABASE postgres RESET default_transaction_read_only');
    await operator.end();
    expect(await write()).toBe('works');
    await expect.poll(ping, { timeout: 5_000 }).toBe('works');
  });

  test('a standby that has not taken over yet does not speak for a COMMIT whose answer was lost', async () => {
    const limits = { lockTimeoutMs: 1000, statementTimeoutMs: 5000, idleTimeoutMs: 30_000 };
    const pool = createPool({ url, max: 2 });
    const session = sessionOn(pool, limits, createTimelines());
    await session.begin();
    await failOver(async () => {
      await expect(session.commit()).rejects.toMatchObject({ kind: 'unknown' });
    });
    await pool.end();
  });

  test('commits that wait for a synchronous standby that is gone are seen, and go on when nobody asks for it any more', async () => {
    const operator = new pg.Client({ connectionString: url });
    await operator.connect();
    const wantStandby = async (name: string): Promise<void> => {
      await operator.query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
      await operator.query('SELECT pg_reload_conf()');
      await expect
        .poll(async () => (await operator.query('SHOW synchronous_standby_names')).rows)
        .toEqual([{ synchronous_standby_names: name }]);
    };
    const waiting = async () => (await inspectEngine(db, { dataDir: '', synchronous: 'FULL' })).waitingCommits;
    expect(await waiting()).toBe(0);
    await wantStandby('gone');
    const write = db.transaction((tx) => tx.perform(notifyChange('user', 'standby', 1)));
    await expect.poll(waiting, { timeout: 8_000 }).toBe(1);
    await wantStandby('');
    await operator.end();
    await write;
    expect(await waiting()).toBe(0);
  });

  test('no row is believed to be the last of those below it because one with its id was', async () => {
    const horizon = createHorizon(db);
    const row = usageRow({ created_at: begin });
    await seedLog(db, [row, row, row]);
    await expect.poll(() => horizon.settledId(), { timeout: 10_000 }).toBe(3);
    await forget('log', 'id', 1);
    const slow = await heldOpen(db, (tx) => tx.query.insertInto('log').values(row).execute());
    await seedLog(db, [row]);
    for (let look = 0; look < 5; look += 1) expect(await horizon.settledId()).toBeLessThan(2);
    await slow.end();
    await expect.poll(() => horizon.settledId(), { timeout: 10_000 }).toBe(3);
  });

  test('a former primary that is back at the address is not written to by whoever has written to the new one', async () => {
    const write = (to: Database, key: string) => to.transaction((tx) => tx.perform(notifyChange('user', key, 1)));
    const settles = (to: Database) => to.run<unknown>('ledger.expired', { now: 0, limit: 1 });
    await server.keep();
    await write(db, 'both');
    await failOver();
    await Promise.all([write(db, 'new'), settles(db)]);
    await expect.poll(() => pingDatabase(db).then(() => 'ready', String), { timeout: 5_000 }).toBe('ready');
    await server.rewind();
    const former = { kind: 'unavailable', message: expect.stringMatching(/former primary.* timeline \d+,.* written on \d+/) };
    await expect(write(db, 'former')).rejects.toMatchObject(former);
    await expect(settles(db)).rejects.toMatchObject(former);
    await expect(pingDatabase(db)).rejects.toMatchObject(former);
    const keys = await db.read.selectFrom('change').select('key').where('key', 'in', ['new', 'former']).execute();
    expect(keys).toEqual([]);
    const again = await openDatabase({ url, dataDir: '', synchronous: 'FULL', worksModule: productWorks });
    await write(again, 'as meant');
    await again.close();
  });
});
