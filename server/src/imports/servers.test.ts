import { join } from 'node:path';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newFolder, runCommand } from '../../test/cli-kit.ts';
import { onPostgres } from '../../test/engines.ts';
import {
  channelRow,
  createStatements,
  type FixtureEngine,
  type FixtureRows,
  fixtureTables,
  insertStatements,
  keyOf,
  logRow,
  tokenRow,
  userRow,
  writeSqliteFixture,
} from '../../test/import-kit.ts';
import { type TestMariadb, withMariadb } from '../../test/mariadb.ts';

const SECRET_KEY = 'ab'.repeat(32);
const tables = fixtureTables['new-api'];
/** Keys shorter than their column: PostgreSQL pads them with blanks. */
const shortKey = keyOf('short').slice(0, 32);
const rows: FixtureRows = {
  users: [
    userRow(1, { username: 'root', role: 100, access_token: 'a'.repeat(30) }),
    userRow(2, { quota: 3_000_000_000, used_quota: 12, aff_quota: 4, display_name: '小明 🙂' }),
    userRow(3, { quota: 1, deleted_at: '2025-01-01 00:00:00' }),
  ],
  tokens: [tokenRow(1, 2, { key: shortKey, unlimited_quota: true, group: 'vip' }), tokenRow(2, 2, { remain_quota: 9 })],
  channels: [
    channelRow(1, 1, {
      key: 'one-0123456789\ntwo-0123456789',
      channel_info: { is_multi_key: true, multi_key_mode: 'random', multi_key_status_list: { 0: 3 } },
    }),
  ],
  redemptions: [{ id: 1, user_id: 1, key: 'd'.repeat(32), status: 1, name: 'gift', quota: 5, created_time: 1, expired_time: 0 }],
  options: [{ key: 'ModelRatio', value: '{"gpt-4o-mini":0.075}' }],
  logs: [logRow(1, 2, { quota: 12, use_time: 2, is_stream: true })],
  top_ups: [],
};

/** What the same rows are as a file, without what tells the runs apart. */
async function broughtFrom(from: string) {
  const env = { DATA_DIR: join(newFolder(), 'data'), SECRET_KEY };
  const bring = (...more: string[]) => runCommand(env, 'import', '--from', from, '--json', ...more);
  const rehearsal = await bring('--dry-run');
  expect(rehearsal.exitCode, rehearsal.err + rehearsal.out).toBe(0);
  const answer = await bring();
  expect(answer.exitCode, answer.err + answer.out).toBe(0);
  const again = (await bring('--delta')).json();
  expect(again.counts.users).toMatchObject({ imported: 0, known: 2, changed: 0 });
  expect(again.counts.logs).toMatchObject({ imported: 0, known: 1 });
  expect((await runCommand(env, 'doctor', 'ledger', '--json')).json()).toMatchObject({ ok: true });
  expect(answer.out + answer.err).not.toContain('planted');
  return answer.json();
}

async function asFile() {
  const file = join(newFolder(), 'same.db');
  writeSqliteFixture(file, tables, rows);
  return broughtFrom(file);
}

type Execute = (sql: string, values: unknown[]) => Promise<unknown>;

async function fill(engine: FixtureEngine, execute: Execute): Promise<void> {
  for (const sql of createStatements(engine, tables)) await execute(sql, []);
  for (const { sql, values } of insertStatements(engine, tables, rows)) {
    let number = 0;
    await execute(engine === 'postgres' ? sql.replaceAll('?', () => `$${++number}`) : sql, values);
  }
}

/** One and the same site, however it was stored. */
async function expectSame(from: string): Promise<void> {
  const [{ database: _, ...found }, { database: __, ...wanted }] = [await broughtFrom(from), await asFile()];
  expect(found).toEqual(wanted);
  expect(found).toMatchObject({
    product: 'new-api',
    before: { balance: 3_000_000_000, used: 12, affiliate: 4 },
    counts: { users: { imported: 2, skipped: 1 }, tokens: { imported: 2 }, channels: { imported: 1 }, logs: { imported: 1 } },
  });
}

test.each(['postgres', 'mysql'])('a %s server that is not there is told of without its password', async (engine) => {
  const env = { DATA_DIR: join(newFolder(), 'data'), SECRET_KEY };
  const answer = await runCommand(env, 'import', '--from', `${engine}://reader:planted-word@127.0.0.1:1/site`);
  expect(answer).toMatchObject({ exitCode: 1, err: expect.stringContaining('cannot be read') });
  expect(answer.err).not.toContain('planted-word');
});

test.each(['root:planted-word@tcp(db:3306)/one-api', 'host=db user=reader password=planted-word dbname=site'])(
  'an address in the form of the source is no file: %s',
  async (from) => {
    const answer = await runCommand({ DATA_DIR: join(newFolder(), 'data'), SECRET_KEY }, 'import', '--from', from);
    expect(answer).toMatchObject({ exitCode: 2, err: expect.stringContaining('mysql://') });
    expect(answer.err).not.toContain('planted-word');
  },
);

onPostgres((_engine, _open, { place }) => {
  // Ids of 32 bits are what other tools make of a file that they bring into PostgreSQL.
  test.each(['bigserial', 'serial'])('the same site in PostgreSQL comes as from a file: ids %s', async (idType) => {
    const { url = '' } = await place({ isEmpty: true });
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await fill('postgres', (sql, values) => client.query(sql.replaceAll('bigserial', idType), values));
    await client.end();
    await expectSame(url);
  });
});

withMariadb((start) => {
  let server: TestMariadb;
  beforeAll(async () => {
    server = await start();
  }, 90_000);
  afterAll(() => server?.stop());

  test('the same site in MariaDB comes as from a file', async () => {
    const connection = await mysql.createConnection(server.url);
    await fill('mysql', (sql, values) => connection.query(sql, values));
    await connection.end();
    await expectSame(server.url);
  });
});
