import { afterEach, describe, expect, test } from 'vitest';
import { deviceIn, kitPassword, signIn } from '../../test/api-kit.ts';
import { createDoorKit, type DoorKit, sessionCookie, site } from '../../test/door-kit.ts';
import { onEachEngine } from '../../test/engines.ts';

const wrong = '验证码错误或已过期';
const ok = { success: true, message: '' };
const registration = { username: 'ann', password: kitPassword, email: 'ann@example.org' };

onEachEngine((_name, open) => {
  let kit: DoorKit;
  afterEach(() => kit.close());
  const start = async (): Promise<DoorKit> => {
    kit = await createDoorKit(open);
    return kit;
  };
  /** A code for registering. */
  const sent = async (email: string, count = 1): Promise<string> => {
    expect((await kit.get(`/api/verification?email=${encodeURIComponent(email)}`)).json).toEqual(ok);
    return kit.mailedCode(count);
  };
  const register = (code: string, more: object = {}) =>
    kit.post('/api/user/register', { ...registration, verification_code: code, ...more });

  describe('a code by mail', () => {
    test('registers its address once, in the order of checks that the contract gives', async () => {
      await start();
      await kit.set({ EmailVerificationEnabled: true });
      expect((await register('', { email: '' })).json.message).toBe('管理员开启了邮箱验证，请输入邮箱地址和验证码');
      expect((await register('')).json.message).toBe('管理员开启了邮箱验证，请输入邮箱地址和验证码');
      const code = await sent('Ann@Example.org');
      expect(code).toMatch(/^\d{6}$/);
      expect((await register(code === '000000' ? '000001' : '000000', { username: 'root' })).json.message).toBe(wrong);
      expect((await register(code, { username: 'root' })).json.message).toBe('用户名已存在，或已注销');
      expect((await register(code)).json).toEqual(ok);
      expect((await register(code, { username: 'bob' })).json.message).toBe(wrong);
      const ann = await signIn(kit.call, 'ann@example.org', kitPassword);
      expect((await kit.get('/api/user/self', ann)).json.data.email).toBe('ann@example.org');
    });

    test('is the same in the full-width digits of a Chinese keyboard, and with a gap', async () => {
      await start();
      await kit.set({ EmailVerificationEnabled: true });
      const code = await sent('ann@example.org');
      const wide = [...code].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join('');
      expect((await register(` ${wide.slice(0, 3)}\u3000${wide.slice(3)}`)).json).toEqual(ok);
    });

    test('is stored as a keyed hash, and the newest one counts', async () => {
      await start();
      await kit.set({ EmailVerificationEnabled: true });
      const first = await sent('ann@example.org');
      kit.clock.advanceMs(30_000);
      const second = await sent('ann@example.org', 2);
      const rows = JSON.stringify(await kit.db.read.selectFrom('one_time').selectAll().execute());
      expect(rows).not.toContain(second);
      expect(rows).not.toContain('ann@example.org');
      if (first !== second) expect((await register(first)).json.message).toBe(wrong);
      expect((await register(second)).json).toEqual(ok);
    });

    test('dies after ten minutes and after five wrong tries, also when those come at once', async () => {
      await start();
      await kit.set({ EmailVerificationEnabled: true });
      const late = await sent('ann@example.org');
      kit.clock.advanceMs(600_000);
      expect((await register(late)).json.message).toBe(wrong);
      const code = await sent('ann@example.org', 2);
      const guess = String((Number(code) + 1) % 1_000_000).padStart(6, '0');
      const guesses = await Promise.all(Array.from({ length: 5 }, () => register(guess)));
      expect(guesses.map(({ json }) => json.message)).toEqual(Array.from({ length: 5 }, () => wrong));
      expect((await register(code)).json.message).toBe(wrong);
    });

    test('is good for its address, its purpose and, for a bind, its session only', async () => {
      await start();
      const [bob, otherBob] = [await kit.user('bob'), await signIn(kit.call, 'bob', kitPassword)];
      await kit.set({ EmailVerificationEnabled: true });
      const bind = (code: string, as = bob, email = 'bob@example.org') =>
        kit.get(`/api/oauth/email/bind?email=${email}&code=${code}`, as);
      const open = await sent('bob@example.org');
      expect((await bind(open)).json.message).toBe(wrong);
      kit.clock.advanceMs(30_000);
      expect((await kit.get('/api/verification?email=bob@example.org', bob)).json).toEqual(ok);
      const code = await kit.mailedCode(2);
      expect((await register(code, { email: 'bob@example.org' })).json.message).toBe(wrong);
      expect((await bind(code, otherBob)).json.message).toBe(wrong);
      expect((await bind(code, bob, 'eve@example.org')).json.message).toBe(wrong);
      const bound = await bind(code);
      expect(bound.json).toEqual(ok);
      const renewed = kit.renewed(bob, bound);
      expect((await kit.get('/api/user/self', bob)).status).toBe(401);
      expect((await kit.get('/api/user/self', renewed)).json.data.email).toBe('bob@example.org');
      expect((await bind(code, renewed)).json.message).toBe(wrong);
      expect((await kit.get('/api/oauth/email/bind?email=a@example.org&code=1')).status).toBe(401);
    });

    test('binds another address, and the one before is told', async () => {
      await start();
      let session = await kit.user('bob');
      for (const [count, email] of [
        [1, 'bob@example.org'],
        [2, 'eve@example.org'],
      ] as const) {
        kit.clock.advanceMs(60_000);
        await kit.get(`/api/verification?email=${email}`, session);
        const code = await kit.mailedCode(count);
        session = kit.renewed(session, await kit.get(`/api/oauth/email/bind?email=${email}&code=${code}`, session));
      }
      const { to, html } = await kit.smtp.mail(3);
      expect(to).toEqual(['bob@example.org']);
      expect(html).toContain('已绑定另一个邮箱');
      expect(html).not.toContain('eve@');
    });

    test('redeemed fifty times at once registers one user', async () => {
      await start();
      await kit.set({ EmailVerificationEnabled: true });
      const code = await sent('ann@example.org');
      const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => register(code, { username: `ann${n}` })));
      expect(answers.filter(({ json }) => json.success)).toHaveLength(1);
      const rows = await kit.db.read.selectFrom('users').select('id').where('email', '=', 'ann@example.org').execute();
      expect(rows).toHaveLength(1);
    });

    test('of two purposes cannot give one address to two accounts', async () => {
      await start();
      const bob = await kit.user('bob');
      await kit.set({ EmailVerificationEnabled: true });
      const open = await sent('ann@example.org');
      kit.clock.advanceMs(30_000);
      await kit.get('/api/verification?email=ann@example.org', bob);
      const bindCode = await kit.mailedCode(2);
      const answers = await Promise.all([
        register(open),
        kit.get(`/api/oauth/email/bind?email=ann@example.org&code=${bindCode}`, bob),
      ]);
      expect(answers.filter(({ json }) => json.success)).toHaveLength(1);
    });

    test('is sent to acceptable addresses only, and not without a mail server', async () => {
      await start();
      const ask = async (email: string) => (await kit.get(`/api/verification?email=${encodeURIComponent(email)}`)).json.message;
      expect(await ask('')).toBe('无效的参数');
      for (const bad of [
        'ann',
        'ann@',
        'ann@host',
        'a b@example.org',
        'a@b@example.org',
        'ann@exa_mple.org',
        `${'a'.repeat(50)}@x.io`,
      ]) {
        expect([bad, await ask(bad)]).toEqual([bad, '无效的邮箱地址']);
      }
      await kit.set({
        EmailDomainWhitelist: 'qq.com，@example.org、@',
        EmailDomainRestrictionEnabled: true,
        EmailAliasRestrictionEnabled: true,
      });
      expect(await ask('ann@evil.test.com')).toBe('管理员已启用邮箱域名白名单，您的邮箱地址不在允许范围内。');
      expect(await ask('ann@sub.example.org')).toBe('管理员已启用邮箱域名白名单，您的邮箱地址不在允许范围内。');
      for (const alias of ['a.nn@example.org', 'ann+1@example.org']) {
        expect(await ask(alias)).toBe('管理员已启用邮箱地址别名限制，您的邮箱地址由于包含特殊符号而被拒绝。');
      }
      await kit.set({ SMTPServer: '' });
      for (const address of ['ann@example.org', 'ann@qq.com']) expect(await ask(address)).toBe('SMTP 服务器未配置');
      expect(kit.smtp.mails).toHaveLength(0);
    });

    test('comes once in thirty seconds and five times an hour', async () => {
      await start();
      await sent('ann@example.org');
      const again = await kit.get('/api/verification?email=ANN@example.org');
      expect([again.status, again.headers.get('retry-after')]).toEqual([429, '30']);
      for (let count = 2; count <= 5; count++) {
        kit.clock.advanceMs(30_000);
        await sent('ann@example.org', count);
      }
      kit.clock.advanceMs(30_000);
      expect((await kit.get('/api/verification?email=ann@example.org')).status).toBe(429);
    });
  });

  describe('a password reset', () => {
    const knownAddress = async (name: string): Promise<void> => {
      const address = `${name}@example.org`;
      await kit.db.transaction((tx) =>
        tx.query.updateTable('users').set({ email: address }).where('username', '=', name).execute(),
      );
    };
    const linked = async (count = 1): Promise<URLSearchParams> => {
      const { html } = await kit.smtp.mail(count);
      const href = /<a href="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
      expect(href.startsWith(`${site}/user/reset?`)).toBe(true);
      return new URL(href).searchParams;
    };

    test('shows the new password once and ends every session and access token', async () => {
      await start();
      const ann = await kit.user('ann');
      await knownAddress('ann');
      const token = (await kit.get('/api/user/token', ann)).json.data;
      expect((await kit.get('/api/reset_password?email=Ann@example.org')).json).toEqual(ok);
      const link = await linked();
      const body = { email: link.get('email'), token: link.get('token') };
      expect(link.get('token')).toMatch(/^[\w-]{43}$/);
      expect((await kit.post('/api/user/reset', { ...body, email: 'eve@example.org' })).json.message).toBe(
        '重置链接非法或已过期',
      );
      const credential = { credential_id: 'c', public_key: '', name: 'a', counter: 0, transports: '', created_at: 1, used_at: 0 };
      await kit.db.transaction((tx) =>
        tx.query
          .insertInto('passkey')
          .values({ ...credential, user_id: ann.id })
          .execute(),
      );
      const reset = await kit.post('/api/user/reset', body);
      expect(reset.json.passkeys).toBe(1);
      expect(reset.json.data).toMatch(/^[0-9A-Za-z]{12}$/);
      expect((await kit.get('/api/user/self', ann)).status).toBe(401);
      const headers = { Authorization: token, 'New-Api-User': String(ann.id) };
      expect((await kit.get('/api/user/self', undefined, headers)).status).toBe(401);
      await expect(signIn(kit.call, 'ann', kitPassword)).rejects.toThrow();
      await signIn(kit.call, 'ann', reset.json.data);
      expect((await kit.post('/api/user/reset', body)).json.message).toBe('重置链接非法或已过期');
    });

    test('opens the account in the browser that asked, whoever fails at it from elsewhere', async () => {
      await start();
      await kit.user('ann');
      await knownAddress('ann');
      const login = (password: string, Cookie = '') =>
        kit.call({ method: 'POST', path: '/api/user/login', body: { username: 'ann', password }, headers: { Cookie } });
      while ((await login('wrong-wrong')).status === 200);
      await kit.get('/api/reset_password?email=ann@example.org');
      const link = await linked();
      const reset = await kit.post('/api/user/reset', { email: link.get('email'), token: link.get('token') });
      expect((await login(reset.json.data)).status).toBe(429);
      expect((await login(reset.json.data, deviceIn(reset))).json).toMatchObject({ success: true });
    });

    test('link dies after fifteen minutes, with the next link, and when the address is the account’s no more', async () => {
      await start();
      await kit.user('ann');
      await knownAddress('ann');
      await kit.get('/api/reset_password?email=ann@example.org');
      const first = Object.fromEntries(await linked());
      kit.clock.advanceMs(30_000);
      await kit.get('/api/reset_password?email=ann@example.org');
      const second = Object.fromEntries(await linked(2));
      expect((await kit.post('/api/user/reset', first)).json.message).toBe('重置链接非法或已过期');
      kit.clock.advanceMs(900_000);
      expect((await kit.post('/api/user/reset', second)).json.message).toBe('重置链接非法或已过期');
      await kit.get('/api/reset_password?email=ann@example.org');
      const third = Object.fromEntries(await linked(3));
      await kit.db.transaction((tx) =>
        tx.query.updateTable('users').set({ email: 'new@example.org' }).where('username', '=', 'ann').execute(),
      );
      expect((await kit.post('/api/user/reset', third)).json.message).toBe('重置链接非法或已过期');
    });

    test('redeemed fifty times at once gives one password', async () => {
      await start();
      await kit.user('ann');
      await knownAddress('ann');
      await kit.get('/api/reset_password?email=ann@example.org');
      const body = Object.fromEntries(await linked());
      const answers = await Promise.all(Array.from({ length: 50 }, () => kit.post('/api/user/reset', body)));
      const winners = answers.filter(({ json }) => json.success);
      expect(winners).toHaveLength(1);
      await signIn(kit.call, 'ann', winners[0]?.json.data);
    });

    test('is not mailed without the site address or a mail server', async () => {
      await start();
      await kit.set({ ServerAddress: '' });
      const ask = async () =>
        (await kit.get('/api/reset_password?email=ann@example.org', undefined, { Host: 'evil.test' })).json.message;
      expect(await ask()).toBe('请先填写服务器地址，邮件中的链接才能使用');
      await kit.set({ SMTPServer: '' });
      expect(await ask()).toBe('SMTP 服务器未配置');
    });
  });

  describe('who is known', () => {
    test('does not show in answers: neither of a reset nor of a code', async () => {
      await start();
      await kit.user('ann');
      await kit.db.transaction((tx) =>
        tx.query.updateTable('users').set({ email: 'ann@example.org' }).where('username', '=', 'ann').execute(),
      );
      const visible = async (path: string) => {
        const { status, text, headers } = await kit.get(path);
        const named = [...headers].filter(([name]) => name !== 'x-oneapi-request-id');
        return { status, text, headers: named };
      };
      expect(await visible('/api/reset_password?email=ann@example.org')).toEqual(
        await visible('/api/reset_password?email=nil@example.org'),
      );
      kit.clock.advanceMs(30_000);
      expect(await visible('/api/verification?email=ann@example.org')).toEqual(
        await visible('/api/verification?email=nil@example.org'),
      );
      const mails = await Promise.all([1, 2, 3].map((count) => kit.smtp.mail(count)));
      const toAnn = mails.filter(({ to }) => to[0] === 'ann@example.org').map(({ html }) => html);
      expect(toAnn.some((html) => html.includes('邮箱地址已被占用'))).toBe(true);
      expect(mails.filter(({ to }) => to[0] === 'nil@example.org')).toHaveLength(1);
    });

    test('is told to the mailbox of a deregistered account as it is: neither signing in nor a reset would help', async () => {
      await start();
      const ann = await kit.user('ann');
      await kit.db.transaction((tx) =>
        tx.query.updateTable('users').set({ email: 'ann@example.org' }).where('username', '=', 'ann').execute(),
      );
      expect((await kit.call({ method: 'DELETE', path: '/api/user/self', as: ann })).json).toEqual(ok);
      expect((await kit.get('/api/verification?email=ann@example.org')).json).toEqual(ok);
      const { html } = await kit.smtp.mail(1);
      expect(html).toContain('邮箱地址已被占用');
      expect(html).toContain('账户已注销');
      expect(html).not.toMatch(/登录|Sign in/);
    });

    test('does not show in time', async () => {
      await start();
      await kit.user('ann');
      await kit.db.transaction((tx) =>
        tx.query.updateTable('users').set({ email: 'ann@example.org' }).where('username', '=', 'ann').execute(),
      );
      const timed = async (email: string): Promise<number> => {
        kit.clock.advanceMs(3_600_000);
        const startedMs = performance.now();
        expect((await kit.get(`/api/reset_password?email=${email}`)).status).toBe(200);
        const tookMs = performance.now() - startedMs;
        // The mail of this round is on its way before the next one is timed.
        if (email.startsWith('ann')) await kit.smtp.mail(++mails);
        return tookMs;
      };
      let mails = 0;
      const [known, unknown]: [number[], number[]] = [[], []];
      for (let round = 0; round < 41; round++) {
        const first = round % 2 === 0;
        if (first) known.push(await timed('ann@example.org'));
        unknown.push(await timed('nil@example.org'));
        if (!first) known.push(await timed('ann@example.org'));
      }
      const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
      const [left, right] = [median(known), median(unknown)];
      // Half of the larger one and a millisecond: far below what a mail or a hash takes, above the jitter of a busy machine.
      expect(Math.abs(left - right)).toBeLessThan(Math.max(left, right) / 2 + 1);
    });
  });
});

test('a session cookie is told from other cookies', () => {
  const headers = new Headers([
    ['Set-Cookie', 'browser=x; Path=/'],
    ['Set-Cookie', 'session=y; Path=/'],
  ]);
  expect(sessionCookie({ status: 200, headers, text: '', json: {} })).toBe('session=y');
});
