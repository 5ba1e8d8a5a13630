import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Secret, TOTP } from 'otpauth';
import { expect, test } from 'vitest';
import { createApiKit } from '../../test/api-kit.ts';
import { newFolder, runCommand } from '../../test/cli-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { fixtureTables, oldPassword, userRow, writeSqliteFixture } from '../../test/import-kit.ts';
import { bootstrapRoot, createPasswords } from '../identity/index.ts';
import { systemClock } from '../platform/clock.ts';

/** The master key of the kit, so that it opens what the command sealed. */
const SECRET_KEY = '07'.repeat(32);
const secrets = { alice: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', bob: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' };
const codeOf = (secret: string, timestamp: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });

onEachEngine((_engine, open, { place }) => {
  const scene = async () => {
    const where = await place();
    const db = await open({ place: where });
    const file = join(newFolder(), 'source.db');
    const env = where.url === undefined ? { DATA_DIR: where.dataDir, SECRET_KEY } : { DATABASE_URL: where.url, SECRET_KEY };
    const bring = async (...more: string[]) => {
      const answer = await runCommand(env, 'import', '--from', file, '--json', ...more);
      expect(answer.exitCode, answer.err + answer.out).toBe(0);
      return answer.json();
    };
    const factors = async () => {
      const rows = await db.read.selectFrom('totp').innerJoin('users', 'users.id', 'totp.user_id').select('username').execute();
      return rows.map(({ username }) => username).sort();
    };
    return { db, file, bring, factors };
  };

  test('new-api: who had a second factor signs in with the same authenticator, and not without it', async () => {
    const { db, file, bring, factors } = await scene();
    writeSqliteFixture(file, fixtureTables['new-api'], {
      users: ['alice', 'bob', 'carol', 'dave', 'erin'].map((username, index) => userRow(index + 2, { username })),
      two_fas: [
        { id: 1, user_id: 2, secret: secrets.alice, is_enabled: true },
        { id: 2, user_id: 4, secret: secrets.bob, is_enabled: false },
        { id: 3, user_id: 5, secret: secrets.bob, is_enabled: true, deleted_at: '2025-01-01 00:00:00' },
        { id: 4, user_id: 6, secret: 'not base 32!', is_enabled: true },
      ],
      two_fa_backup_codes: [{ id: 1, user_id: 2, code_hash: 'h', is_used: false }],
    });
    const report = await bring();
    expect(report.noted).toMatchObject({ 'users.factor_brought': 1, 'users.second_factor': 1 });
    expect(report.left).toMatchObject({ two_fa_backup_codes: 1 });
    expect((await runCommand({}, 'import', '--help')).out).toContain('tasks, recovery codes of second factors, passkeys');
    expect(report.left.two_fas).toBeUndefined();
    expect(await factors()).toEqual(['alice']);
    expect(JSON.stringify(await db.read.selectFrom('totp').selectAll().execute())).not.toContain(secrets.alice);

    const kit = await createApiKit(db);
    const post = (path: string, body: object) => kit.call({ method: 'POST', path, body });
    const first = await post('/api/user/login', { username: 'alice', password: oldPassword });
    expect(first.json).toMatchObject({ success: true, data: { totp_required: true, id: 0 } });
    const { ticket } = first.json.data;
    const wrong = await post('/api/user/totp/login', { ticket, code: codeOf(secrets.bob, kit.clock.nowMs()) });
    expect(wrong.json.success).toBe(false);
    const right = await post('/api/user/totp/login', { ticket, code: codeOf(secrets.alice, kit.clock.nowMs()) });
    expect(right.json).toMatchObject({ success: true, data: { username: 'alice' } });
    const other = await post('/api/user/login', { username: 'bob', password: oldPassword });
    expect(other.json).toMatchObject({ success: true, data: { username: 'bob' } });
  });

  test('a delta brings one that was switched on there since, and never takes or changes one that was set up here', async () => {
    const { db, file, bring, factors } = await scene();
    writeSqliteFixture(file, fixtureTables['new-api'], {
      users: [userRow(2, { username: 'alice' }), userRow(3, { username: 'bob' })],
    });
    await bring();
    expect(await factors()).toEqual([]);
    const bob = await db.read.selectFrom('users').select('id').where('username', '=', 'bob').executeTakeFirstOrThrow();
    await db.transaction((tx) =>
      tx.query
        .insertInto('totp')
        .values({ user_id: bob.id, secret_sealed: 'own', confirmed: 1, last_step: 0, created_at: 1 })
        .execute(),
    );
    const source = new Sqlite(file);
    const enroll = source.prepare('INSERT INTO two_fas (user_id, secret, is_enabled) VALUES (?, ?, 1)');
    enroll.run(2, secrets.alice);
    enroll.run(3, secrets.bob);
    const delta = await bring('--delta');
    expect(delta.noted).toMatchObject({ 'users.factor_brought': 1, 'users.second_factor': 1 });
    expect(await factors()).toEqual(['alice', 'bob']);
    source.exec('DELETE FROM two_fas');
    source.close();
    await bring('--delta');
    expect(await factors()).toEqual(['alice', 'bob']);
    const kept = await db.read.selectFrom('totp').select('secret_sealed').where('user_id', '=', bob.id).executeTakeFirstOrThrow();
    expect(kept.secret_sealed).toBe('own');
  });

  test.each([
    ['who still has the password of a new installation takes over both', undefined, ['root'], 'users.factor_brought'],
    ['who chose a password here keeps it, and is asked for no code of elsewhere', 'chosen-horse-9', [], 'users.second_factor'],
  ] as const)('a root %s', async (_title, initialPassword, expected, note) => {
    const { db, file, bring, factors } = await scene();
    const passwords = createPasswords({ memoryKiB: 64, passes: 1 });
    await bootstrapRoot({ db, clock: systemClock, passwords, initialPassword });
    writeSqliteFixture(file, fixtureTables.laisky, {
      users: [userRow(1, { username: 'root', role: 100, totp_secret: secrets.alice })],
    });
    const report = await bring();
    expect(report.noted).toMatchObject({ 'users.linked': 1, [note]: 1 });
    expect(await factors()).toEqual(expected);
    const source = new Sqlite(file);
    source.prepare('UPDATE users SET totp_secret = ?').run(secrets.bob);
    source.close();
    expect((await bring('--delta')).noted).toMatchObject({ 'users.second_factor': 1 });
    expect(await factors()).toEqual(expected);
  });
});
