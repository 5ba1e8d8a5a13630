import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { createApiKit } from '../../test/api-kit.ts';
import { newFolder, runCommand } from '../../test/cli-kit.ts';
import { type Open, onEachEngine, type Place } from '../../test/engines.ts';
import {
  channelRow,
  type FixtureRows,
  fillSqlite,
  fixtureTables,
  keyOf,
  logRow,
  oldHash,
  oldPassword,
  tokenRow,
  userRow,
  writeSqliteFixture,
} from '../../test/import-kit.ts';
import { walletOf } from '../../test/ledger-kit.ts';
import { readPreferences, waysFor } from '../notify/preferences.ts';
import { systemClock } from '../platform/clock.ts';
import { createCrypto } from '../platform/crypto.ts';
import { createSettings } from '../settings/index.ts';
import type { Database } from '../storage/database.ts';
import { openSource } from './open-source.ts';
import { runImport } from './run.ts';
import type { Source } from './source.ts';

const SECRET_KEY = 'ab'.repeat(32);
const tables = fixtureTables['new-api'];

const warned = { notify_type: 'webhook', quota_warning_threshold: 1_000, webhook_url: 'https://hooks.example/quota' };

const site: FixtureRows = {
  users: [
    userRow(1, { username: 'root', role: 100, quota: 100_000_000, access_token: 'r'.repeat(32) }),
    userRow(2, {
      username: 'alice',
      email: 'Alice@Example.com',
      quota: 5_000_001,
      used_quota: 777,
      request_count: 9,
      group: 'vip',
      aff_code: 'aLiC',
      aff_count: 1,
      aff_quota: 4_000,
      aff_history: 6_000,
      setting: JSON.stringify({ ...warned, webhook_secret: 'planted-webhook-secret' }),
    }),
    userRow(4, { username: 'bob', quota: -250, used_quota: 20, inviter_id: 2 }),
    userRow(5, { username: 'carol', quota: 3_000_000_000, setting: '{not json' }),
    userRow(6, { username: 'gone', quota: 99, deleted_at: '2025-01-01 00:00:00' }),
  ],
  tokens: [
    tokenRow(1, 2, {
      remain_quota: 1_000,
      used_quota: 50,
      model_limits_enabled: true,
      model_limits: 'gpt-4o-mini',
      group: 'vip',
    }),
    tokenRow(2, 2, { unlimited_quota: true, remain_quota: -900, allow_ips: '10.0.0.0/8\n192.0.2.1' }),
    tokenRow(3, 4, { remain_quota: -5 }),
    tokenRow(4, 4, { remain_quota: 1, deleted_at: '2025-01-01 00:00:00' }),
    tokenRow(5, 6, { remain_quota: 1 }),
    tokenRow(6, 4, { key: 'not-a-key', remain_quota: 1 }),
    tokenRow(7, 4, { remain_quota: 10, allow_ips: 'nonsense' }),
  ],
  channels: [
    channelRow(3, 1, { key: 'sk-one-0123456789' }),
    channelRow(4, 24, {
      key: 'key-a-0123456789\nkey-b-0123456789\n',
      channel_info: { is_multi_key: true, multi_key_mode: 'polling', multi_key_status_list: { 1: 2 } },
    }),
    channelRow(5, 41, { key: '{\n "project_id": "p", "private_key": "planted" \n}', other: 'us-central1', models: 'claude-x' }),
    channelRow(6, 50, { models: 'kling-v1' }),
    channelRow(7, 14, { model_mapping: '{broken', models: 'claude-y' }),
    channelRow(8, 1, { key: '["sk-list-a-012345", "sk-list-b-012345"]' }),
  ],
  redemptions: [
    { id: 1, user_id: 1, key: 'a'.repeat(32), status: 1, name: 'gift', quota: 500, created_time: 1_700_000_000, expired_time: 0 },
    { id: 2, user_id: 1, key: 'b'.repeat(32), status: 3, name: 'gift', quota: 500, created_time: 1_700_000_000, used_user_id: 2 },
    { id: 3, user_id: 1, key: 'c'.repeat(32), status: 1, name: 'ends', quota: 500, created_time: 1, expired_time: 4_000_000_000 },
  ],
  options: [
    { key: 'ModelRatio', value: '{"gpt-4o-mini":0.075,"broken":-1}' },
    { key: 'CompletionRatio', value: '{"gpt-4o-mini":4}' },
    { key: 'GroupRatio', value: '{"default":1,"vip":0.8}' },
    { key: 'QuotaPerUnit', value: '500000' },
    { key: 'SystemName', value: 'Old Name' },
    { key: 'SMTPToken', value: 'planted-smtp-secret' },
    { key: 'RetryTimes', value: 'many' },
    { key: 'SomethingElse', value: 'x' },
  ],
  logs: [
    logRow(1, 2, { quota: 700, use_time: 3, token_id: 1, channel_id: 4, other: '{"frt":120}' }),
    logRow(2, 2, { type: 5, content: 'upstream failed', quota: 0 }),
    logRow(3, 4, { quota: 25 }),
    logRow(4, 6, { quota: 5 }),
  ],
  top_ups: [{ id: 1, user_id: 2, amount: 10, money: 10, trade_no: 't1', status: 'pending', create_time: 1 }],
};

