import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createApiKit } from '../../test/api-kit.ts';
import { channelRow, storeChannels } from '../../test/channel-rows.ts';
import { runCommand } from '../../test/cli-kit.ts';
import { cases } from '../../test/doctor-cases.ts';
import { createDoctorWorld } from '../../test/doctor-world.ts';
import { onEachEngine, onPostgres, onSqlite } from '../../test/engines.ts';
import { startLedgerProof } from '../jobs/ledger-proof.ts';
import { startLogUpkeep } from '../jobs/log-upkeep.ts';
import { startNotifications } from '../jobs/notifications.ts';
import { startOutboxReplay } from '../jobs/outbox-replay.ts';
import { startRollup } from '../jobs/rollup.ts';
import type { JobRunner, Work } from '../jobs/runner.ts';
import { startSweeper } from '../jobs/sweeper.ts';
import { startTaskPoller } from '../jobs/task-poller.ts';
import { startWalletUpkeep } from '../jobs/wallet-upkeep.ts';
import { appendOnlyTables, expectedIndexes } from '../storage/expected.ts';
import { inspectEngine } from '../storage/inspect.ts';
import { forgottenSlots, longestHolder } from '../storage/postgres/holders.ts';
import { announceNode, databaseNowMs } from '../storage/presence.ts';
import { checks } from './checks.ts';

test('every check has a case that breaks what it looks at, and a name of its own', () => {
  const ids = checks.map(({ id }) => id);
  expect(Object.keys(cases)).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThanOrEqual(50);
});

test('every check says in both languages what it means and what to do', () => {
  const texts = checks.flatMap(({ id, title, means, fix }) => [title, means, fix].map((text) => ({ id, text })));
  const blank = texts.filter(({ text: [zh, en] }) => zh.trim() === '' || en.trim() === '' || /\p{Script=Han}/u.test(en));
  expect(blank).toEqual([]);
});

test('what a check says to look for in the log is what a job that fails writes there', () => {
  const lines: string[] = [];
  const start = ({ failed }: Work) => {
    lines.push(failed);
    return { tick: async () => {}, stop: async () => {} };
  };
  const runner: JobRunner = { start, beats: () => [] };
  startRollup({ rollup: {} as never, runner });
  startLogUpkeep({ runner } as never);
  startNotifications({ dispatcher: {}, quotaWatch: {}, alerts: {} } as never, { runner });
  startSweeper({ runner, everySeconds: 30 } as never);
  startOutboxReplay({ runner } as never);
  startTaskPoller({} as never, runner, 15);
  startLedgerProof({ runner } as never);
  startWalletUpkeep({ runner } as never);
  const words = checks.flatMap(({ id, fix: [zh, en] }) => {
    const [, word] = /look for (\w+) in (?:the|its) log/i.exec(en) ?? [];
    return word === undefined ? [] : [{ id, word, isInBoth: zh.includes(`日志里的 ${word}`) }];
  });
  expect(words.length).toBeGreaterThan(6);
  expect(words.filter(({ word, isInBoth }) => !isInBoth || !lines.some((line) => line.includes(word)))).toEqual([]);
});

test('a mail server that wants no sign-in, and one that is signed in to without a sender of its own, are whole', () => {
  const judge = checks.find(({ id }) => id === 'smtp')?.judge as (facts: unknown) => unknown;
  const none = { SMTPServer: '', SMTPFrom: '', SMTPAccount: '', SMTPToken: '' };
  const relay = { ...none, SMTPServer: 'relay.example.com', SMTPFrom: 'gate@example.com' };
  const account = { ...none, SMTPServer: 'smtp.example.com', SMTPAccount: 'gate@example.com', SMTPToken: 't' };
  for (const options of [none, relay, account]) expect(judge({ options })).toBeUndefined();
  const half = [
    { ...relay, SMTPFrom: '' },
    { ...relay, SMTPAccount: 'gate@example.com' },
    { ...account, SMTPServer: '' },
  ];
  for (const options of half) expect(judge({ options })).toMatchObject({ level: 'fail' });
});

