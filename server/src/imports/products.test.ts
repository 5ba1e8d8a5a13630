import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { newFolder, runCommand } from '../../test/cli-kit.ts';
import { onSqlite } from '../../test/engines.ts';
import {
  channelRow,
  type FixtureRows,
  fillSqlite,
  fixtureTables,
  logRow,
  oldHash,
  tokenRow,
  userRow,
  writeSqliteFixture,
} from '../../test/import-kit.ts';
import { walletOf } from '../../test/ledger-kit.ts';
import { bootstrapRoot, createPasswords } from '../identity/index.ts';
import { systemClock } from '../platform/clock.ts';
import { meanings } from './report.ts';

const SECRET_KEY = 'ab'.repeat(32);
type Name = keyof typeof fixtureTables;

onSqlite((_engine, open, { place }) => {
  async function brought(name: Name, rows: FixtureRows) {
    const where = await place();
    const db = await open({ place: where });
    const file = join(newFolder(), 'source.db');
    writeSqliteFixture(file, fixtureTables[name], rows);
    const env = { DATA_DIR: where.dataDir, SECRET_KEY };
    const bring = (...more: string[]) => runCommand(env, 'import', '--from', file, '--json', ...more);
    const answer = await bring();
    expect(answer.exitCode, answer.err + answer.out).toBe(0);
    expect((await runCommand(env, 'doctor', 'ledger', '--json')).json()).toMatchObject({ ok: true });
    const options = new Map((await db.read.selectFrom('option').selectAll().execute()).map(({ key, value }) => [key, value]));
    return { db, file, bring, report: answer.json(), options };
  }

  test('one-api: limits in columns of their own, credentials in config, milliseconds, tests that charge nothing', async () => {
    const { db, report } = await brought('one-api', {
      users: [
        userRow(1, { username: 'root', role: 100, github_id: 'octocat' }),
        userRow(2, { quota: 4_000_000_000, used_quota: 30 }),
        userRow(3, { status: 3, quota: 8 }),
      ],
      tokens: [tokenRow(1, 2, { remain_quota: 5, models: 'gpt-4o-mini,gpt-4o', subnet: '10.0.0.0/8,192.0.2.0/24' })],
      channels: [
        channelRow(1, 33, { key: '', models: 'claude-x', config: '{"ak":"AK","sk":"SK0123456789","region":"us-east-1"}' }),
        channelRow(2, 50, { base_url: 'https://compatible.example/v1/', system_prompt: 'Be brief.' }),
        channelRow(3, 3, { base_url: 'https://azure.example', config: '{"api_version":"2024-06-01"}' }),
        channelRow(4, 46, {}),
      ],
      logs: [
        logRow(1, 2, { quota: 30, elapsed_time: 2_600, content: '模型倍率 1' }),
        logRow(2, 1, { type: 5, quota: 12, elapsed_time: 100 }),
      ],
    });
    expect(report).toMatchObject({
      product: 'one-api',
      noted: { 'users.deleted': 1, 'users.beyond_32_bit': 1, 'channels.unmapped_type': 1 },
    });
    const token = await db.read.selectFrom('token').selectAll().executeTakeFirstOrThrow();
    expect(token).toMatchObject({
      model_limits_enabled: 1,
      model_limits: 'gpt-4o-mini,gpt-4o',
      allow_ips: '10.0.0.0/8\n192.0.2.0/24',
    });
    const channels = await db.read.selectFrom('channel').selectAll().orderBy('id').execute();
    expect(channels.map(({ type, status, base_url, other }) => [type, status, base_url, other])).toEqual([
      [33, 1, '', ''],
      [1, 1, 'https://compatible.example', ''],
      [3, 1, 'https://azure.example', '2024-06-01'],
      [8, 2, 'https://address-missing.invalid', ''],
    ]);
    expect(JSON.parse(channels[1]?.setting ?? '')).toEqual({ system_prompt: 'Be brief.' });
    const logs = await db.read.selectFrom('log').selectAll().where('model_name', '<>', '').orderBy('id').execute();
    expect(logs.map(({ type, quota, use_time }) => [type, quota, use_time])).toEqual([
      [2, 30, 3],
      [2, 0, 0],
    ]);
    expect(JSON.parse(logs[1]?.other ?? '')).toEqual({ test: true, would_cost: 12 });
  });

  test('one-hub: prices and groups stand in tables, limits inside of a setting', async () => {
    const { db, report, options } = await brought('one-hub', {
      users: [
        userRow(1, { username: 'root', role: 100 }),
        userRow(2, {
          quota: 10,
          aff_quota: 3,
          aff_count: 1,
          github_id: 'old-name',
          github_id_new: 583_231,
          telegram_id: 0,
          created_time: 1_600_000_000,
        }),
      ],
      tokens: [
        tokenRow(1, 2, {
          // Its keys have hyphens and underscores.
          key: 'Qm4Wd9Rt2Xk7Lp5N-vE_8sYaUcJhG3bFzT6oKi1M0qPwVnHxBrDyCfSgAe',
          group: 'vip',
          setting: {
            limits: {
              limit_model_setting: { enabled: true, models: ['gpt-4o'] },
              limits_ip_setting: { enabled: true, whitelist: ['10.0.0.1'] },
            },
          },
        }),
      ],
      channels: [
        channelRow(1, 25, { proxy: 'socks5://127.0.0.1:1080', only_chat: true }),
        channelRow(2, 24, {}),
        channelRow(3, 32, { key: 'a|b|c-0123456' }),
      ],
      prices: [
        { model: 'gpt-4o', type: 'tokens', channel_type: 1, input: 1.25, output: 5, extra_ratios: {} },
        { model: 'odd', type: 'tokens', channel_type: 1, input: 0.3, output: 1, extra_ratios: { cached_tokens: 0.5 } },
        { model: 'picture', type: 'times', channel_type: 1, input: 20, output: 20, extra_ratios: {} },
        { model: 'gift', type: 'tokens', channel_type: 1, input: 0, output: 2, extra_ratios: {} },
      ],
      user_groups: [
        { id: 1, symbol: 'default', name: '默认', ratio: 1, api_rate: 0, public: true, enable: true },
        { id: 2, symbol: 'vip', name: 'VIP', ratio: 0.5, api_rate: 600, public: true, enable: true },
        { id: 3, symbol: 'inner', name: 'Inner', ratio: 0.1, api_rate: 0, public: false, enable: true },
      ],
      options: [
        { key: 'PaymentUSDRate', value: '7.1' },
        { key: 'SystemName', value: 'Hub' },
      ],
      logs: [logRow(1, 2, { request_time: 1_499, quota: 0, source_ip: '192.0.2.7' })],
    });
    expect(report).toMatchObject({
      product: 'one-hub',
      noted: {
        'options.extra_ratios': 1,
        'options.bad_entry': 1,
        'channels.review': 1,
        'channels.unmapped_type': 1,
        'channels.settings_left': 1,
      },
    });
    const json = (key: string) => JSON.parse(options.get(key) ?? '{}');
    // A unit is $2 a million: 1.25 = $2.5, and 5 / 1.25 = 4. A picture: 20 x 1000 of 500,000 quota = $0.04.
    expect([json('ModelRatio'), json('CompletionRatio'), json('ModelPrice')]).toEqual([
      { 'gpt-4o': 1.25, odd: 0.3 },
      { 'gpt-4o': 4, odd: 3.33333333333 },
      { picture: 0.04 },
    ]);
    expect([json('GroupRatio'), json('UserUsableGroups'), json('GroupLimits')]).toEqual([
      { default: 1, vip: 0.5, inner: 0.1 },
      { default: '默认', vip: 'VIP' },
      { vip: { rpm: 600 } },
    ]);
    expect([options.get('Price'), options.get('SystemName')]).toEqual(['7.1', 'Hub']);
    const user = await db.read.selectFrom('users').selectAll().where('username', '=', 'user2').executeTakeFirstOrThrow();
    expect(user).toMatchObject({ github_id: '583231', telegram_id: null, created_at: 1_600_000_000, aff_count: 1 });
    const token = await db.read.selectFrom('token').selectAll().executeTakeFirstOrThrow();
    expect(token).toMatchObject({ model_limits_enabled: 1, model_limits: 'gpt-4o', allow_ips: '10.0.0.1', group_name: 'vip' });
    const channels = await db.read.selectFrom('channel').selectAll().orderBy('id').execute();
    expect(channels.map(({ type, status }) => [type, status])).toEqual([
      [24, 1],
      [8, 2],
      [33, 2],
    ]);
    expect(JSON.parse(channels[0]?.setting ?? '')).toEqual({ proxy: 'socks5://127.0.0.1:1080' });
    const log = await db.read.selectFrom('log').selectAll().where('model_name', '<>', '').executeTakeFirstOrThrow();
    expect(log).toMatchObject({ use_time: 1, ip: '192.0.2.7' });
  });

  test('one-api by Laisky: milliseconds are read, second factors come along, prices inside of channels are told of', async () => {
    const { db, report } = await brought('laisky', {
      users: [
        userRow(1, { username: 'root', role: 100, created_at: 1_700_000_000_123, totp_secret: 'JBSWY3DPEHPK3PXP' }),
        userRow(2, { totp_secret: 'not base 32!' }),
      ],
      channels: [
        channelRow(1, 54, { model_configs: '{"m":{"ratio":1}}' }),
        channelRow(2, 52, { base_url: 'https://claude.example', model_mapping: '["no object"]' }),
      ],
    });
    expect(report).toMatchObject({
      product: 'laisky',
      noted: { 'users.factor_brought': 1, 'users.second_factor': 1, 'channels.own_prices': 1, 'channels.bad_json': 1 },
    });
    const root = await db.read.selectFrom('users').selectAll().where('role', '=', 100).executeTakeFirstOrThrow();
    expect(root).toMatchObject({ username: 'root', role: 100, created_at: 1_700_000_000, default_password: 0 });
    const factors = await db.read.selectFrom('totp').selectAll().execute();
    expect(factors).toMatchObject([{ user_id: root.id, confirmed: 1, secret_sealed: expect.stringMatching(/^v1\./) }]);
    expect(JSON.stringify(factors)).not.toContain('JBSWY3DPEHPK3PXP');
    const channels = await db.read.selectFrom('channel').selectAll().orderBy('id').execute();
    expect(channels.map(({ type, status }) => [type, status])).toEqual([
      [1003, 1],
      [14, 2],
    ]);
  });

  test('what has no counterpart is told of: doors, options, switches of channels, a log that lies elsewhere', async () => {
    const byDiscord = { discord_id: '42', password: '', email: '' };
    const { db, report, options } = await brought('new-api', {
      users: [
        userRow(2, { ...byDiscord, used_quota: 5 }),
        userRow(3, { ...byDiscord, email: 'c@example.org' }),
        userRow(4, { ...byDiscord, github_id: '7' }),
        userRow(5, { discord_id: '43' }),
      ],
      channels: [
        channelRow(1, 1, { settings: '{"disable_store":true,"allow_service_tier":true}' }),
        channelRow(2, 41, { settings: '{"vertex_key_type":"api_key"}' }),
        channelRow(3, 1, { settings: '{"vertex_key_type":"json","disable_store":false}' }),
      ],
      options: [
        { key: 'AutomaticRetryStatusCodes', value: '500-599' },
        { key: 'checkin_setting.enabled', value: 'false' },
        { key: 'ServerAddress', value: 'https://old.example' },
        { key: 'ModelRequestRateLimitEnabled', value: 'true' },
        { key: 'ModelRequestRateLimitDurationMinutes', value: '2' },
        { key: 'ModelRequestRateLimitGroup', value: '{"default":[200,100],"vip":[0,1000],"free":[0,0]}' },
      ],
    });
    expect(report.noted).toMatchObject({
      'users.door_lost': 1,
      'channels.settings_left': 1,
      'channels.other_way': 1,
      'options.unknown': 1,
      'logs.elsewhere': 1,
    });
    expect(report.notes).toContainEqual({ kind: 'users', what: 'door_lost', key: '2', detail: 'user2' });
    expect(report.notes).toContainEqual({ kind: 'options', what: 'unknown', key: 'AutomaticRetryStatusCodes', detail: '' });
    expect(JSON.parse(options.get('GroupLimits') ?? '')).toEqual({ default: { rpm: 100 }, vip: { rpm: 500 } });
    const channels = await db.read.selectFrom('channel').select('status').orderBy('id').execute();
    expect(channels.map(({ status }) => status)).toEqual([1, 2, 1]);
  });

  test('a custom channel to whose address paths are appended there is none that takes it for complete here', async () => {
    const custom = (id: number, more: object = {}) => channelRow(id, 8, { base_url: 'https://proxy.example/', ...more });
    const users = [userRow(2)];
    const brief = ({ type, status, base_url }: { type: number; status: number; base_url: string }) => [type, status, base_url];
    const here = async (product: Name, channels: FixtureRows[string]) => {
      const { db } = await brought(product, { users, channels });
      return (await db.read.selectFrom('channel').selectAll().orderBy('id').execute()).map(brief);
    };
    const appended = [1, 1, 'https://proxy.example'];
    expect(await here('one-api', [custom(1), custom(2, { base_url: '' })])).toEqual([
      appended,
      [8, 2, 'https://address-missing.invalid'],
    ]);
    expect(await here('one-hub', [custom(1), custom(2, { other: 'disable' })])).toEqual([
      appended,
      [1, 2, 'https://proxy.example'],
    ]);
    const complete = 'https://proxy.example/v2/chat/completions';
    expect(await here('new-api', [custom(1, { base_url: complete })])).toEqual([[8, 1, complete]]);
  });

  test('names and keys that are here already stay whose they are; a journal beside the file is read, too', async () => {
    const { db, bring, file } = await brought('one-api', { users: [userRow(2, { username: 'alice', github_id: '7' })] });
    const other = join(newFolder(), 'other.db');
    writeSqliteFixture(
      other,
      fixtureTables['new-api'],
      {
        users: [userRow(7, { username: 'alice', aff_code: 'c002', quota: 5, github_id: '7' })],
        tokens: [tokenRow(1, 7)],
        channels: [channelRow(1, 1)],
      },
      'wal',
    );
    const live = new Sqlite(other);
    fillSqlite(live, fixtureTables['new-api'], { users: [userRow(8, { quota: 1 })] });
    const source = new Sqlite(file);
    fillSqlite(source, fixtureTables['one-api'], { tokens: [tokenRow(1, 2)] });
    source.close();
    await bring();
    const answer = await bring('--from', other);
    live.close();
    expect(answer.json()).toMatchObject({
      ok: true,
      product: 'new-api',
      counts: { users: { imported: 2 }, tokens: { imported: 0, skipped: 1 } },
      noted: { 'users.renamed': 1, 'users.invite_code_changed': 1, 'users.github_id': 1, 'tokens.taken': 1 },
    });
    const moved = new Sqlite(other);
    moved.exec("UPDATE channels SET name = 'another'");
    moved.close();
    const again = await bring('--from', other, '--delta');
    expect(again.json().noted).toMatchObject({ 'channels.kept': 1 });
    const names = [answer, again].flatMap((each) => Object.keys(each.json().noted));
    expect(names.filter((name) => meanings[name] === undefined)).toEqual([]);
    const users = await db.read.selectFrom('users').select('username').orderBy('id').execute();
    expect(users.map(({ username }) => username)).toEqual(['alice', 'alice-2', 'user8']);
  });

  test('what cannot be held exactly is left out, and a root with the password that everybody knows is treated as ours', async () => {
    const { hashSync } = await import('bcryptjs');
    const { db, report } = await brought('one-api', {
      users: [
        userRow(1, { username: 'root', role: 100, password: hashSync('123456', 4) }),
        userRow(2, { quota: 9_223_372_036_854_775_807n }),
        userRow(3, { password: 'plain text' }),
      ],
      tokens: [tokenRow(1, 1, { remain_quota: 9_007_199_254_740_993n }), tokenRow(2, 2)],
    });
    expect(report.noted).toMatchObject({
      'users.overflow': 1,
      'users.default_password': 1,
      'users.password_unusable': 1,
      'tokens.overflow': 1,
      'tokens.ownerless': 1,
    });
    const users = await db.read
      .selectFrom('users')
      .select(['username', 'default_password', 'password_hash'])
      .orderBy('id')
      .execute();
    expect(users).toMatchObject([
      { username: 'root', default_password: 1 },
      { username: 'user3', default_password: 0, password_hash: '' },
    ]);
  });

  test('another site of the same product is refused before anything of it comes', async () => {
    const { db, bring } = await brought('one-api', { users: [userRow(2, { username: 'alice' })] });
    const other = join(newFolder(), 'other.db');
    const options = [{ key: 'SystemName', value: 'Other' }];
    writeSqliteFixture(other, fixtureTables['one-api'], {
      users: [userRow(2, { aff_code: 'zzzz', quota: 9 }), userRow(3)],
      options,
    });
    const answer = await bring('--from', other, '--delta');
    expect(answer).toMatchObject({ exitCode: 1, out: expect.stringContaining('another site') });
    expect(await db.read.selectFrom('users').select('username').execute()).toEqual([{ username: 'alice' }]);
    expect(await db.read.selectFrom('option').selectAll().execute()).toEqual([]);
  });

  test('who had no invite code yet is the same user with one, and with any other it is another site', async () => {
    const { file, bring } = await brought('one-api', { users: [userRow(1, { username: 'root', role: 100, aff_code: '' })] });
    const atSource = (statement: string) => {
      const source = new Sqlite(file);
      source.exec(statement);
      source.close();
    };
    atSource("UPDATE users SET aff_code = 'abcd', quota = 7");
    expect(await bring()).toMatchObject({ exitCode: 0 });
    expect((await bring('--delta')).json()).toMatchObject({ ok: true, counts: { users: { changed: 1 } } });
    atSource("UPDATE users SET aff_code = 'wxyz'");
    expect(await bring('--delta')).toMatchObject({ exitCode: 1, out: expect.stringContaining('another site') });
  });

  test("the root of a fresh installation becomes the source's, one who chose a password keeps it", async () => {
    for (const initialPassword of [undefined, 'a-chosen-password-7']) {
      const where = await place();
      const db = await open({ place: where });
      const passwords = createPasswords({ memoryKiB: 64, passes: 1 });
      await bootstrapRoot({ db, clock: systemClock, passwords, initialPassword });
      const granted = (await walletOf(db, 1)).available;
      const file = join(newFolder(), 'source.db');
      const users = [userRow(1, { username: 'root', role: 100, quota: 12 }), userRow(2, { username: 'boss', role: 100 })];
      writeSqliteFixture(file, fixtureTables['one-api'], { users, tokens: [tokenRow(1, 1)] });
      const env = { DATA_DIR: where.dataDir, SECRET_KEY };
      const answer = await runCommand(env, 'import', '--from', file, '--json');
      expect(answer.json()).toMatchObject({ ok: true, noted: { 'users.linked': 1, 'users.demoted': 1 } });
      const rows = await db.read
        .selectFrom('users')
        .select(['username', 'role', 'default_password', 'password_hash'])
        .orderBy('id')
        .execute();
      expect(rows.map(({ username, role, default_password: weak }) => [username, role, weak])).toEqual([
        ['root', 100, 0],
        ['boss', 10, 0],
      ]);
      expect(rows[0]?.password_hash === oldHash).toBe(initialPassword === undefined);
      expect((await walletOf(db, 1)).available).toBe(granted + 12);
      expect(await db.read.selectFrom('token').select('user_id').execute()).toEqual([{ user_id: 1 }]);
    }
  });

  test('where the root of there stays out, the first start makes one, under a name that is free', async () => {
    const users = [
      userRow(1, { username: 'admin', role: 100, deleted_at: '2025-01-02 03:04:05' }),
      userRow(2, { username: 'root', quota: 7 }),
    ];
    const { db } = await brought('new-api', { users });
    const passwords = createPasswords({ memoryKiB: 64, passes: 1 });
    const root = { username: 'root-2', hasDefaultPassword: true };
    const starts = await Promise.all([1, 2].map(() => bootstrapRoot({ db, clock: systemClock, passwords })));
    expect(starts).toMatchObject([root, root]);
    const rows = await db.read.selectFrom('users').select(['username', 'role', 'password_hash']).orderBy('id').execute();
    expect(rows).toMatchObject([
      { username: 'root', role: 1, password_hash: oldHash },
      { username: 'root-2', role: 100 },
    ]);
  });
});
