import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createApiKit } from '../../test/api-kit.ts';
import { newFolder, runCommand } from '../../test/cli-kit.ts';
import { onEachEngine, type Place } from '../../test/engines.ts';
import { killSessions } from '../identity/index.ts';

/** As every command that writes tells it: without user and password. */
const placeOf = ({ url, dataDir }: Place): string => url?.replace(/\/\/[^/]*@/, '//') ?? join(dataDir, 'tollgate.db');

onEachEngine((_engine, open, { place }) => {
  test('everybody is signed out, however many there are', async () => {
    const kit = await createApiKit(await open());
    const root = await kit.root();
    const [session] = await kit.db.read.selectFrom('session').selectAll().where('user_id', '=', root.id).execute();
    if (session === undefined) throw new Error('nobody is signed in');
    const [pages, size] = [67, 1500];
    const rowOf = (number: number) => ({ ...session, id_hash: String(number).padStart(64, '0') });
    for (let page = 0; page < pages; page++) {
      const rows = Array.from({ length: size }, (_, index) => rowOf(page * size + index));
      await kit.db.transaction(({ query }) => query.insertInto('session').values(rows).execute());
    }
    expect(await killSessions(kit, 'all')).toBe(pages * size + 1);
    expect(await kit.db.read.selectFrom('session').select('id_hash').limit(1).execute()).toEqual([]);
  });

  test('who there is, who is signed in and what keys there are is listed; sessions end and tokens go off at once', async () => {
    const where = await place();
    const kit = await createApiKit(await open({ place: where }));
    const [root, alice] = [await kit.root(), await kit.user('alice')];
    const env = { DATABASE_URL: where.url, DATA_DIR: where.dataDir || newFolder(), SECRET_KEY: '07'.repeat(32) };
    const self = (user: typeof root) => kit.call({ path: '/api/user/self', as: user });
    await kit.call({
      method: 'POST',
      path: '/api/token',
      body: { name: 'work', remain_quota: 5, expired_time: -1, group: '' },
      as: alice,
    });

    const users = (await runCommand(env, 'user', 'list', '--json')).json();
    expect(users).toMatchObject([
      { id: root.id, username: 'root', role: 100 },
      { id: alice.id, username: 'alice', role: 1 },
    ]);
    expect(JSON.stringify(users)).not.toMatch(/password|hash|token/);
    expect((await runCommand(env, 'user', 'list')).out).toContain('alice');

    const sessions = (await runCommand(env, 'session', 'list', '--user', 'alice', '--json')).json();
    expect(sessions).toMatchObject([{ username: 'alice', ip: '127.0.0.1' }]);
    expect(JSON.stringify(sessions)).not.toContain(alice.cookie.split('=')[1]);
    expect(await runCommand(env, 'session', 'kill', '5')).toMatchObject({ exitCode: 1 });
    expect(await runCommand(env, 'session', 'kill')).toMatchObject({ exitCode: 2 });
    expect(await runCommand(env, 'session', 'kill', '5', '--all')).toMatchObject({ exitCode: 2 });
    expect((await self(alice)).status).toBe(200);
    expect((await runCommand(env, 'session', 'kill', String(sessions[0].id), '--json')).json()).toEqual({
      ended: 1,
      database: placeOf(where),
    });
    expect([(await self(alice)).status, (await self(root)).status]).toEqual([401, 200]);
    expect((await runCommand(env, 'session', 'kill', '--all', '--json')).json()).toEqual({ ended: 1, database: placeOf(where) });
    expect((await self(root)).status).toBe(401);

    const [token] = (await runCommand(env, 'token', 'list', '--user', 'alice', '--json')).json();
    expect(token).toMatchObject({ username: 'alice', name: 'work', status: 1, remain_quota: 5 });
    expect(Object.keys(token).filter((name) => name.includes('key'))).toEqual([]);
    const statusOf = async () => (await kit.db.read.selectFrom('token').select('status').executeTakeFirstOrThrow()).status;
    expect(await runCommand(env, 'token', 'disable', String(token.id))).toMatchObject({ exitCode: 0 });
    expect(await statusOf()).toBe(2);
    expect(await runCommand(env, 'token', 'enable', String(token.id))).toMatchObject({ exitCode: 0 });
    expect(await statusOf()).toBe(1);
    expect(await runCommand(env, 'token', 'disable', '999')).toMatchObject({ exitCode: 1 });
    expect(await runCommand(env, 'token', 'disable', 'work')).toMatchObject({ exitCode: 2 });

    const changes = await kit.db.read
      .selectFrom('change')
      .select('key')
      .where('kind', '=', 'token')
      .orderBy('seq', 'desc')
      .limit(2)
      .execute();
    expect(changes.map(({ key }) => key)).toEqual([String(token.id), String(token.id)]);
    const told = await kit.db.read
      .selectFrom('audit')
      .select('action')
      .where('actor', '=', 'command line')
      .orderBy('seq')
      .execute();
    expect(told.map(({ action }) => action)).toEqual(['session.end', 'session.end', 'token.disable', 'token.enable']);
  });

  test('accounts are made, shut, opened and raised; a lost second factor comes off, also that of root', async () => {
    const where = await place();
    const kit = await createApiKit(await open({ place: where }));
    const [root, alice] = [await kit.root(), await kit.user('alice')];
    const env = { DATABASE_URL: where.url, DATA_DIR: where.dataDir || newFolder(), SECRET_KEY: '07'.repeat(32) };
    const run = (...args: string[]) => runCommand(env, 'user', ...args, '--json');
    const signsIn = async (username: string, password: string) =>
      (await kit.call({ method: 'POST', path: '/api/user/login', body: { username, password } })).json;

    expect((await run('disable', 'alice')).json()).toEqual({
      ...{ username: 'alice', role: 1, status: 2 },
      database: placeOf(where),
    });
    expect((await kit.call({ path: '/api/user/self', as: alice })).status).toBe(401);
    expect(await signsIn('alice', alice.password)).toMatchObject({ success: false });
    expect((await run('enable', 'alice')).json()).toMatchObject({ status: 1 });
    expect((await run('promote', 'alice')).json()).toMatchObject({ role: 10 });
    expect(await signsIn('alice', alice.password)).toMatchObject({ success: true, data: { role: 10 } });
    expect(await run('promote', 'alice')).toMatchObject({ exitCode: 1, err: '' });
    expect((await run('demote', 'alice')).json()).toMatchObject({ role: 1 });
    expect(await run('disable', 'root')).toMatchObject({ exitCode: 1, out: expect.stringContaining('error') });
    expect(await run('disable', 'nobody')).toMatchObject({ exitCode: 1, out: expect.stringContaining('user not found') });

    const made = (await run('create', 'carol', '--admin')).json();
    expect(await signsIn('carol', made.password)).toMatchObject({ success: true, data: { role: 10 } });
    expect(await run('create', 'carol')).toMatchObject({ exitCode: 1 });
    expect(await run('create', 'a-name-that-is-too-long')).toMatchObject({ exitCode: 2 });

    const row = { user_id: root.id, secret_sealed: 'sealed', confirmed: 1, last_step: 0, created_at: 1 };
    await kit.db.transaction((tx) => tx.query.insertInto('totp').values(row).execute());
    expect(await run('reset-second-factor', 'root')).toMatchObject({ exitCode: 0 });
    expect(await kit.db.read.selectFrom('totp').selectAll().execute()).toEqual([]);
    expect(await run('reset-second-factor', 'root')).toMatchObject({ exitCode: 1 });
    const told = await kit.db.read
      .selectFrom('audit')
      .select(['action', 'actor_id'])
      .where('actor', '=', 'command line')
      .orderBy('seq')
      .execute();
    expect(told.map(({ action }) => action)).toEqual([
      ...['user.disable', 'user.enable', 'user.promote', 'user.demote', 'user.create', 'user.second_factor_reset'],
    ]);
  });

  test('a token made for a user belongs to that user, opens the door, and is on record', async () => {
    const where = await place();
    const kit = await createApiKit(await open({ place: where }));
    const alice = await kit.user('alice');
    const env = { DATABASE_URL: where.url, DATA_DIR: where.dataDir || newFolder(), SECRET_KEY: '07'.repeat(32) };
    const run = (...args: string[]) => runCommand(env, 'token', 'create', '--user', 'alice', ...args, '--json');
    const { id, key } = (await run('--name', 'batch', '--quota', '500')).json();
    expect(key).toMatch(/^sk-[A-Za-z0-9]{48}$/);
    const seen = (await kit.call({ path: `/api/token/${id}`, as: alice })).json.data;
    expect(seen).toMatchObject({ name: 'batch', remain_quota: 500, unlimited_quota: false, key: key.slice(3) });
    expect((await kit.call({ path: `/api/log/token?key=${key}` })).json.success).toBe(true);
    expect((await run('--name', 'all')).json()).toMatchObject({ username: 'alice' });
    expect(await run('--name', 'x', '--group', 'none-such')).toMatchObject({ exitCode: 1 });
    expect(await run('--name', '')).toMatchObject({ exitCode: 2 });
    expect(await run('--name', 'x', '--quota', 'much')).toMatchObject({ exitCode: 2 });
    const told = await kit.db.read
      .selectFrom('audit')
      .select(['detail', 'target'])
      .where('action', '=', 'token.create')
      .execute();
    expect(told.map(({ target }) => target)[0]).toBe(`token:${id}`);
    expect(JSON.stringify(told)).not.toContain(key.slice(3));
  });

  test('who resets a password is told that none lets anybody in, and how to switch that on: no console is needed', async () => {
    const where = await place();
    const kit = await createApiKit(await open({ place: where }));
    const root = await kit.root();
    const env = { DATABASE_URL: where.url, DATA_DIR: where.dataDir || newFolder(), SECRET_KEY: '07'.repeat(32) };
    const reset = () => runCommand(env, 'user', 'reset-password', 'root');
    await kit.call({ method: 'PUT', path: '/api/option', body: { key: 'PasswordLoginEnabled', value: false }, as: root });
    const told = await reset();
    expect(told).toMatchObject({ exitCode: 0, out: expect.stringContaining('sign-in by password is off') });
    const file = join(newFolder(), 'options.yaml');
    writeFileSync(file, /^version: 1\noptions: .*$/m.exec(told.out)?.[0] ?? '');
    expect(await runCommand(env, 'config', 'apply', file)).toMatchObject({ exitCode: 0 });
    expect((await reset()).out).not.toContain('is off');
  });
});