test('sums that are a second behind thousands of calls are in time; the same rows after minutes, or a few after long, are not', () => {
  const judge = checks.find(({ id }) => id === 'rollup')?.judge as (facts: unknown) => unknown;
  const behind = (rows: number, seconds: number) => judge({ unsummed: { rows, since: 10_000 - seconds }, now: 10_000 });
  for (const [rows, seconds] of [
    [0, 10_000],
    [6_000, 2],
    [500, 600],
  ] as const)
    expect(behind(rows, seconds)).toBeUndefined();
  for (const [rows, seconds] of [
    [6_000, 120],
    [1, 1_000],
  ] as const)
    expect(behind(rows, seconds)).toMatchObject({ level: 'warn' });
});

test('a proof that takes long and rests until later is no old one; one that nobody came for, or that fails each time, is', () => {
  const judge = checks.find(({ id }) => id === 'proof_age')?.judge as (facts: unknown) => unknown;
  const hour = 3_600;
  const now = 100 * hour;
  const age = (hours: number, dueIn: number) =>
    judge({ proof: { checkedAt: now - hours * hour, dueAt: now + dueIn * hour }, now });
  for (const [hours, dueIn] of [
    [1, 0],
    [2.5, -1.5],
    [12, 5],
    [30, 20],
  ] as const)
    expect(age(hours, dueIn)).toBeUndefined();
  for (const [hours, dueIn] of [
    [3, -2],
    [3, 0.5],
    [25, 1],
  ] as const)
    expect(age(hours, dueIn)).toMatchObject({ level: 'warn' });
});

