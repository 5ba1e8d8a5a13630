import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newFolder, runCommand } from '../../test/cli-kit.ts';
import { onEachEngine, onPostgres } from '../../test/engines.ts';
import {
  channelRow,
  type FixtureRows,
  fixtureTables,
  logRow,
  tokenRow,
  userRow,
  writeSqliteFixture,
} from '../../test/import-kit.ts';
import { bookOpening, openingTotals } from '../billing/index.ts';
import { nowSeconds, systemClock } from '../platform/clock.ts';
import { createCrypto } from '../platform/crypto.ts';

const SECRET_KEY = 'ab'.repeat(32);
const codeRow = (id: number, more: object = {}) => ({
  ...{ id, user_id: 1, key: String(id).repeat(32), status: 1, name: `code ${id}`, quota: 5, created_time: 1 },
  ...more,
});

onEachEngine((_engine, open, { place }) => {
  /** A site that was brought over once. */
  const scene = async (rows: FixtureRows, product: keyof typeof fixtureTables = 'new-api') => {
    const where = await place();
    const db = await open({ place: where });
    const file = join(newFolder(), 'one-api.db');
    writeSqliteFixture(file, fixtureTables[product], rows);
    const env = where.url === undefined ? { DATA_DIR: where.dataDir, SECRET_KEY } : { DATABASE_URL: where.url, SECRET_KEY };
    const attempt = (...more: string[]) => runCommand(env, 'import', '--from', file, '--json', ...more);
    const bring = async (...more: string[]) => {
      const answer = await attempt(...more);
      expect(answer.exitCode, answer.err + answer.out).toBe(0);
      return answer.json();
    };
    const atSource = (...statements: string[]) => {
      const source = new Sqlite(file);
      for (const statement of statements) source.exec(statement);
      source.close();
    };
    const tokens = () => db.read.selectFrom('token').selectAll().orderBy('id').execute();
    const users = () => db.read.selectFrom('users').selectAll().orderBy('id').execute();
    const codes = async () =>
      (await db.read.selectFrom('redemption').select('status').orderBy('id').execute()).map(({ status }) => status);
    await bring();
    const here = (table: 'users' | 'token', id: number, columns: object) =>
      db.transaction((tx) => tx.query.updateTable(table).set(columns).where('id', '=', id).execute());
    return { attempt, here, db, env, bring, atSource, tokens, users, codes };
  };

  test('what is no longer in the tables there ends here with a delta; of a user without a row it is said', async () => {
    const { env, bring, atSource, tokens, users, codes } = await scene(
      {
        users: [userRow(1, { username: 'root', role: 100 }), userRow(2, { quota: 70, used_quota: 3 }), userRow(3)],
        tokens: [tokenRow(1, 2), tokenRow(2, 2), tokenRow(3, 3)],
        redemptions: [codeRow(1), codeRow(2), codeRow(3), codeRow(4, { status: 2 })],
      },
      'one-api',
    );
    atSource('DELETE FROM tokens WHERE id = 1', 'DELETE FROM redemptions WHERE id = 1', 'DELETE FROM users WHERE id = 2');
    atSource('UPDATE redemptions SET status = 2 WHERE id = 2');
    const told = { 'users.missing': 1, 'tokens.deleted_since': 1, 'redemptions.deleted_since': 1 };
    const plain = await bring();
    expect(plain).toMatchObject({ noted: told, counts: { tokens: { changed: 1 }, redemptions: { changed: 2 } } });
    expect(plain.notes).toContainEqual({ kind: 'users', what: 'missing', key: '2', detail: 'user2' });
    expect((await tokens()).map(({ deleted_at: at }) => at)).toEqual([null, null, null]);
    expect(await codes()).toEqual([1, 1, 1, 2]);
    expect((await bring('--delta')).noted).toMatchObject(told);
    expect((await tokens()).map(({ deleted_at: at, status }) => [at !== null, status])).toEqual([
      [true, 2],
      [false, 1],
      [false, 1],
    ]);
    expect(await codes()).toEqual([2, 2, 1, 2]);
    expect((await users()).map(({ status }) => status)).toEqual([1, 1, 1]);
    const again = await bring('--delta');
    expect(again.counts).toMatchObject({ tokens: { changed: 0 }, redemptions: { changed: 0 } });
    expect(again.noted).toEqual({ 'tokens.ownerless': 1, 'users.missing': 1, 'logs.elsewhere': 1 });
    expect((await runCommand(env, 'doctor', 'ledger', '--json')).json()).toMatchObject({ ok: true });
  });

  test('who has figures there by now that cannot be held keeps the last ones here, and tokens and log go on', async () => {
    const { db, bring, atSource, tokens, env } = await scene({
      users: [userRow(2, { quota: 70, used_quota: 3 })],
      tokens: [tokenRow(1, 2), tokenRow(2, 2)],
      logs: [logRow(1, 2, { quota: 3 })],
    });
    const most = '9223372036854775807';
    atSource(`UPDATE users SET quota = ${most}`, `UPDATE tokens SET remain_quota = ${most}, used_quota = ${most} WHERE id = 1`);
    atSource("UPDATE tokens SET name = 'new' WHERE id = 2");
    atSource('INSERT INTO logs (id, user_id, created_at, type, quota, token_id) VALUES (2, 2, 1700000009, 2, 4, 1)');
    const told = await bring('--delta');
    expect(told).toMatchObject({
      ok: true,
      before: { balance: 70, used: 3 },
      counts: { users: { known: 1 }, logs: { imported: 1 } },
    });
    expect(told.noted).toEqual({ 'users.overflow_since': 1, 'tokens.overflow': 1 });
    expect((await tokens()).map(({ name }) => name)).toEqual(['token 1', 'new']);
    const rows = await db.read
      .selectFrom('log')
      .select(['username', 'token_id', 'quota'])
      .where('type', '=', 2)
      .orderBy('id')
      .execute();
    expect(rows[1]).toEqual({ username: 'user2', token_id: 1, quota: 4 });
    expect((await runCommand(env, 'doctor', 'ledger', '--json')).json()).toMatchObject({ ok: true });
  });

  test('rows of the log that a deleted channel or token wrote before keep both, and a channel that is gone there is told of', async () => {
    const { db, bring, atSource } = await scene({
      users: [userRow(2)],
      tokens: [tokenRow(7, 2)],
      channels: [channelRow(3, 1), channelRow(4, 1)],
    });
    atSource('DELETE FROM channels WHERE id = 3', 'UPDATE tokens SET deleted_at = 1');
    const written = 'INSERT INTO logs (id, user_id, created_at, type, quota, channel_id, token_id) VALUES';
    atSource(`${written} (1, 2, 1700000000, 2, 0, 3, 7), (2, 2, 1700000001, 2, 0, 4, 7)`);
    const report = await bring('--delta');
    expect(report).toMatchObject({ noted: { 'channels.deleted_since': 1 }, counts: { channels: { known: 1, changed: 1 } } });
    const rows = await db.read.selectFrom('log').select(['channel_id', 'token_id']).where('type', '=', 2).orderBy('id').execute();
    expect(rows).toEqual([
      { channel_id: 1, token_id: 1 },
      { channel_id: 2, token_id: 1 },
    ]);
    expect((await db.read.selectFrom('channel').select('status').execute()).map(({ status }) => status)).toEqual([1, 1]);
    await db.transaction((tx) => tx.query.deleteFrom('channel').where('id', '=', 1).execute());
    const again = await bring('--delta');
    expect(again).toMatchObject({ counts: { channels: { known: 2, changed: 0 } } });
    expect(again.noted).not.toHaveProperty(['channels.deleted_since']);
  });

  test('a secret comes with the place that it is sent to, also where options are saved one by one', async () => {
    const options = [
      { key: 'EpayKey', value: 'first-key' },
      { key: 'PayAddress', value: 'https://pay.example' },
    ];
    const { db, bring, atSource } = await scene({ users: [userRow(2)], options });
    const crypto = createCrypto(Buffer.from(SECRET_KEY, 'hex'));
    const after = async (...statements: string[]) => {
      atSource(...statements);
      const { noted } = await bring('--delta');
      const rows = await db.read.selectFrom('option').selectAll().orderBy('key').execute();
      const [secret, place] = rows.map(({ value }) => value);
      return [secret && crypto.open(secret, 'option/value/EpayKey'), place, noted['options.refused']];
    };
    const move = (to: string) => `UPDATE options SET value = '${to}' WHERE key = 'PayAddress'`;
    expect(await after(move('https://new.example'))).toEqual(['first-key', 'https://new.example', undefined]);
    const replace = "UPDATE options SET value = 'second-key' WHERE key = 'EpayKey'";
    const refused = "INSERT INTO options (key, value) VALUES ('TurnstileCheckEnabled', 'true')";
    const last = await after(move('https://last.example'), replace, refused);
    expect(last).toEqual(['second-key', 'https://last.example', 1]);
  });

  test('a code that is worth something else there is worth that here, and one that ends there now ends here, too', async () => {
    const ids = [1, 2, 3, 4, 5, 6];
    const redemptions = ids.map((id) => codeRow(id, { expired_time: id === 6 ? 88 : 0 }));
    const { db, bring, atSource } = await scene({ users: [userRow(2)], redemptions });
    const codes = async () => {
      const rows = await db.read.selectFrom('redemption').select(['status', 'quota', 'expires_at']).orderBy('id').execute();
      return rows.map(({ status, quota, expires_at: endsAt }) => [status, quota, endsAt]);
    };
    await db.transaction(async (tx) => {
      await tx.query.updateTable('redemption').set({ status: 3 }).where('id', '=', 4).execute();
      // As imports of before left it.
      const mark = tx.query.updateTable('import_row').set({ state: '{}' }).where('kind', '=', 'redemption');
      await mark.where('source_key', '=', '5').execute();
      // As imports of when codes here had no end left one that had one there.
      const off = tx.query.updateTable('redemption').set({ status: 2, expires_at: 0 });
      await off.where('id', '=', 6).execute();
      for (const [key, ends] of Object.entries({ 2: false, 6: true })) {
        const before = tx.query.updateTable('import_row').set({ state: JSON.stringify({ ends, quota: 5 }) });
        await before.where('kind', '=', 'redemption').where('source_key', '=', key).execute();
      }
    });
    atSource('UPDATE redemptions SET quota = 9 WHERE id IN (1, 4, 5)', 'UPDATE redemptions SET quota = 0 WHERE id = 3');
    atSource('UPDATE redemptions SET expired_time = 99 WHERE id = 2');
    const told = { counts: { redemptions: { changed: 5, known: 1 } } };
    const plain = await bring();
    expect(plain).toMatchObject(told);
    expect(await codes()).toEqual([1, 1, 1, 3, 1, 2].map((status) => [status, 5, 0]));
    expect(await bring('--delta')).toMatchObject(told);
    expect(await codes()).toEqual([
      [1, 9, 0],
      [1, 5, 99],
      [2, 5, 0],
      [3, 5, 0],
      [1, 5, 0],
      [2, 5, 88],
    ]);
    expect(await bring('--delta')).toMatchObject({ counts: { redemptions: { changed: 0, known: 6 } } });
  });

  test('a code that was redeemed here stays so when it is used or gone there, too: that is said, once', async () => {
    const { db, bring, atSource, codes } = await scene({ users: [userRow(2)], redemptions: [1, 2, 3].map((id) => codeRow(id)) });
    await db.transaction((tx) => tx.query.updateTable('redemption').set({ status: 3 }).where('id', '<', 3).execute());
    atSource('UPDATE redemptions SET status = 3 WHERE id IN (1, 3)', 'DELETE FROM redemptions WHERE id = 2');
    const { noted } = await bring('--delta');
    expect(noted).toMatchObject({ 'redemptions.redeemed_twice': 2, 'redemptions.deleted_since': 1 });
    expect(await codes()).toEqual([3, 3, 2]);
    expect(await bring('--delta')).toMatchObject({ counts: { redemptions: { changed: 0 } }, noted: {} });
  });

  test('a key that was changed here is no difference; one that was changed there is', async () => {
    const { attempt, here, bring, atSource } = await scene({ users: [userRow(2)], tokens: [tokenRow(1, 2), tokenRow(2, 2)] });
    await here('token', 1, { key_hmac: 'rotated' });
    const { ok, tokensHash } = await bring();
    expect([ok, tokensHash.after]).toEqual([true, tokensHash.before]);
    atSource("UPDATE tokens SET name = 'new'", "UPDATE users SET display_name = 'new'");
    expect(await bring('--delta')).toMatchObject({ ok: true, counts: { tokens: { changed: 2 } } });
    expect(await bring('--delta')).toMatchObject({ ok: true, counts: { tokens: { changed: 0 } } });
    atSource("UPDATE tokens SET `key` = 'another' || substr(`key`, 8), name = 'newer' WHERE id = 2");
    for (const mode of ['--delta', '--delta']) expect(await attempt(mode)).toMatchObject({ exitCode: 1 });
  });

  test('rows of the log that a live server commits late come, too; of those that came too late it is said', async () => {
    const now = nowSeconds(systemClock);
    const row = (id: number, age: number) => logRow(id, 2, { created_at: now - age });
    const rows = { users: [userRow(2)], logs: [row(10, 500), row(20, 130), row(30, 40), row(40, 5)] };
    const { db, bring, atSource } = await scene(rows);
    const brought = async () => {
      const found = await db.read.selectFrom('log').select('created_at').where('type', '=', 2).orderBy('id').execute();
      return found.map(({ created_at: at }) => now - at);
    };
    expect(await brought()).toEqual([500, 130]);
    const write = (id: number, age: number) =>
      atSource(`INSERT INTO logs (id, user_id, created_at, type, quota) VALUES (${id}, 2, ${now - age}, 2, 0)`);
    write(25, 45);
    const again = await bring();
    expect(again).toMatchObject({ counts: { logs: { found: 5, known: 2, imported: 0 } }, noted: { 'logs.later': 1 } });
    expect(again.notes).toContainEqual({ kind: 'logs', what: 'later', key: 'logs', detail: '3' });
    expect((await bring('--delta')).noted).toEqual({});
    expect(await brought()).toEqual([500, 130, 45, 40, 5]);
    write(15, 400);
    const last = await bring('--delta');
    expect(last.notes).toContainEqual({ kind: 'logs', what: 'missed', key: 'logs', detail: '1' });
  });

  const people: FixtureRows = {
    users: [userRow(2), userRow(3), userRow(4, { status: 2 })],
    tokens: [tokenRow(1, 2, { remain_quota: 9 }), tokenRow(2, 2), tokenRow(3, 2, { status: 2 })],
  };
  const changeAll = ["UPDATE users SET display_name = 'new'", "UPDATE tokens SET name = 'new', remain_quota = remain_quota + 1"];

  test('a delta changes what changed there, field by field: a ban, a group, a limit of here stay', async () => {
    const { here, bring, atSource, tokens, users } = await scene(people);
    await here('users', 1, { status: 2, group_name: 'vip' });
    await here('users', 3, { status: 1 });
    await here('token', 1, { status: 2, model_limits_enabled: 1, model_limits: 'm', allow_ips: '10.0.0.1', unlimited_quota: 1 });
    await here('token', 3, { status: 1 });
    atSource(...changeAll, 'UPDATE users SET status = 2 WHERE id = 3', "UPDATE users SET `group` = 'pro' WHERE id = 4");
    atSource("UPDATE tokens SET unlimited_quota = 1, status = 2, allow_ips = '10.0.0.2' WHERE id = 2");
    await bring('--delta');
    expect((await users()).map((row) => [row.display_name, row.status, row.group_name])).toEqual([
      ['new', 2, 'vip'],
      ['new', 2, 'default'],
      ['new', 1, 'pro'],
    ]);
    const shown = (row: Awaited<ReturnType<typeof tokens>>[number]) => [
      row.status,
      row.model_limits,
      row.allow_ips,
      row.unlimited_quota,
    ];
    expect((await tokens()).map((row) => [row.name, row.remain_quota, ...shown(row)])).toEqual([
      ['new', 10, 2, 'm', '10.0.0.1', 1],
      ['new', 1, 2, '', '10.0.0.2', 1],
      ['new', 1, 1, '', '', 0],
    ]);
    atSource('UPDATE users SET status = 1 WHERE id = 3', 'UPDATE users SET deleted_at = 1 WHERE id = 4');
    await bring('--delta');
    expect((await users()).map(({ status }) => status)).toEqual([2, 1, 2]);
  });

  test('who is warned by a webhook is so from a delta on where an import of before left it out, unless it was set here', async () => {
    const theirs = { notify_type: 'webhook', quota_warning_threshold: 9, webhook_url: 'https://hooks.example/quota' };
    const setting = JSON.stringify(theirs);
    const { here, bring, users } = await scene({ users: [2, 3, 4].map((id) => userRow(id, { setting })) });
    const { notify_type: _, ...rest } = theirs;
    const [before, saved] = [JSON.stringify(rest), JSON.stringify({ subscriptions: { quota_warning: ['email'] }, ...rest })];
    const [left, own] = await users();
    await here('users', left?.id ?? 0, { setting: before });
    await here('users', own?.id ?? 0, { setting: saved });
    const settings = async () => (await users()).map((user) => user.setting);
    await bring();
    expect(await settings()).toEqual([before, saved, setting]);
    expect((await bring('--delta')).noted).toMatchObject({ 'users.warning_brought': 1 });
    expect(await settings()).toEqual([setting, saved, setting]);
    expect((await bring('--delta')).noted).not.toHaveProperty('users.warning_brought');
  });

  test('of a run that remembered no single fields everything is taken over, but what is off here is not switched on', async () => {
    const { db, here, bring, atSource, tokens, users } = await scene(people);
    await db.transaction(async (tx) => {
      const marks = await tx.query.selectFrom('import_row').selectAll().where('kind', 'in', ['user', 'token']).execute();
      for (const { kind, source_key: key, state } of marks) {
        const { fields, ...older } = JSON.parse(state);
        expect(Object.keys(fields).length).toBeGreaterThan(3);
        const row = tx.query.updateTable('import_row').where('kind', '=', kind).where('source_key', '=', key);
        await row.set({ state: JSON.stringify(older) }).execute();
      }
    });
    expect((await bring('--delta')).counts).toMatchObject({ users: { changed: 0 }, tokens: { changed: 0 } });
    await here('users', 1, { status: 2, group_name: 'vip' });
    await here('token', 1, { status: 2, allow_ips: '10.0.0.1' });
    atSource(...changeAll, 'UPDATE users SET status = 2 WHERE id = 3', 'UPDATE tokens SET status = 2 WHERE id = 2');
    await bring('--delta');
    expect((await users()).map((row) => [row.display_name, row.status, row.group_name])).toEqual([
      ['new', 2, 'default'],
      ['new', 2, 'default'],
      ['new', 2, 'default'],
    ]);
    expect((await tokens()).map((row) => [row.name, row.status, row.allow_ips])).toEqual([
      ['new', 2, ''],
      ['new', 2, ''],
      ['new', 2, ''],
    ]);
  });
});

onPostgres((_engine, open, { place }) => {
  test('what was opened adds up in a database of any locale', async () => {
    const where = await place();
    const before = await open({ place: where });
    await before.transaction(async ({ query }) => {
      // As most locales do: a character that they have no place for counts as none.
      await sql`CREATE FUNCTION public.is_less(text, text) RETURNS boolean LANGUAGE sql AS $$
        SELECT text_lt(replace($1, chr(1114111), ''), replace($2, chr(1114111), '')) $$`.execute(query);
      await sql`CREATE OPERATOR public.< (LEFTARG = text, RIGHTARG = text, FUNCTION = public.is_less)`.execute(query);
      await sql`DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database());
      END $$`.execute(query);
    });
    await before.close();
    const db = await open({ place: where });
    const opening = { balance: 50, used: 30, requests: 1, affiliate: 20, now: 1_000 };
    await db.transaction(async (tx) => {
      await tx.perform(bookOpening({ ...opening, userId: 1, ref: 'import:new-api:7' }));
      await tx.perform(bookOpening({ ...opening, userId: 2, ref: 'import:one-api:7' }));
    });
    expect(await openingTotals(db.read, 'import:new-api:')).toEqual({ balance: 50n, used: 30n, affiliate: 20n });
  });
});
