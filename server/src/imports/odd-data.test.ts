import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder, runCommand } from '../../test/cli-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import {
  type FixtureRows,
  type FixtureTables,
  fixtureTables,
  keyOf,
  logRow,
  tokenRow,
  userRow,
  writeSqliteFixture,
} from '../../test/import-kit.ts';
import { nowSeconds, systemClock } from '../platform/clock.ts';

const SECRET_KEY = 'ab'.repeat(32);

onEachEngine((_engine, open, { place }) => {
  const bring = async (rows: FixtureRows, more: FixtureTables = {}) => {
    const where = await place();
    const db = await open({ place: where });
    const file = join(newFolder(), 'one-api.db');
    writeSqliteFixture(file, { ...fixtureTables['new-api'], ...more }, rows);
    const env = where.url === undefined ? { DATA_DIR: where.dataDir, SECRET_KEY } : { DATABASE_URL: where.url, SECRET_KEY };
    const run = async (...more: string[]) => (await runCommand(env, 'import', '--from', file, '--json', ...more)).json();
    const prove = async () => (await runCommand(env, 'doctor', 'ledger', '--json')).json();
    return { db, run, prove };
  };

  test('balances that together are more than a number holds are compared to the unit', async () => {
    const balances = [999_999_999_999_999, 1, 1, 9_007_199_254_740_990, 999_999_999_999_999, 1, 3, 7];
    const users = balances.map((quota, index) => userRow(index + 1, { quota, used_quota: quota }));
    const { run, prove } = await bring({ users });
    expect(await run()).toMatchObject({ ok: true, counts: { users: { imported: 8 } } });
    expect(await run()).toMatchObject({ ok: true, counts: { users: { known: 8 } } });
    expect(await prove()).toMatchObject({ ok: true });
  });

  test('a row of the log with figures that no call has comes without them, and keeps no other back', async () => {
    const most = 9_007_199_254_740_991;
    const odd = [{ quota: most }, { quota: most }, { prompt_tokens: most, completion_tokens: most }, { prompt_tokens: most }];
    const logs = [...odd, { quota: 5 }, { use_time: most }].map((fields, index) => logRow(index + 1, 2, fields));
    const { db, run, prove } = await bring({ users: [userRow(2, { used_quota: 5 })], logs });
    expect(await run()).toMatchObject({ ok: true, counts: { logs: { imported: 6 } }, noted: { 'logs.beyond': 5 } });
    const sum = db.read
      .selectFrom('log')
      .select((row) => [row.fn.sum<number>('quota').as('quota'), row.fn.countAll<number>().as('rows')]);
    expect(await sum.where('type', '=', 2).executeTakeFirst()).toEqual({ quota: 5, rows: 6 });
    expect(await prove()).toMatchObject({ ok: true });
  });

  test('rows with numbers that code cannot hold exactly come once, each of them', async () => {
    const ids = Array.from({ length: 210 }, (_, index) => 2n ** 60n + BigInt(index));
    const tokens = ids.map((id) => ({ ...tokenRow(0, 2, { key: keyOf(`t${id}`) }), id }));
    const logs = [1n, 2n ** 53n, ...ids].map((id) => ({ ...logRow(0, 2, { quota: 1 }), id }));
    const { run, prove } = await bring({ users: [userRow(2, { used_quota: 212 })], tokens, logs });
    const counts = { tokens: { found: 210, imported: 210 }, logs: { found: 212, imported: 212 } };
    expect(await run()).toMatchObject({ ok: true, counts });
    expect(await run()).toMatchObject({ ok: true, counts: { tokens: { known: 210 }, logs: { known: 212, imported: 0 } } });
    expect(await prove()).toMatchObject({ ok: true });
  });

  test('a row of the log whose time is still to come keeps no other back', async () => {
    const now = nowSeconds(systemClock);
    const ages = [-400_000_000, 500, -400_000_000, 5, 200];
    const logs = ages.map((age, index) => logRow(index + 1, 2, { created_at: now - age }));
    const { run } = await bring({ users: [userRow(2)], logs });
    expect(await run()).toMatchObject({ counts: { logs: { imported: 3 } }, noted: { 'logs.later': 1 } });
    expect(await run('--delta')).toMatchObject({ counts: { logs: { known: 3, imported: 2 } }, noted: {} });
  });

  test('many users without a name, or with one name, all come', async () => {
    const users = Array.from({ length: 30 }, (_, index) =>
      userRow(index + 1, { username: index % 2 === 0 ? null : 'same', quota: 1 }),
    );
    const { db, run, prove } = await bring({ users });
    expect(await run()).toMatchObject({ ok: true, counts: { users: { imported: 30 } } });
    const names = (await db.read.selectFrom('users').select('username').execute()).map(({ username }) => username);
    expect(new Set(names).size).toBe(30);
    expect(names.filter((name) => name === '')).toEqual([]);
    expect(await prove()).toMatchObject({ ok: true });
  });

  test('names that differ by their capitals alone stay as they were typed, and one of them answers to all spellings', async () => {
    const users = ['Bob', 'bob', 'ROOT'].map((username, index) => userRow(index + 2, { username }));
    const { db, run, prove } = await bring({ users });
    expect(await run()).toMatchObject({ ok: true, counts: { users: { imported: 3 } } });
    const rows = await db.read.selectFrom('users').select(['username', 'name_key']).where('role', '=', 1).orderBy('id').execute();
    expect(rows.map(({ username }) => username)).toEqual(['Bob', 'bob', 'ROOT']);
    expect(rows.slice(0, 2).map(({ name_key }) => name_key)).toEqual(['bob', null]);
    expect(await prove()).toMatchObject({ ok: true });
  });

  test('of rows with one key a dry run counts as many as an import brings', async () => {
    const [key, code] = ['k'.repeat(48), 'c'.repeat(32)];
    const codeRow = (id: number, text: string) => ({
      id,
      key: text,
      user_id: 1,
      status: 1,
      name: 'gift',
      quota: 5,
      created_time: 1,
    });
    const { run } = await bring({
      users: [userRow(1)],
      tokens: [tokenRow(1, 1, { key }), tokenRow(2, 1, { key: `sk-${key}` }), tokenRow(3, 1)],
      redemptions: [codeRow(1, code), codeRow(2, code.toUpperCase())],
    });
    const rehearsal = await run('--dry-run');
    expect(rehearsal.counts).toMatchObject({ tokens: { imported: 2, skipped: 1 }, redemptions: { imported: 1, skipped: 1 } });
    const { counts, noted, tokensHash } = await run();
    expect(counts).toEqual(rehearsal.counts);
    expect(noted).toEqual({ 'tokens.taken': 1, 'redemptions.taken': 1 });
    expect([rehearsal.noted, rehearsal.tokensHash.before]).toEqual([noted, tokensHash.before]);
  });

  test('tables that do not come are counted where they hold something', async () => {
    const names = ['subscription_plans', 'custom_oauth_providers', 'models', 'prefill_groups', 'async_task_bindings'];
    const more: FixtureTables = Object.fromEntries([...names, 'vendors'].map((name) => [name, { id: 'id' }]));
    const { run } = await bring({ users: [userRow(1)], ...Object.fromEntries(names.map((name) => [name, [{ id: 7 }]])) }, more);
    expect((await run('--dry-run')).left).toEqual(Object.fromEntries(names.map((name) => [name, 1])));
  });
});
