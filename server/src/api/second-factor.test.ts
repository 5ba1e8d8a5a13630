import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { type KitAnswer, type KitUser, kitPassword } from '../../test/api-kit.ts';
import { type Authenticator, createAuthenticator, totp } from '../../test/authenticator.ts';
import { cookieNamed, createDoorKit, type DoorKit, site } from '../../test/door-kit.ts';
import { onEachEngine, onPostgres } from '../../test/engines.ts';
import { lockWaits } from '../../test/held-open.ts';

const wrong = '两步验证码错误、已过期或已使用过';
const gone = '登录已超时，请重新登录';
const refused = '通行密钥未通过验证，请重试；如果它已从账户中删除，请换一种方式登录';
const ok = { success: true, message: '' };

onEachEngine((_name, open) => {
  let kit: DoorKit;
  afterEach(() => kit.close());
  const start = async (): Promise<KitUser> => {
    kit = await createDoorKit(open);
    return kit.user('ann');
  };
  const code = (secret: string) => totp(secret, kit.clock.nowMs());
  const next = (secret: string): string => {
    kit.clock.advanceMs(30_000);
    return code(secret);
  };
  const login = () => kit.post('/api/user/login', { username: 'ann', password: kitPassword });
  const second = (ticket: string, value: string) => kit.post('/api/user/totp/login', { ticket, code: value });
  const switchOn = async (ann: KitUser): Promise<{ secret: string; recovery: string[] }> => {
    const { secret } = (await kit.post('/api/user/totp/setup', {}, ann)).json.data;
    const confirmed = await kit.post('/api/user/totp/confirm', { code: code(secret) }, ann);
    return { secret, recovery: confirmed.json.data };
  };
  const ticketOf = async (): Promise<string> => (await login()).json.data.ticket;

  describe('the second factor', () => {
    test('is on once a code proved it, and then the password alone opens nothing and shows nothing', async () => {
      const ann = await start();
      const setup = (await kit.post('/api/user/totp/setup', {}, ann)).json.data;
      expect(setup.uri).toContain(`otpauth://totp/Tollgate:ann?issuer=Tollgate&secret=${setup.secret}`);
      expect((await kit.get('/api/user/totp', ann)).json.data).toEqual({ enabled: false, recovery_codes_left: 0 });
      expect((await login()).json.data.username).toBe('ann');
      expect((await kit.post('/api/user/totp/confirm', { code: '000000' }, ann)).json.message).toBe(wrong);
      const confirmed = await kit.post('/api/user/totp/confirm', { code: code(setup.secret) }, ann);
      expect(new Set(confirmed.json.data).size).toBe(10);
      expect((await kit.get('/api/user/totp', ann)).json.data).toEqual({ enabled: true, recovery_codes_left: 10 });
      expect((await kit.post('/api/user/totp/setup', {}, ann)).json.message).toBe('两步验证已启用');
      const first = await login();
      expect(first.headers.getSetCookie()).toEqual([]);
      expect(first.json.data).toEqual({
        id: 0,
        username: '',
        display_name: '',
        role: 0,
        status: 0,
        group: '',
        totp_required: true,
        ticket: expect.stringMatching(/^[\w-]{43}$/),
      });
      const done = await second(first.json.data.ticket, next(setup.secret));
      expect(done.json.data).toMatchObject({ id: ann.id, username: 'ann' });
      const again = { ...ann, cookie: cookieNamed(done, 'session') };
      expect((await kit.get('/api/user/self', again)).status).toBe(200);
      // The first step was the password.
      expect((await kit.post('/api/user/passkey/options', {}, again)).json.success).toBe(true);
    });

    test('keeps its secret sealed and its recovery codes as hashes', async () => {
      const ann = await start();
      const { secret, recovery } = await switchOn(ann);
      const stored = JSON.stringify([
        await kit.db.read.selectFrom('totp').selectAll().execute(),
        await kit.db.read.selectFrom('recovery_code').selectAll().execute(),
      ]);
      for (const plain of [secret, ...recovery]) expect(stored).not.toContain(plain);
    });

    test('takes each code once, and codes of the neighbouring half minutes', async () => {
      const ann = await start();
      const { secret } = await switchOn(ann);
      const value = next(secret);
      kit.clock.advanceMs(30_000);
      expect((await second(await ticketOf(), value)).json.success).toBe(true);
      expect((await second(await ticketOf(), value)).json.message).toBe(wrong);
      const late = next(secret);
      kit.clock.advanceMs(60_000);
      expect((await second(await ticketOf(), late)).json.message).toBe(wrong);
    });

    test('lets in once a clock that ran a day ahead was set back, and takes each code once then, too', async () => {
      const ann = await start();
      const { secret } = await switchOn(ann);
      kit.clock.skewMs(86_400_000);
      expect((await second(await ticketOf(), next(secret))).json).toMatchObject(ok);
      kit.clock.skewMs(-86_400_000);
      const present = next(secret);
      expect((await second(await ticketOf(), present)).json).toMatchObject(ok);
      expect((await second(await ticketOf(), present)).json.message).toBe(wrong);
      // Set back by less than any two clocks may differ, it waits for a new one.
      kit.clock.skewMs(-60_000);
      expect((await second(await ticketOf(), code(secret))).json.message).toBe(wrong);
    });

    test('gives way to each recovery code once, however it is typed', async () => {
      const ann = await start();
      const { recovery } = await switchOn(ann);
      const typed = ` ${(recovery[0] ?? '').toUpperCase().replace('-', ' ')} `;
      expect((await second(await ticketOf(), typed)).json.success).toBe(true);
      expect((await second(await ticketOf(), recovery[0] ?? '')).json.message).toBe(wrong);
      expect((await kit.get('/api/user/totp', ann)).json.data.recovery_codes_left).toBe(9);
    });

    test('takes what a Chinese keyboard types in full width', async () => {
      const ann = await start();
      const { secret, recovery } = await switchOn(ann);
      const wide = (text: string) =>
        text.replaceAll(/[!-~]/g, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) + 0xfee0));
      expect(wide('a-1')).toBe('ａ－１');
      for (const typed of [next(secret), recovery[0] ?? ''])
        expect((await second(await ticketOf(), wide(typed))).json.success).toBe(true);
    });

    test('burns a ticket after five wrong codes, five minutes, or one success', async () => {
      const ann = await start();
      const { secret } = await switchOn(ann);
      const ticket = await ticketOf();
      const guesses = await Promise.all(Array.from({ length: 5 }, () => second(ticket, '111111')));
      for (const { json } of guesses) expect(json.message).toBe(wrong);
      const burnt = await kit.db.read.selectFrom('one_time').select('tries').where('kind', '=', 'second-step').executeTakeFirst();
      expect(burnt?.tries).toBe(5);
      kit.clock.advanceMs(16 * 60_000);
      const late = await ticketOf();
      kit.clock.advanceMs(300_000);
      expect((await second(late, code(secret))).json.message).toBe(gone);
      const used = await ticketOf();
      expect((await second(used, code(secret))).json.success).toBe(true);
      expect((await second(used, next(secret))).json.message).toBe(gone);
      expect((await second('x'.repeat(43), code(secret))).json.message).toBe(gone);
    });

    test('guesses count as failed sign-ins of the account', async () => {
      const ann = await start();
      const { secret } = await switchOn(ann);
      const ticket = await ticketOf();
      for (let round = 0; round < 5; round++) expect((await second(ticket, '111111')).status).toBe(200);
      expect((await second(ticket, next(secret))).status).toBe(429);
      expect((await login()).status).toBe(429);
    });

    test('passed fifty times at once opens one session', async () => {
      const ann = await start();
      const { secret } = await switchOn(ann);
      const ticket = await ticketOf();
      const value = next(secret);
      const answers = await Promise.all(Array.from({ length: 50 }, () => second(ticket, value)));
      expect(answers.filter(({ json }) => json.success)).toHaveLength(1);
    });

    test('is switched off by a code, by nobody else, and by an administrator’s reset', async () => {
      const ann = await start();
      const { secret } = await switchOn(ann);
      expect((await kit.post('/api/user/totp/disable', { code: '000000' }, ann)).json.message).toBe(wrong);
      expect((await kit.post('/api/user/totp/disable', { code: next(secret) }, ann)).json).toEqual(ok);
      expect((await kit.post('/api/user/totp/disable', { code: next(secret) }, ann)).json.message).toBe('两步验证未启用');
      expect((await login()).json.data.username).toBe('ann');
      await switchOn(ann);
      const reset = { method: 'POST', path: '/api/user/manage', body: { id: ann.id, action: 'reset_second_factor' } } as const;
      expect((await kit.call({ ...reset, as: ann })).json.success).toBe(false);
      expect((await kit.call({ ...reset, as: await kit.root() })).json.success).toBe(true);
      expect((await kit.call({ ...reset, as: await kit.root() })).json.message).toBe('两步验证未启用');
      expect((await login()).json.data.username).toBe('ann');
    });

    test('of root is switched off by its own codes alone, or at the machine', async () => {
      await start();
      const root = await kit.root();
      const { secret } = await switchOn(root);
      const reset = { method: 'POST', path: '/api/user/manage', body: { id: root.id, action: 'reset_second_factor' } } as const;
      const token = (await kit.get('/api/user/token', root)).json.data;
      const headers = { Authorization: token, 'New-Api-User': String(root.id) };
      for (const credential of [{ as: root }, { headers }]) {
        expect((await kit.call({ ...reset, ...credential })).json.message).toBe('无权更新同权限等级或更高权限等级的用户信息');
      }
      expect((await kit.get('/api/user/totp', root)).json.data.enabled).toBe(true);
      expect((await kit.post('/api/user/totp/disable', { code: next(secret) }, root)).json).toEqual(ok);
    });

    test('is set up by a fresh sign-in or the password, which serves this session for ten minutes, never by an access token', async () => {
      const ann = await start();
      const token = (await kit.get('/api/user/token', ann)).json.data;
      const headers = { Authorization: token, 'New-Api-User': String(ann.id) };
      const byToken = await kit.call({ method: 'POST', path: '/api/user/totp/setup', body: {}, headers });
      expect(byToken.json.success).toBe(false);
      const other = kit.renewed(ann, await login());
      const setUp = async (as: KitUser, original_password: string) =>
        (await kit.post('/api/user/totp/setup', { original_password }, as)).json.success;
      kit.clock.advanceMs(600_000);
      const tries = [await setUp(ann, ''), await setUp(ann, kitPassword), await setUp(ann, ''), await setUp(other, '')];
      expect(tries).toEqual([false, true, true, false]);
    });
  });

  describe('a passkey', () => {
    const add = async (as: KitUser, key: Authenticator, change = {}): Promise<KitAnswer> => {
      const options = (await kit.post('/api/user/passkey/options', {}, as)).json.data;
      return kit.post('/api/user/passkey', { name: 'my key', response: key.create(options, change) }, as);
    };
    const use = async (key: Authenticator, change = {}): Promise<KitAnswer> => {
      const options = (await kit.post('/api/user/passkey/login/options', {})).json.data;
      return kit.post('/api/user/passkey/login', { response: key.get(options, change) });
    };

    test('signs its owner in, past the second factor, and is listed, renamed and deleted by its owner alone', async () => {
      const ann = await start();
      const bob = await kit.user('bob');
      const key = createAuthenticator(site);
      const options = (await kit.post('/api/user/passkey/options', {}, ann)).json.data;
      expect(options).toMatchObject({ rp: { id: 'gate.example.org', name: 'Tollgate' }, attestation: 'none' });
      const made = await add(ann, key);
      expect(made.json.data).toMatchObject({ name: 'my key', used_at: 0 });
      await switchOn(ann);
      const signedIn = await use(key);
      expect(signedIn.json.data).toMatchObject({ id: ann.id, username: 'ann' });
      expect((await kit.get('/api/user/self', kit.renewed(ann, signedIn))).status).toBe(200);
      expect((await kit.post('/api/user/passkey/login/options', {})).json.data.allowCredentials).toBeUndefined();

      const { id } = made.json.data;
      const path = `/api/user/passkey/${id}`;
      for (const request of [{ method: 'PUT', body: { name: 'stolen' } }, { method: 'DELETE' }]) {
        expect((await kit.call({ ...request, path, as: bob })).status).toBe(404);
      }
      expect((await kit.call({ method: 'PUT', path, body: { name: 'phone' }, as: ann })).json).toEqual(ok);
      const [listed] = (await kit.get('/api/user/passkey', ann)).json.data;
      expect(listed).toEqual({
        id,
        name: 'phone',
        created_at: expect.any(Number),
        used_at: Math.floor(kit.clock.nowMs() / 1000),
      });
      expect((await kit.call({ method: 'DELETE', path, as: ann })).json).toEqual(ok);
      expect((await use(key)).json.message).toBe(refused);
    });

    test('is refused for another origin, challenge or key, without the user’s consent, and as a copy', async () => {
      const ann = await start();
      const key = createAuthenticator(site);
      for (const change of [
        { origin: 'https://evil.test' },
        { unverified: true },
        { challenge: 'x'.repeat(43) },
        { format: 'apple' },
      ]) {
        expect((await add(ann, key, change)).json.message).toBe(refused);
      }
      expect((await add(ann, key)).json.success).toBe(true);
      for (const change of [
        { origin: 'https://evil.test' },
        { unverified: true },
        { challenge: 'x'.repeat(43) },
        { forged: true },
      ]) {
        expect((await use(key, change)).json.message).toBe(refused);
      }
      expect((await use(key, { counter: 9 })).json.success).toBe(true);
      expect((await use(key, { counter: 9 })).json.message).toBe(refused);
      expect((await use(createAuthenticator(site))).json.message).toBe(refused);
      const stray = { id: 'x', response: { clientDataJSON: 'bm90IGpzb24' } };
      expect((await kit.post('/api/user/passkey/login', { response: stray })).json.message).toBe(refused);
    });

    test('answers each challenge once, to whom it was given, within five minutes', async () => {
      const ann = await start();
      const bob = await kit.user('bob');
      const key = createAuthenticator(site);
      const forAnn = (await kit.post('/api/user/passkey/options', {}, ann)).json.data;
      const body = { name: 'k', response: key.create(forAnn) };
      expect((await kit.post('/api/user/passkey', body, bob)).json.message).toBe(refused);
      await add(ann, key);
      const options = (await kit.post('/api/user/passkey/login/options', {})).json.data;
      const response = key.get(options);
      const answers = await Promise.all(Array.from({ length: 20 }, () => kit.post('/api/user/passkey/login', { response })));
      expect(answers.filter(({ json }) => json.success)).toHaveLength(1);
      const late = (await kit.post('/api/user/passkey/login/options', {})).json.data;
      kit.clock.advanceMs(300_000);
      expect((await kit.post('/api/user/passkey/login', { response: key.get(late) })).json.message).toBe(refused);
    });

    test('is one of twenty at most, also where many are asked for before the first is made', async () => {
      const ann = await start();
      const asked = await Promise.all(Array.from({ length: 25 }, () => kit.post('/api/user/passkey/options', {}, ann)));
      const made = await Promise.all(
        asked.map(({ json }) => {
          const response = createAuthenticator(site).create(json.data);
          return kit.post('/api/user/passkey', { name: 'k', response }, ann);
        }),
      );
      expect(made.filter(({ json }) => json.success)).toHaveLength(20);
      expect(made.filter(({ json }) => json.message === '通行密钥数量已达上限')).toHaveLength(5);
    });

    test('goes with an administrator’s reset of the second factor, and with a user who is deleted for good', async () => {
      const ann = await start();
      const root = await kit.root();
      const key = createAuthenticator(site);
      await add(ann, key);
      const reset = { method: 'POST', path: '/api/user/manage', body: { id: ann.id, action: 'reset_second_factor' } } as const;
      expect((await kit.call({ ...reset, as: root })).json.success).toBe(true);
      expect((await use(key)).json.message).toBe(refused);

      const again = kit.renewed(ann, await login());
      await add(again, createAuthenticator(site));
      await switchOn(again);
      await ticketOf();
      expect((await kit.call({ method: 'DELETE', path: `/api/user/${ann.id}`, as: root })).json).toEqual(ok);
      for (const table of ['passkey', 'totp', 'recovery_code', 'one_time'] as const) {
        const left = await kit.db.read.selectFrom(table).select('user_id').where('user_id', '=', ann.id).execute();
        expect([table, left]).toEqual([table, []]);
      }
    });

    test('of a banned user opens nothing', async () => {
      const ann = await start();
      const key = createAuthenticator(site);
      await add(ann, key);
      await kit.db.transaction((tx) => tx.query.updateTable('users').set({ status: 2 }).where('id', '=', ann.id).execute());
      expect((await use(key)).json.message).toBe('用户已被封禁');
    });

    test('belongs to the page’s own host where the site address is not set', async () => {
      const ann = await start();
      await kit.set({ ServerAddress: '' });
      const options = (await kit.post('/api/user/passkey/options', {}, ann)).json.data;
      expect(options.rp.id).toBe('console.test');
    });
  });

  test('a session that its holder signs in over ends', async () => {
    const ann = await start();
    const { secret } = await switchOn(ann);
    const headers = { Cookie: ann.cookie, 'New-Api-User': String(ann.id) };
    const body = { ticket: await ticketOf(), code: next(secret) };
    const done = await kit.call({ method: 'POST', path: '/api/user/totp/login', body, headers });
    expect((await kit.get('/api/user/self', ann)).status).toBe(401);
    const renewed = kit.renewed(ann, done);
    expect((await kit.get('/api/user/self', renewed)).status).toBe(200);
    await kit.user('bob');
    const login = { username: 'bob', password: kitPassword };
    await kit.call({ method: 'POST', path: '/api/user/login', body: login, as: renewed });
    expect((await kit.get('/api/user/self', renewed)).status).toBe(401);
  });

  test('every door leaves its row in the audit log', async () => {
    const ann = await start();
    const { secret } = await switchOn(ann);
    await second(await ticketOf(), next(secret));
    await second(await ticketOf(), '000000');
    const rows = await kit.db.read.selectFrom('audit').select(['action', 'target', 'detail']).orderBy('seq').execute();
    const mine = rows.filter(({ target }) => target === `user:${ann.id}`).map(({ action, detail }) => `${action} ${detail}`);
    expect(mine.slice(-3)).toEqual([
      'user.second_factor {"enabled":true}',
      'login {"door":"totp"}',
      'login.failed {"door":"totp"}',
    ]);
  });
});

onPostgres((_name, open) => {
  test('a code of a secret that a second set-up replaces meanwhile does not switch that other one on', async () => {
    const kit = await createDoorKit(open);
    onTestFinished(kit.close);
    const ann = await kit.user('ann');
    const setUp = async () => {
      const { secret } = (await kit.post('/api/user/totp/setup', {}, ann)).json.data;
      const { secret_sealed } = await kit.db.read.selectFrom('totp').select('secret_sealed').executeTakeFirstOrThrow();
      return { secret, row: { secret_sealed } };
    };
    const [first, second] = [await setUp(), await setUp()];
    await kit.db.transaction((tx) => tx.query.updateTable('totp').set(first.row).execute());
    let answer: Promise<KitAnswer> | undefined;
    await kit.db.transaction(async (tx) => {
      await tx.query.updateTable('totp').set(second.row).execute();
      answer = kit.post('/api/user/totp/confirm', { code: totp(first.secret, kit.clock.nowMs()) }, ann);
      await expect.poll(() => lockWaits(kit.db)).toBe(1);
    });
    expect((await answer)?.json.message).toBe(wrong);
    expect((await kit.get('/api/user/totp', ann)).json.data.enabled).toBe(false);
  });
});