function scene(place: Place, file: string) {
  const env = place.url === undefined ? { DATA_DIR: place.dataDir, SECRET_KEY } : { DATABASE_URL: place.url, SECRET_KEY };
  return { env, bring: (...more: string[]) => runCommand(env, 'import', '--from', file, '--json', ...more) };
}

async function stateOf(db: Database) {
  const users = await db.read.selectFrom('users').selectAll().orderBy('id').execute();
  const transfers = await db.read.selectFrom('transfer').selectAll().orderBy('id').execute();
  const tokens = await db.read.selectFrom('token').selectAll().orderBy('id').execute();
  const channels = await db.read.selectFrom('channel').selectAll().orderBy('id').execute();
  const codes = await db.read.selectFrom('redemption').selectAll().orderBy('id').execute();
  const options = await db.read.selectFrom('option').selectAll().orderBy('key').execute();
  return { users, transfers, tokens, channels, codes, options };
}

function newFixture(): string {
  const file = join(newFolder(), 'one-api.db');
  writeSqliteFixture(file, tables, site);
  return file;
}

test('what is no database of a known product is refused and left alone', async () => {
  const DATA_DIR = join(newFolder(), 'data');
  const file = join(newFolder(), 'other.db');
  writeSqliteFixture(file, { things: { id: 'id' } }, {});
  const answer = await runCommand({ DATA_DIR, SECRET_KEY }, 'import', '--from', file, '--dry-run');
  expect(answer).toMatchObject({ exitCode: 1, err: expect.stringContaining('not a database of new-api') });
  const missing = await runCommand({ DATA_DIR, SECRET_KEY }, 'import', '--from', join(newFolder(), 'none.db'));
  expect(missing).toMatchObject({ exitCode: 1, err: expect.stringContaining('no file') });
  const wrong = await runCommand({ DATA_DIR, SECRET_KEY }, 'import', '--from', 'ftp://u:planted-word@host/x');
  expect(wrong.exitCode).toBe(2);
  expect(wrong.err).not.toContain('planted-word');
});