onEachEngine((_engine, open, { place }) => {
  test('what is broken turns exactly its own check, and mending turns it back', async () => {
    const where = await place();
    const { world, remove } = await createDoctorWorld(await open({ place: where }), where);
    try {
      const sound = await world.look();
      expect(sound.filter(({ level }) => level !== 'ok')).toEqual([]);
      const wrong: unknown[] = [];
      for (const [id, { level, break: breakIt }] of Object.entries(cases)) {
        const mend = await breakIt(world);
        const turned = (await world.look()).filter((check) => check.level !== 'ok').map((check) => `${check.id} ${check.level}`);
        await mend();
        if (turned.join() !== `${id} ${level}`) wrong.push({ broken: id, turned });
      }
      expect(wrong).toEqual([]);
      expect((await world.look()).filter(({ level }) => level !== 'ok')).toEqual([]);
    } finally {
      remove();
    }
  });

  test('a channel with a header that calls must not carry is told of, since no call goes there', async () => {
    const where = await place();
    const { world, remove } = await createDoctorWorld(await open({ place: where }), where);
    await world.set('channel', { header_override: '{"authorization":"Bearer its-own"}' }, { id: 1 });
    const found = (await world.look()).find(({ id }) => id === 'channel_json');
    remove();
    expect(found).toMatchObject({ level: 'fail', detail: expect.stringMatching(/^channel 1 \(1\)\. /) });
  });

  test('of many that are named in part the number is right', async () => {
    const where = await place();
    const db = await open({ place: where });
    const { world, remove } = await createDoctorWorld(db, where);
    await storeChannels(
      db,
      Array.from({ length: 30 }, (_, index) => channelRow(100 + index, { status: 3, models: '' })),
    );
    const found = (await world.look()).find(({ id }) => id === 'auto_disabled');
    remove();
    expect(found?.detail).toMatch(/^channel 100, channel 101, channel 102, channel 103, channel 104, … \(30\)\. /);
  });

  test('where nobody registers, as in self-use mode, a gift for who does is no risk, and no code has to be mailed', async () => {
    const where = await place();
    const { world, remove } = await createDoctorWorld(await open({ place: where }), where);
    await world.option('SelfUseModeEnabled', 'true');
    const wrong: unknown[] = [];
    for (const [key, value] of [
      ['QuotaForNewUser', '1000'],
      ['EmailVerificationEnabled', 'true'],
    ] as const) {
      await world.option(key, value);
      wrong.push(...(await world.look()).filter(({ level }) => level !== 'ok'));
    }
    remove();
    expect(wrong).toEqual([]);
  });

  test("root's mail address counts where there is a mail server, and nothing else does for who has none", async () => {
    const where = await place();
    const { world, remove } = await createDoctorWorld(await open({ place: where }), where);
    const levels = async () => (await world.levels()).get('root_reachable');
    await world.set('users', { setting: '' }, { id: 1 });
    const told = [await levels()];
    await world.option('SMTPServer', 'smtp.example.com');
    told.push(await levels());
    await world.set('users', { email: null }, { id: 1 });
    told.push(await levels());
    remove();
    expect(told).toEqual(['warn', 'ok', 'warn']);
  });

  test('root gets in by a passkey while every other door is closed', async () => {
    const where = await place();
    const { world, remove } = await createDoctorWorld(await open({ place: where }), where);
    const passkey = { user_id: 1, credential_id: 'c', public_key: 'k', counter: 0, transports: '', name: 'key' };
    await world.option('PasswordLoginEnabled', 'false');
    const without = (await world.levels()).get('no_door');
    await world.insert('passkey', { ...passkey, created_at: 1, used_at: 0 });
    const levels = [without, (await world.levels()).get('no_door')];
    remove();
    expect(levels).toEqual(['fail', 'ok']);
  });

  test('how far each node is stands there also when all is well', async () => {
    const where = await place();
    const { world, remove } = await createDoctorWorld(await open({ place: where }), where);
    const progress = async () => (await world.look('en')).find(({ id }) => id === 'node_progress');
    expect(await progress()).toMatchObject({ level: 'ok', detail: expect.stringMatching(/^A node that is behind/) });
    const node = { name: 'n1', isWorker: false, version: '1', aheadMs: 0, behindMs: 840, charges: 0 };
    const now = Math.floor((await databaseNowMs(world.db)) / 1000);
    await announceNode(world.db, node, now);
    const detail = expect.stringMatching(/^n1 settings 0\.8 s behind, charges waiting: 0\. A node/);
    expect(await progress()).toMatchObject({ level: 'ok', detail });
    // Of a machine with several processes each has an outbox of its own; they are one node all the same.
    await announceNode(world.db, { ...node, name: 'w2', isWorker: true, behindMs: 0, charges: 5 }, now);
    const waits = expect.stringContaining('w2 settings 0.0 s behind, charges waiting: 5');
    expect(await progress()).toMatchObject({ level: 'warn', detail: waits });
    expect((await world.look('en')).find(({ id }) => id === 'nodes_without_redis')).toMatchObject({ level: 'ok' });
    remove();
  });

  test('what cannot be looked at is said, and hides nothing else', async () => {
    const where = await place();
    const { world, remove } = await createDoctorWorld(await open({ place: where }), where);
    world.pingRedis = () => Promise.reject(new Error('planted-secret'));
    const unseen = (await world.look('zh')).filter(({ level }) => level !== 'ok');
    remove();
    expect(new Set(unseen.map(({ group, level }) => `${group} ${level}`))).toEqual(new Set(['nodes warn']));
    expect(unseen[0]?.detail).toContain('没能检查');
    expect(JSON.stringify(unseen)).not.toContain('planted-secret');
  });

  test('a data folder that is not there is named once for all that lies in it', async () => {
    const where = await place();
    const { world, remove } = await createDoctorWorld(await open({ place: where }), where);
    const gone = join(world.dataDir, 'gone');
    world.env = { DATA_DIR: gone };
    const unseen = (await world.look('en')).filter(({ group }) => group === 'host');
    remove();
    expect(new Set(unseen.map(({ fix }) => fix))).toEqual(
      new Set(["See that DATA_DIR is the server's and can be read, then look again."]),
    );
    expect(unseen[0]?.detail).toContain(`could not be looked at: ENOENT ${gone}.`);
  });

  test('the command ends with 1 while something fails, and with 0 when it is mended', async () => {
    const where = await place();
    const { world, remove } = await createDoctorWorld(await open({ place: where }), where);
    const env = {
      ...{ DATA_DIR: world.dataDir, HOST: '127.0.0.1', SECRET_KEY_FILE: join(world.dataDir, 'secret.key') },
      DATABASE_URL: where.url,
    };
    const mend = await world.set('users', { default_password: 1 }, { id: 1 });
    const broken = await runCommand(env, 'doctor');
    await mend();
    const mended = await runCommand(env, 'doctor', '--json');
    remove();
    expect(broken).toMatchObject({ exitCode: 1, out: expect.stringContaining('default_password') });
    expect(broken.out).toContain('npx tollgate user reset-password root');
    // Servers of tests do without what keeps data through a power loss.
    const failing = mended
      .json()
      .checks.flatMap((check: { id: string; level: string }) => (check.level === 'fail' ? [check.id] : []));
    expect(failing.filter((id: string) => id !== 'journal')).toEqual([]);
    expect(mended).toMatchObject({ exitCode: failing.length === 0 ? 0 : 1 });
    expect(mended.json().checks).toHaveLength(checks.length);
  });

  test('a new database has every index and every append-only table that is looked for', async () => {
    const db = await open();
    const { missingIndexes, openTables, nowMs } = await inspectEngine(db, {
      dataDir: (await place()).dataDir,
      synchronous: 'FULL',
    });
    expect([missingIndexes, openTables]).toEqual([[], []]);
    expect(Math.abs(nowMs - Date.now())).toBeLessThan(60_000);
    const named = await db.read.introspection.getTables();
    expect(named.map(({ name }) => name)).toEqual(expect.arrayContaining([...appendOnlyTables]));
  });
});

