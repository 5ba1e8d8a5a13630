import { expect, test } from 'vitest';
import { type ApiKit, createApiKit, kitPassword, signIn } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { verifyAuditChain } from '../audit/index.ts';

const channel = { type: 1, name: 'c', key: 'sk-upstream-key-1', models: 'gpt-4o', group: 'default' };

onEachEngine((_name, open) => {
  const trail = async (kit: ApiKit) => {
    const rows = await kit.db.read.selectFrom('audit').selectAll().orderBy('seq').execute();
    return rows.map((row) => [row.actor, row.action, row.target, JSON.parse(row.detail)]);
  };

  test('a life of an account leaves its rows, in order, each with its address, and none with a secret', async () => {
    const kit = await createApiKit(await open());
    const alice = await kit.user('alice');
    const login = (name: string, password: string) =>
      kit.call({ method: 'POST', path: '/api/user/login', body: { username: name, password } });
    await login('alice', 'wrong-word-12');
    await login('typed-a-password', 'wrong-word-12');
    const second = await signIn(kit.call, 'alice', kitPassword);
    await kit.call({ path: '/api/user/token', as: alice });
    await kit.call({ method: 'PUT', path: '/api/user/self', body: { display_name: 'Al' }, as: alice });
    await kit.call({ method: 'DELETE', path: '/api/user/sessions', as: alice });
    await kit.call({ path: '/api/user/logout', as: second });
    await kit.call({ method: 'PUT', path: '/api/user/self', body: { password: 'brand-new-12' }, as: alice });
    const again = await signIn(kit.call, 'alice', 'brand-new-12');
    await kit.call({ path: '/api/user/logout', as: again });
    const last = await signIn(kit.call, 'alice', 'brand-new-12');
    await kit.call({ path: '/api/channel/', as: last });
    await kit.call({ method: 'DELETE', path: '/api/user/self', as: last });
    const self = `user:${alice.id}`;
    const byPassword = { door: 'password' };
    expect(await trail(kit)).toEqual([
      ['alice', 'register', self, {}],
      ['alice', 'login', self, byPassword],
      ['', 'login.failed', self, byPassword],
      ['', 'login.failed', 'user:unknown', byPassword],
      ['alice', 'login', self, byPassword],
      ['alice', 'access_token.rotate', self, {}],
      ['alice', 'user.update', self, { display_name: { from: 'alice', to: 'Al' } }],
      ['alice', 'session.end', self, { sessions: 1 }],
      ['alice', 'password.change', self, {}],
      ['alice', 'login', self, byPassword],
      ['alice', 'session.end', self, {}],
      ['alice', 'login', self, byPassword],
      ['alice', 'denied', 'GET /api/channel', { code: 'permission_denied' }],
      ['alice', 'user.deregister', self, {}],
    ]);
    const stored = await kit.db.read.selectFrom('audit').selectAll().execute();
    expect(new Set(stored.map((row) => row.ip))).toEqual(new Set(['127.0.0.1']));
    expect(JSON.stringify(stored)).not.toMatch(/wrong-word|brand-new|correct-horse|typed-a-password|argon2/);
    expect(await verifyAuditChain(kit.db)).toEqual({ ok: true, rows: 14 });
  });

  test('options leave the old and the new value, secrets and long texts as a keyed hash that tells only sameness', async () => {
    const kit = await createApiKit(await open());
    const as = await kit.root();
    const save = (key: string, value: unknown) => kit.call({ method: 'PUT', path: '/api/option/', body: { key, value }, as });
    await save('Notice', 'hello');
    await save('Notice', 'hello');
    await save('Notice', 'x'.repeat(5000));
    await save('EpayKey', 'pay-secret-1');
    await save('EpayKey', 'pay-secret-2');
    await save('EpayKey', '');
    await save('NoSuchOption', '1');
    const rows = (await trail(kit)).filter(([, action]) => action === 'option.change');
    const hash = expect.stringMatching(/^hmac-sha256:[0-9a-f]{64}$/);
    expect(rows).toEqual([
      ['root', 'option.change', 'option:Notice', { from: '', to: 'hello' }],
      ['root', 'option.change', 'option:Notice', { from: 'hello', to: hash }],
      ['root', 'option.change', 'option:EpayKey', { from: '', to: hash }],
      ['root', 'option.change', 'option:EpayKey', { from: hash, to: hash }],
      ['root', 'option.change', 'option:EpayKey', { from: hash, to: '' }],
    ]);
    expect(rows[2]?.[3].to).toBe(rows[3]?.[3].from);
    expect(rows[3]?.[3].to).not.toBe(rows[3]?.[3].from);
    expect(JSON.stringify(rows)).not.toContain('pay-secret');
  });

  test('channels leave what changed, the credential by its hint', async () => {
    const kit = await createApiKit(await open());
    const as = await kit.root();
    await kit.call({ method: 'POST', path: '/api/channel/', body: { ...channel, param_override: '{"a":"b"}' }, as });
    const { id } = await kit.db.read.selectFrom('channel').select('id').executeTakeFirstOrThrow();
    const body = { id, name: 'd', key: 'sk-upstream-key-2', setting: '{"proxy":"p"}' };
    await kit.call({ method: 'PUT', path: '/api/channel/', body, as });
    await kit.call({ method: 'DELETE', path: `/api/channel/${id}`, as });
    const rows = (await trail(kit)).filter(([, , target]) => target === `channel:${id}`);
    expect(rows.map(([actor, action]) => [actor, action])).toEqual([
      ['root', 'channel.create'],
      ['root', 'channel.update'],
      ['root', 'channel.delete'],
    ]);
    expect(rows[1]?.[3]).toMatchObject({ name: { from: 'c', to: 'd' }, setting: 'changed' });
    expect(JSON.stringify(rows)).not.toMatch(/upstream-key|proxy/);
  });

  test('what was rolled back is not told', async () => {
    const kit = await createApiKit(await open());
    const as = await kit.root();
    const before = (await trail(kit)).length;
    const good = { key: 'Notice', value: 'hello' };
    await kit.call({ method: 'PUT', path: '/api/option/', body: [good, { key: 'Price', value: '-1' }], as });
    await kit.call({ method: 'PUT', path: '/api/channel/', body: { id: 4711, name: 'x' }, as });
    await kit.call({ method: 'POST', path: '/api/user/manage', body: { id: 4711, action: 'disable' }, as });
    expect(await trail(kit)).toHaveLength(before);
  });
});
