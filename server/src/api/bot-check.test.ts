import { turnstileAction } from '@tollgate/contract';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startTurnstile, type Turnstile } from '../../../e2e/support/stand-ins/turnstile.ts';
import { kitPassword } from '../../test/api-kit.ts';
import { createDoorKit, type DoorKit } from '../../test/door-kit.ts';
import { onEachEngine } from '../../test/engines.ts';

const secret = 'turnstile-secret';
const empty = 'Turnstile token 为空';
const failed = 'Turnstile 校验失败，请刷新重试！';
const solved = { action: turnstileAction, hostname: 'gate.example.org' };
const guarded = [
  { method: 'POST', path: '/api/user/login', body: { username: 'ann', password: kitPassword } },
  { method: 'POST', path: '/api/user/register', body: { username: 'bob', password: kitPassword } },
  { method: 'GET', path: '/api/verification', query: 'email=bob@example.org' },
  { method: 'GET', path: '/api/reset_password', query: 'email=eve@example.org' },
];

onEachEngine((_name, open) => {
  let kit: DoorKit;
  let service: Turnstile | undefined;
  beforeAll(async () => {
    service = await startTurnstile(secret);
  });
  afterAll(() => service?.close());
  afterEach(() => kit.close());
  const there = (): Turnstile => {
    if (service === undefined) throw new Error('the service is not there');
    return service;
  };
  const start = async (): Promise<void> => {
    there().override.reply = undefined;
    kit = await createDoorKit(open, { rewrite: there().rewrite });
    await kit.user('ann');
    await kit.set({ TurnstileSiteKey: 'site', TurnstileSecretKey: secret });
    await kit.set({ TurnstileCheckEnabled: true });
  };
  const send = ({ method, path, body, query = '' }: (typeof guarded)[number], token?: string) =>
    kit.call({ method, path: `${path}?${query}${token === undefined ? '' : `&turnstile=${token}`}`, body, peer: '203.0.113.7' });

  test('the listed routes want a solved check each time, and no other route does', async () => {
    await start();
    for (const [index, route] of guarded.entries()) {
      expect((await send(route)).json.message).toBe(empty);
      expect((await send(route, '')).json.message).toBe(empty);
      expect((await send(route, 'unsolved')).json.message).toBe(failed);
      there().tokens.set(`t${index}`, solved);
      expect((await send(route, `t${index}`)).json).toMatchObject({ success: true });
      expect((await send(route, `t${index}`)).json.message).toBe(failed);
    }
    expect((await kit.get('/api/status')).json.success).toBe(true);
    expect((await kit.get('/api/oauth/state')).json.success).toBe(true);
    const asked = there().received.at(-1)?.body ?? '';
    expect(Object.fromEntries(new URLSearchParams(asked))).toEqual({ secret, response: 't3', remoteip: '203.0.113.7' });
  });

  test('a check that was solved for another page or another purpose does not count', async () => {
    await start();
    const [login] = guarded;
    if (login === undefined) throw new Error('no route');
    const { tokens } = there();
    tokens.set('a', { ...solved, action: 'something-else' });
    tokens.set('b', { ...solved, hostname: 'evil.test' });
    tokens.set('c', { ...solved, hostname: 'console.test' });
    expect((await send(login, 'a')).json.message).toBe(failed);
    expect((await send(login, 'b')).json.message).toBe(failed);
    expect((await send(login, 'c')).json.success).toBe(true);
  });

  test('a service that is down, broken, slow or talkative passes nobody', async () => {
    await start();
    const [login] = guarded;
    if (login === undefined) throw new Error('no route');
    const large = { body: { success: true, ...solved, pad: 'x'.repeat(5000) } };
    for (const reply of [
      { status: 500, body: { success: true, ...solved } },
      { body: 'true' },
      { body: { success: 'true', ...solved } },
      large,
      { hang: true },
    ]) {
      there().override.reply = reply;
      expect((await send(login, 'token')).json.message).toBe(failed);
    }
  });

  test('it cannot be switched on without both of its keys', async () => {
    kit = await createDoorKit(open);
    const refused = '无法启用 Turnstile 校验，请先填入 Turnstile 校验相关配置信息！';
    await kit.set({ TurnstileSiteKey: 'site' });
    await expect(kit.set({ TurnstileCheckEnabled: true })).rejects.toThrow(refused);
    await kit.set({ TurnstileSiteKey: '', TurnstileSecretKey: secret });
    await expect(kit.set({ TurnstileCheckEnabled: true })).rejects.toThrow(refused);
  });

  test('while it is on its keys are changed and not cleared: nobody, root included, could sign in any more', async () => {
    await start();
    for (const key of ['TurnstileSiteKey', 'TurnstileSecretKey'])
      await expect(kit.set({ [key]: '' })).rejects.toThrow('Turnstile 校验正在启用');
    await kit.set({ TurnstileSiteKey: 'another' });
    await kit.set({ TurnstileCheckEnabled: false, TurnstileSiteKey: '', TurnstileSecretKey: '' });
    expect(kit.deps.settings.current().TurnstileSecretKey).toBe('');
  });
});