onSqlite((_engine, open, { place }) => {
  test('a journal that is not written ahead is seen in the file itself, and what is looked for is all that there is', async () => {
    const where = await place();
    const db = await open({ place: where });
    const { rows } = await sql<{ name: string }>`
      SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name`.execute(db.read);
    expect([...expectedIndexes].sort()).toEqual(rows.map(({ name }) => name));
    await db.close();
    const file = new Sqlite(join(where.dataDir, 'tollgate.db'));
    file.pragma('journal_mode = DELETE');
    file.close();
    writeFileSync(join(where.dataDir, 'secret.key'), `${'07'.repeat(32)}\n`, { mode: 0o600 });
    const answer = await runCommand({ DATA_DIR: where.dataDir }, 'doctor', '--json');
    expect(answer.exitCode).toBe(1);
    const found = answer.json().checks.find(({ id }: { id: string }) => id === 'journal');
    expect(found).toMatchObject({ level: 'fail', detail: expect.stringContaining('journal_mode=delete') });
  });
});

onPostgres((_engine, open, { place }) => {
  test('commits that are not on disk are seen as the server is set', async () => {
    const where = await place();
    const db = await open({ place: where });
    const name = where.url?.split('/').at(-1) ?? '';
    await db.transaction((tx) => sql`ALTER DATABASE ${sql.ref(name)} SET synchronous_commit = off`.execute(tx.query));
    const { commits } = await inspectEngine(await open({ place: where }), { dataDir: '', synchronous: 'FULL' });
    expect(commits).toEqual([{ name: 'synchronous_commit', value: 'off', isSound: false }]);
  });

  test('what keeps old rows for long, or the journal for nobody, is named with what ends it; what a moment takes is not', async () => {
    const db = await open();
    const judge = (id: string, found: object) => {
      const { judge: of } = checks.find((check) => check.id === id) as unknown as {
        judge(facts: object): { found: readonly string[] };
      };
      return of(found).found[1];
    };
    await db.transaction(async ({ query }) => {
      const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(query);
      const [holder, none] = [
        await longestHolder(db.read, { reading: 0, writing: 0, transactions: 0 }),
        await longestHolder(db.read),
      ];
      expect([holder?.name, none]).toEqual([String(rows[0]?.pid), undefined]);
      expect(judge('holder', { holder })).toContain(`What ends it: SELECT pg_terminate_backend(${rows[0]?.pid}).`);
    });
    await sql`SELECT pg_create_physical_replication_slot('forgotten', true)`.execute(db.read);
    try {
      await createApiKit(db);
      const [slots, none] = [await forgottenSlots(db.read, 0), await forgottenSlots(db.read)];
      expect([slots, none]).toEqual([['forgotten'], []]);
      expect(judge('slots', { forgottenSlots: slots })).toContain('forgotten');
    } finally {
      // It belongs to the server, not to this database.
      await sql`SELECT pg_drop_replication_slot('forgotten')`.execute(db.read);
    }
  });

  test('a database that only reads is a failure that is named, whoever asks from outside', async () => {
    const where = await place();
    const db = await open({ place: where });
    await createApiKit(db);
    const env = { DATABASE_URL: where.url, SECRET_KEY: '07'.repeat(32) };
    expect((await runCommand(env, 'doctor')).out).not.toContain('takes_writes');
    const name = where.url?.split('/').at(-1) ?? '';
    await db.transaction((tx) => sql`ALTER DATABASE ${sql.ref(name)} SET default_transaction_read_only = on`.execute(tx.query));
    expect(await runCommand(env, 'doctor')).toMatchObject({ exitCode: 1, out: expect.stringContaining('(takes_writes)') });
  });
});