onEachEngine((_engine, open: Open, { place }) => {
  test('a dry run tells what would come and changes neither side', async () => {
    const where = await place();
    const db = await open({ place: where });
    const file = newFixture();
    const before = readFileSync(file);
    const { bring } = scene(where, file);
    const answer = await bring('--dry-run');
    expect(answer.exitCode, answer.err + answer.out).toBe(0);
    expect(answer.json()).toMatchObject({
      product: 'new-api',
      mode: 'dry-run',
      counts: { users: { found: 5, imported: 4, skipped: 1 }, tokens: { found: 7, imported: 4, skipped: 3 } },
      before: { balance: 100_000_000 + 5_000_001 + 3_000_000_000, used: 797, affiliate: 4_000 },
      debts: 250,
      noted: {
        'users.negative': 1,
        'users.beyond_32_bit': 1,
        'users.bad_json': 1,
        'users.webhook_unsigned': 1,
        'users.deleted': 1,
        'tokens.unusable': 1,
        'tokens.bad_ips': 1,
        'channels.unmapped_type': 1,
        'channels.bad_json': 1,
        'options.bad_entry': 1,
        'options.refused': 1,
        'options.unknown': 1,
      },
      left: { top_ups: 1 },
    });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect((await stateOf(db)).users).toEqual([]);
  });

  test('balances come as one transfer each, sums are equal to the unit and the books hold', async () => {
    const where = await place();
    const db = await open({ place: where });
    const { env, bring } = scene(where, newFixture());
    const answer = await bring();
    expect(answer.exitCode, answer.err + answer.out).toBe(0);
    const report = answer.json();
    expect(report.after).toEqual(report.before);
    expect(report.tokensHash.after).toBe(report.tokensHash.before);
    const audit = db.read.selectFrom('audit').select(['actor', 'target', 'detail']).where('action', '=', 'import');
    expect(await audit.execute()).toEqual([{ actor: 'command line', target: 'new-api', detail: '{"mode":"import"}' }]);
    const { users, transfers } = await stateOf(db);
    const named = new Map(users.map((user) => [user.username, user]));
    const alice = named.get('alice');
    expect(alice).toMatchObject({ password_hash: oldHash, email: 'alice@example.com', group_name: 'vip', aff_code: 'aLiC' });
    expect(alice?.setting).toBe(JSON.stringify(warned));
    expect(waysFor(readPreferences(alice?.setting ?? ''), 'quota_warning')).toEqual(['webhook']);
    expect(named.get('bob')?.inviter_id).toBe(alice?.id);
    expect(named.has('gone')).toBe(false);
    expect(await walletOf(db, alice?.id ?? 0)).toEqual({ available: 5_000_001, held: 0, used: 777, count: 9 });
    expect(await walletOf(db, named.get('bob')?.id ?? 0)).toMatchObject({ available: 0, used: 20 });
    const ofAlice = transfers.filter(({ ref }) => /^import:new-api:2(:|$)/.test(ref));
    expect(ofAlice.map(({ ref, from_account, to_account, amount }) => [ref, from_account, to_account, amount])).toEqual([
      ['import:new-api:2', 'opening', `user:${alice?.id}`, 5_000_001],
      ['import:new-api:2:affiliate', 'opening', `user:${alice?.id}:affiliate`, 4_000],
      ['import:new-api:2:used', 'opening', 'revenue', 777],
    ]);
    expect((await runCommand(env, 'doctor', 'ledger', '--json')).json()).toMatchObject({ ok: true });
    expect(JSON.stringify([answer.out, answer.err])).not.toMatch(/planted|sk-one/);
  });

  test('tokens keep their keys, channels their credentials, and what cannot be read is off', async () => {
    const where = await place();
    const db = await open({ place: where });
    await scene(where, newFixture()).bring();
    const { tokens, channels, codes, options } = await stateOf(db);
    expect(
      tokens.map(({ name, status, remain_quota: remain, used_quota: used, unlimited_quota: unlimited }) => [
        name,
        status,
        remain,
        used,
        unlimited,
      ]),
    ).toEqual([
      ['token 1', 1, 1_000, 50, 0],
      ['token 2', 1, 0, 0, 1],
      ['token 3', 1, 0, 0, 0],
      ['token 7', 2, 10, 0, 0],
    ]);
    expect(tokens[0]).toMatchObject({ model_limits_enabled: 1, model_limits: 'gpt-4o-mini', group_name: 'vip' });
    expect(tokens[1]?.allow_ips).toBe('10.0.0.0/8\n192.0.2.1');
    expect(channels.map(({ name, type, status, key_hint }) => [name, type, status, key_hint])).toEqual([
      ['channel 3', 1, 1, '…6789'],
      ['channel 4', 24, 1, '…6789 +1'],
      ['channel 5', 41, 1, expect.any(String)],
      ['channel 6', 8, 2, '…6789'],
      ['channel 7', 14, 2, '…6789'],
      ['channel 8', 1, 1, '…2345 +1'],
    ]);
    expect(JSON.parse(channels[1]?.setting ?? '')).toEqual({ multi_key: 'polling' });
    expect(await db.read.selectFrom('channel_key').selectAll().execute()).toMatchObject([{ channel_id: channels[1]?.id }]);
    expect(codes.map(({ name, status, expires_at: endsAt }) => [name, status, endsAt])).toEqual([
      ['gift', 1, 0],
      ['ends', 1, 4_000_000_000],
    ]);
    const values = new Map(options.map(({ key, value }) => [key, value]));
    expect(values.get('ModelRatio')).toBe('{"gpt-4o-mini":0.075}');
    expect(values.get('SystemName')).toBe('Old Name');
    expect(values.get('SMTPToken')).toMatch(/^v1\./);
    expect(values.has('RetryTimes')).toBe(false);
    expect(JSON.stringify([tokens, channels, codes])).not.toContain(keyOf('token1'));
  });

  test('the log comes without a charge, and a run that was cut off goes on where it was', async () => {
    const where = await place();
    const db = await open({ place: where });
    const file = newFixture();
    const { env, bring } = scene(where, file);
    expect((await bring()).json().counts.logs).toMatchObject({ found: 4, imported: 3, skipped: 1 });
    const rows = () => db.read.selectFrom('log').selectAll().where('type', '<>', 3).orderBy('id').execute();
    const [first, failure, ofBob] = await rows();
    const { users, tokens: keys, channels } = await stateOf(db);
    const alice = users.find(({ username }) => username === 'alice')?.id;
    const common = { user_id: alice, token_id: keys[0]?.id, channel_id: channels[1]?.id };
    expect(first).toMatchObject({ ...common, type: 2, quota: 700, use_time: 3, created_at: 1_700_000_001, other: '{"frt":120}' });
    expect(failure).toMatchObject({ type: 5, quota: 0, content: 'upstream failed' });
    expect(ofBob).toMatchObject({ username: 'bob', quota: 25 });
    // 797 were spent there; 700 and 25 of it are told by rows, more than bob's own counter knows of.
    const unlogged = await db.read.selectFrom('log_compaction').select(['user_id', 'quota']).orderBy('user_id').execute();
    expect(unlogged.map(({ quota }) => quota)).toEqual([77, -5]);
    const source = new Sqlite(file);
    fillSqlite(source, tables, { logs: [logRow(5, 2, { quota: 1 })] });
    source.close();
    expect((await bring()).json().counts.logs).toMatchObject({ found: 5, known: 4, imported: 1 });
    expect(await rows()).toHaveLength(4);
    expect((await runCommand(env, 'doctor', 'ledger', '--json')).json()).toMatchObject({ ok: true });
  });

  test('a run that the source leaves alone in the middle is taken up where it ended', async () => {
    const where = await place();
    const db = await open({ place: where });
    const file = newFixture();
    const { env, bring } = scene(where, file);
    const crypto = createCrypto(Buffer.from(SECRET_KEY, 'hex'));
    const parts = { db, crypto, clock: systemClock, mode: 'import', progress: () => undefined } as const;
    const settings = await createSettings({ ...parts, changes: { notify: () => undefined }, warn: () => undefined });
    for (const table of ['tokens', 'redemptions', 'logs']) {
      const source = await openSource({ file });
      const page: Source['page'] = (name, options) =>
        name === table ? Promise.reject(new Error('connection lost')) : source.page(name, options);
      await expect(runImport({ ...parts, settings, source: { ...source, page } })).rejects.toThrow('connection lost');
      await source.close();
      expect((await runCommand(env, 'doctor', 'ledger', '--json')).json()).toMatchObject({ ok: true });
    }
    const { exitCode, json } = await bring();
    expect(exitCode).toBe(0);
    expect(json()).toMatchObject({ ok: true, counts: { users: { known: 4 }, tokens: { known: 4 }, logs: { imported: 3 } } });
    const { users, tokens, transfers } = await stateOf(db);
    expect([users.length, tokens.length, new Set(transfers.map(({ ref }) => ref)).size]).toEqual([4, 4, transfers.length]);
  });

  test('an old password signs in once as it came, and is a stronger hash from then on', async () => {
    const where = await place();
    const db = await open({ place: where });
    await scene(where, newFixture()).bring();
    const kit = await createApiKit(db);
    const hash = async () => (await stateOf(db)).users.find(({ username }) => username === 'alice')?.password_hash;
    const signIn = (username: string, password: string) =>
      kit.call({ method: 'POST', path: '/api/user/login', body: { username, password } });
    expect((await signIn('alice', 'not-the-password-7')).json).toMatchObject({ success: false });
    expect(await hash()).toBe(oldHash);
    expect((await signIn('alice@example.com', oldPassword)).json).toMatchObject({ success: true });
    expect(await hash()).toMatch(/^\$argon2id\$/);
    expect((await signIn('alice', oldPassword)).json).toMatchObject({ success: true });
    await kit.stopRuns();
  });

  test('a second run changes nothing, a delta brings only what is new or moved', async () => {
    const where = await place();
    const db = await open({ place: where });
    const file = newFixture();
    const { env, bring } = scene(where, file);
    await bring();
    const first = await stateOf(db);
    for (const more of [[], ['--delta']]) {
      const again = await bring(...more);
      expect(again.exitCode, again.out).toBe(0);
      expect(Object.values(again.json().counts)).toEqual(
        again.json().counts &&
          Object.values(again.json().counts).map((counts) => ({ ...(counts as object), imported: 0, changed: 0 })),
      );
      expect(await stateOf(db)).toEqual(first);
    }
    const source = new Sqlite(file);
    source
      .prepare('UPDATE users SET quota = quota - 1000, used_quota = used_quota + 1000, request_count = 12 WHERE id = 2')
      .run();
    source.prepare('UPDATE tokens SET remain_quota = 400, used_quota = 650 WHERE id = 1').run();
    source.prepare('UPDATE tokens SET deleted_at = 1 WHERE id = 2').run();
    source.prepare('UPDATE redemptions SET status = 3 WHERE id = 1').run();
    fillSqlite(source, tables, { users: [userRow(9, { quota: 42 })], tokens: [tokenRow(9, 9, { remain_quota: 7 })] });
    source.close();
    const plain = await bring();
    expect(plain.json()).toMatchObject({
      ok: true,
      counts: { users: { imported: 1, changed: 1 }, tokens: { imported: 1, changed: 2 } },
    });
    const delta = await bring('--delta');
    expect(delta.exitCode, delta.out).toBe(0);
    expect(delta.json().after).toEqual(delta.json().before);
    const alice = first.users.find(({ username }) => username === 'alice')?.id ?? 0;
    expect(await walletOf(db, alice)).toEqual({ available: 4_999_001, held: 0, used: 1_777, count: 12 });
    const { tokens, codes } = await stateOf(db);
    expect(tokens[0]).toMatchObject({ remain_quota: 400, used_quota: 650, granted_quota: 1_050 });
    expect(tokens[1]?.deleted_at).not.toBeNull();
    expect(codes[0]?.status).toBe(2);
    expect((await runCommand(env, 'doctor', 'ledger', '--json')).json()).toMatchObject({ ok: true });
  });

  test('who was deleted there since is switched off by a delta, with nothing left', async () => {
    const where = await place();
    const db = await open({ place: where });
    const file = newFixture();
    const { env, bring } = scene(where, file);
    await bring();
    const alice = (await stateOf(db)).users.find(({ username }) => username === 'alice')?.id ?? 0;
    const before = await walletOf(db, alice);
    expect(before).toMatchObject({ available: 5_000_001 });
    const source = new Sqlite(file);
    source.prepare('UPDATE users SET deleted_at = 1 WHERE id = 2').run();
    source.close();
    expect((await bring()).json()).toMatchObject({ ok: true, counts: { users: { changed: 1 } } });
    expect(await walletOf(db, alice)).toEqual(before);
    const delta = await bring('--delta');
    expect(delta.exitCode, delta.out).toBe(0);
    expect(delta.json().after).toEqual(delta.json().before);
    expect(delta.json().noted).toMatchObject({ 'users.deleted_since': 1 });
    expect(await walletOf(db, alice)).toEqual({ ...before, available: 0 });
    const row = await db.read.selectFrom('users').selectAll().where('id', '=', alice).executeTakeFirstOrThrow();
    expect(row).toMatchObject({ status: 2, access_token_hash: null });
    const gone = await stateOf(db);
    expect((await bring('--delta')).json()).toMatchObject({ ok: true, counts: { users: { changed: 0 } } });
    expect(await stateOf(db)).toEqual(gone);
    expect((await runCommand(env, 'doctor', 'ledger', '--json')).json()).toMatchObject({ ok: true });
  });
});
