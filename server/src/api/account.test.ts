import { mostAmount } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { cookieFrom, createApiKit, deviceIn, kitPassword, signIn } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import type { FakeClock } from '../../test/fake-clock.ts';

onEachEngine((_name, open) => {
  describe('registration', () => {
    test('a new user gets what the options promise, each as one transfer with its log row', async () => {
      const kit = await createApiKit(await open());
      const root = await kit.root();
      const body = [
        { key: 'QuotaForNewUser', value: 500_000 },
        { key: 'QuotaForInvitee', value: 1000 },
        { key: 'QuotaForInviter', value: 3000 },
      ];
      expect((await kit.call({ method: 'PUT', path: '/api/option/', body, as: root })).json).toEqual({
        success: true,
        message: '',
      });
      const alice = await kit.user('alice');
      const code = (await kit.call({ path: '/api/user/self', as: alice })).json.data.aff_code;
      expect(code).toMatch(/^[0-9A-Za-z]{4}$/);
      const invited = { username: 'bob', password: kitPassword, aff_code: code };
      expect((await kit.call({ method: 'POST', path: '/api/user/register', body: invited })).json.success).toBe(true);
      const bob = await signIn(kit.call, 'bob', kitPassword);

      const self = (await kit.call({ path: '/api/user/self', as: bob })).json.data;
      expect(self).toMatchObject({
        quota: 501_000,
        role: 1,
        status: 1,
        group: 'default',
        inviter_id: alice.id,
        access_token: '',
      });
      const inviter = (await kit.call({ path: '/api/user/self', as: alice })).json.data;
      expect(inviter).toMatchObject({ quota: 500_000, aff_count: 1, aff_quota: 3000, aff_history_quota: 3000 });
      const logs = (await kit.call({ path: '/api/log/self', as: bob })).json.data.items;
      expect(logs.map((row: { content: string }) => row.content)).toEqual([
        '使用邀请码赠送 ＄0.002000 额度',
        '新用户注册赠送 ＄1.000000 额度',
      ]);
    });

    test('gifts that no books could hold are refused where they are set, and the largest of all are booked', async () => {
      const kit = await createApiKit(await open());
      const root = await kit.root();
      const give = (value: number) =>
        kit.call({
          method: 'PUT',
          path: '/api/option/',
          body: ['QuotaForNewUser', 'QuotaForInvitee', 'QuotaForInviter'].map((key) => ({ key, value })),
          as: root,
        });
      expect((await give(9e15)).json).toMatchObject({ success: false });
      expect((await give(mostAmount)).json.success).toBe(true);
      const alice = await kit.user('alice');
      const { aff_code } = (await kit.call({ path: '/api/user/self', as: alice })).json.data;
      const body = { username: 'bob', password: kitPassword, aff_code };
      expect((await kit.call({ method: 'POST', path: '/api/user/register', body })).json).toEqual({ success: true, message: '' });
      const bob = await signIn(kit.call, 'bob', kitPassword);
      expect((await kit.call({ path: '/api/user/self', as: bob })).json.data.quota).toBe(2 * mostAmount);
    });

    test('the switches speak before the body is judged, and a taken name is refused', async () => {
      const kit = await createApiKit(await open());
      const root = await kit.root();
      await kit.user('alice');
      const register = (body: unknown) => kit.call({ method: 'POST', path: '/api/user/register', body });
      expect((await register({ username: 'alice', password: kitPassword })).json.message).toBe('用户名已存在，或已注销');
      expect((await register({ username: 'b', password: 'short' })).json.message).toBe('输入不合法 password: at least 8');
      expect((await register({ username: 'bob', password: 'password123' })).json.message).toContain('密码过于常见');
      await kit.call({ method: 'PUT', path: '/api/option', body: { key: 'RegisterEnabled', value: 'false' }, as: root });
      expect((await register({})).json.message).toBe('管理员关闭了新用户注册');
    });

    test("a name that nobody can see, or that turns its line around, is nobody's", async () => {
      const kit = await createApiKit(await open());
      const alice = await kit.user('alice');
      const register = async (username: string) =>
        (await kit.call({ method: 'POST', path: '/api/user/register', body: { username, password: kitPassword } })).json.message;
      const rename = async (username: string) =>
        (await kit.call({ method: 'PUT', path: '/api/user/self', body: { username }, as: alice })).json.message;
      for (const name of ['\u200b', '\u2060\u200d', '\u3164', '\uffa0\u2800', 'a\u202egab', 'two\nlines', 'bell\u0007']) {
        expect(await register(name)).toBe('输入不合法 username: invalid format');
        expect(await rename(name)).toBe('输入不合法 username: invalid format');
      }
      for (const name of ['张三', 'José 2', 'می\u200cروم', '👩‍🚀', '_']) expect([name, await register(name)]).toEqual([name, '']);
    });

    test('a name that people read as one that is there is taken, whatever its spelling; its owner may spell it anew', async () => {
      const kit = await createApiKit(await open());
      const root = await kit.root();
      const alice = await kit.user('alice');
      const bob = await kit.user('bob');
      const taken = '用户名已存在，或已注销';
      const register = async (username: string) =>
        (await kit.call({ method: 'POST', path: '/api/user/register', body: { username, password: kitPassword } })).json.message;
      const put = async (path: string, body: object, as: typeof alice) =>
        (await kit.call({ method: 'PUT', path, body, as })).json.message;
      for (const name of ['ROOT', 'Alice', 'ａｌｉｃｅ', 'al\u200bice', 'al\u00adice', 'alice\u2800']) {
        expect([name, await register(name)]).toEqual([name, taken]);
        expect([name, await put('/api/user/self', { username: name }, bob)]).toEqual([name, taken]);
        expect([name, await put('/api/user/', { id: bob.id, username: name }, root)]).toEqual([name, taken]);
      }
      const twoAtOnce = await Promise.all([register('Carol'), register('CAROL')]);
      expect(twoAtOnce.sort()).toEqual(['', taken]);
      expect(await put('/api/user/self', { username: 'Alice' }, alice)).toBe('');
      expect(await put('/api/user/self', { username: 'alicia' }, alice)).toBe('');
      expect(await register('ALICE')).toBe('');
    });

    test('role, quota, group and status from the body are ignored', async () => {
      const kit = await createApiKit(await open());
      const body = { username: 'eve', password: kitPassword, role: 100, quota: 9e9, group: 'vip', status: 3 };
      await kit.call({ method: 'POST', path: '/api/user/register', body });
      const eve = await signIn(kit.call, 'eve', kitPassword);
      const self = (await kit.call({ path: '/api/user/self', as: eve })).json.data;
      expect(self).toMatchObject({ role: 1, quota: 0, group: 'default', status: 1 });
    });
  });

  describe('sign-in', () => {
    test('unknown user, wrong password, banned and deleted users read alike', async () => {
      const kit = await createApiKit(await open());
      await kit.user('banned');
      await kit.user('gone');
      await kit.db.transaction(async (tx) => {
        await tx.query.updateTable('users').set({ status: 2 }).where('username', '=', 'banned').execute();
        await tx.query.updateTable('users').set({ deleted_at: 1 }).where('username', '=', 'gone').execute();
      });
      const login = (username: string, password: string) =>
        kit.call({ method: 'POST', path: '/api/user/login', body: { username, password } });
      const answers = await Promise.all([
        login('nobody', kitPassword),
        login('root', 'not-the-password'),
        login('banned', kitPassword),
        login('gone', kitPassword),
      ]);
      expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
      expect(answers[0].json.message).toBe('用户名或密码错误，或用户已被封禁');
    });

    test('a name opens its account in capitals, too, but not one that is another by its letters', async () => {
      const kit = await createApiKit(await open());
      await kit.user('alice');
      // Brought from where capitals tell people apart: it has nothing that it is compared by.
      await kit.user('other');
      await kit.db.transaction((tx) =>
        tx.query.updateTable('users').set({ username: 'Alice', name_key: null }).where('username', '=', 'other').execute(),
      );
      const login = async (username: string) => {
        const body = { username, password: kitPassword };
        return (await kit.call({ method: 'POST', path: '/api/user/login', body })).json.data?.username;
      };
      expect([await login('ALICE'), await login('alice'), await login('Alice')]).toEqual(['alice', 'alice', 'Alice']);
      expect(await login('alicé')).toBeUndefined();
    });

    test('so does a name that looks like an address, unless that is the address of somebody', async () => {
      const kit = await createApiKit(await open());
      const names = { bob: 'Bob@Example.com', eve: 'Carol@Example.com' };
      for (const [user, username] of Object.entries(names)) {
        const { id } = await kit.user(user);
        const brought = { username, name_key: username.toLowerCase() };
        await kit.db.transaction((tx) => tx.query.updateTable('users').set(brought).where('id', '=', id).execute());
      }
      const { id } = await kit.user('carol');
      const address = { email: 'carol@example.com' };
      await kit.db.transaction((tx) => tx.query.updateTable('users').set(address).where('id', '=', id).execute());
      const login = async (username: string) => {
        const body = { username, password: kitPassword };
        return (await kit.call({ method: 'POST', path: '/api/user/login', body })).json.data?.username;
      };
      expect([await login('bob@example.com'), await login('carol@example.com')]).toEqual([names.bob, 'carol']);
    });

    test('the answer of a sign-in carries no secret and no figure', async () => {
      const kit = await createApiKit(await open());
      await kit.user('alice');
      const body = { username: 'alice', password: kitPassword };
      const answer = await kit.call({ method: 'POST', path: '/api/user/login', body });
      expect(Object.keys(answer.json.data).sort()).toEqual(['display_name', 'group', 'id', 'role', 'status', 'username']);
      expect(answer.headers.get('set-cookie')).toMatch(
        /^session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict, device=[\w-]{43}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Strict$/,
      );
    });

    test('by name or address, as long as either was brought over', async () => {
      const kit = await createApiKit(await open());
      const user = await kit.user('alice');
      const long = { username: 'n'.repeat(191), email: `${'e'.repeat(60)}@example.org` };
      await kit.db.transaction((tx) => tx.query.updateTable('users').set(long).where('id', '=', user.id).execute());
      for (const name of [long.username, long.email]) {
        const answer = await kit.call({
          method: 'POST',
          path: '/api/user/login',
          body: { username: name, password: kitPassword },
        });
        expect(answer.json).toMatchObject({ success: true, data: { id: user.id } });
      }
    });

    test('an address that a deregistered account has too opens the one that is there', async () => {
      const kit = await createApiKit(await open());
      const [gone, here] = [await kit.user('gone'), await kit.user('here')];
      const email = 'both@example.org';
      await kit.db.transaction(async (tx) => {
        await tx.query.updateTable('users').set({ email }).where('id', 'in', [gone.id, here.id]).execute();
        await tx.query.updateTable('users').set({ deleted_at: 1 }).where('id', '=', gone.id).execute();
      });
      const answer = await kit.call({
        method: 'POST',
        path: '/api/user/login',
        body: { username: email, password: kitPassword },
      });
      expect(answer.json).toMatchObject({ success: true, data: { id: here.id } });
    });

    test('five failures lock the account for a quarter of an hour, successes do not count', async () => {
      const kit = await createApiKit(await open());
      await kit.user('alice');
      const login = (password: string) =>
        kit.call({ method: 'POST', path: '/api/user/login', body: { username: 'alice', password } });
      for (let round = 0; round < 8; round++) expect((await login(kitPassword)).json.success).toBe(true);
      for (let round = 0; round < 5; round++) expect((await login('wrong-wrong')).status).toBe(200);
      const locked = await login(kitPassword);
      expect(locked.status).toBe(429);
      expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(0);
      kit.clock.advanceMs(15 * 60_000);
      expect((await login(kitPassword)).json.success).toBe(true);
    });

    test('spellings of one name share their failures whether somebody has it or not', async () => {
      const kit = await createApiKit(await open());
      await kit.user('alice');
      await kit.db.transaction((tx) =>
        tx.query.updateTable('users').set({ email: 'ann@example.org' }).where('username', '=', 'alice').execute(),
      );
      const refusedAt = async (peer: string, ...spellings: string[]) => {
        for (let round = 0; round < 8; round++) {
          const body = { username: spellings[round % spellings.length], password: 'wrong-wrong' };
          const { status } = await kit.call({ method: 'POST', path: '/api/user/login', body, peer });
          if (status === 429) return round;
        }
        return undefined;
      };
      expect(await refusedAt('192.0.2.1', 'ann@example.org', 'Ann@ｅｘａｍｐｌｅ.org')).toBe(5);
      expect(await refusedAt('192.0.2.2', 'bob@example.org', 'Bob@ｅｘａｍｐｌｅ.org')).toBe(5);
      kit.clock.advanceMs(15 * 60_000);
      expect(await refusedAt('192.0.2.3', 'alice', 'ＡＬＩＣＥ')).toBe(5);
      expect(await refusedAt('192.0.2.4', 'bella', 'ＢＥＬＬＡ')).toBe(5);
    });

    test('a stranger who fails again and again keeps nobody out of a browser that signed in before', async () => {
      const kit = await createApiKit(await open());
      await kit.user('alice');
      await kit.user('bob');
      const login = (username: string, password: string, peer: string, Cookie = '') =>
        kit.call({ method: 'POST', path: '/api/user/login', body: { username, password }, peer, headers: { Cookie } });
      const [home, away] = ['192.0.2.1', '192.0.2.2'];
      const own = deviceIn(await login('alice', kitPassword, home));
      const bobs = deviceIn(await login('bob', kitPassword, home));
      // From her own address, too: many share one.
      for (const name of ['alice', 'carol', 'dave', 'erin', 'frank'])
        while ((await login(name, 'wrong-wrong', home)).status === 200);
      const statuses = async (...cookies: string[]) =>
        Promise.all(cookies.map(async (cookie) => (await login('alice', kitPassword, home, cookie)).status));
      // Neither no cookie, nor an invented one, nor one that another account signed in with.
      expect(await statuses('', `device=${'A'.repeat(43)}`, bobs, own)).toEqual([429, 429, 429, 200]);
      for (let round = 0; round < 5; round++) expect((await login('alice', 'wrong-wrong', away, own)).status).toBe(200);
      expect(await statuses(own)).toEqual([429]);
      kit.clock.advanceMs(15 * 60_000);
      expect(await statuses(own)).toEqual([200]);
    });

    test('parallel guesses cannot outrun the limit', async () => {
      const kit = await createApiKit(await open());
      const body = { username: 'root', password: 'wrong-wrong' };
      const answers = await Promise.all(
        Array.from({ length: 30 }, () => kit.call({ method: 'POST', path: '/api/user/login', body })),
      );
      expect(answers.filter((answer) => answer.status === 200)).toHaveLength(5);
    });
  });

  describe('changing oneself', () => {
    test('a new password ends every other session and renews this one', async () => {
      const kit = await createApiKit(await open());
      const other = await kit.user('alice');
      const mine = await signIn(kit.call, 'alice', kitPassword);
      const body = { password: 'another-horse-77' };
      const answer = await kit.call({ method: 'PUT', path: '/api/user/self', body, as: mine });
      expect(answer.json).toEqual({ success: true, message: '' });
      const renewed = { ...mine, cookie: cookieFrom(answer) };
      expect(renewed.cookie).not.toBe(mine.cookie);
      expect((await kit.call({ path: '/api/user/self', as: other })).status).toBe(401);
      expect((await kit.call({ path: '/api/user/self', as: mine })).status).toBe(401);
      expect((await kit.call({ path: '/api/user/self', as: renewed })).status).toBe(200);
      await expect(signIn(kit.call, 'alice', kitPassword)).rejects.toThrow();
      await signIn(kit.call, 'alice', 'another-horse-77');
    });

    test.each([
      ['ten minutes after the sign-in', (clock: FakeClock) => clock.advanceMs(600_000)],
      ['at once where the clock ran a day ahead at the sign-in', (clock: FakeClock) => clock.skewMs(-86_400_000)],
    ])('%s the present password is asked for', async (_when, pass) => {
      const kit = await createApiKit(await open());
      const alice = await kit.user('alice');
      pass(kit.clock);
      const put = (body: unknown) => kit.call({ method: 'PUT', path: '/api/user/self', body, as: alice });
      expect((await put({ password: 'another-horse-77' })).json.message).toBe('原密码错误');
      expect((await put({ password: 'another-horse-77', original_password: 'wrong-one' })).json.message).toBe('原密码错误');
      const changed = await put({ password: 'another-horse-77', original_password: kitPassword });
      const body = { password: 'another-horse-78' };
      const renewed = { ...alice, cookie: cookieFrom(changed) };
      expect((await kit.call({ method: 'PUT', path: '/api/user/self', body, as: renewed })).json.success).toBe(true);
    });

    test('names and password are changed together, or neither is', async () => {
      const kit = await createApiKit(await open());
      const alice = await kit.user('alice');
      const credentials = { cookie: alice.cookie.split('=')[1], authorization: undefined, userHeader: String(alice.id) };
      const { identity } = await kit.deps.access.admit({ access: 'user' }, credentials);
      if (identity === undefined) throw new Error('nobody is signed in');
      // All sessions were ended between the two reads of the same call.
      await kit.db.transaction((tx) =>
        tx.query.updateTable('users').set({ session_epoch: 9 }).where('id', '=', alice.id).execute(),
      );
      const change = { username: 'alicia', display_name: '', password: 'another-horse-7', original_password: '' };
      const caller = { address: { ip: '', limitKey: '', isPrivate: true, isHttps: false }, userAgent: '' };
      await expect(kit.deps.accounts.updateSelf(identity, change, caller)).rejects.toMatchObject({ code: 'not_logged_in' });
      const row = await kit.db.read.selectFrom('users').select('username').where('id', '=', alice.id).executeTakeFirst();
      expect(row?.username).toBe('alice');
    });

    test("the own group, where the operator lists it not, has a label in the page's language", async () => {
      const kit = await createApiKit(await open());
      const alice = await kit.user('alice');
      await kit.db.transaction((tx) =>
        tx.query.updateTable('users').set({ group_name: 'svip' }).where('id', '=', alice.id).execute(),
      );
      const labelled = async (headers: Record<string, string>) =>
        (await kit.call({ path: '/api/user/self/groups', as: alice, headers })).json.data.svip;
      expect(await labelled({})).toEqual({ ratio: 1, desc: '用户分组' });
      expect(await labelled({ 'Accept-Language': 'en' })).toEqual({ ratio: 1, desc: 'My group' });
    });

    test('blank fields stay as they are and a taken name is refused', async () => {
      const kit = await createApiKit(await open());
      const alice = await kit.user('alice');
      const put = (body: unknown) => kit.call({ method: 'PUT', path: '/api/user/self', body, as: alice });
      expect((await put({ username: 'root' })).json.message).toBe('用户名已存在，或已注销');
      expect((await put({ display_name: 'Alice L.', username: '', password: '' })).json.success).toBe(true);
      const self = (await kit.call({ path: '/api/user/self', as: alice })).json.data;
      expect(self).toMatchObject({ username: 'alice', display_name: 'Alice L.' });
    });
  });

  describe('the default password', () => {
    test('works from private addresses only and opens nothing but its own change', async () => {
      const kit = await createApiKit(await open(), { initialPassword: '123456' });
      const body = { username: 'root', password: '123456' };
      const login = (peer: string, headers = {}) => kit.call({ method: 'POST', path: '/api/user/login', body, peer, headers });
      const remote = '默认密码只能从本机或内网登录（请用 IP 地址或内网名称访问），或先在服务器上修改密码';
      expect((await login('203.0.113.9')).json.message).toBe(remote);
      expect((await login('127.0.0.1', { 'X-Forwarded-For': '10.0.0.1' })).json.message).toBe(remote);
      expect((await login('127.0.0.1', { Host: 'evil.example:3000' })).json.message).toBe(remote);
      const local = await login('10.1.2.3');
      expect(local.json.data.must_change_password).toBe(true);
      const root = { id: 1, name: 'root', password: body.password, cookie: cookieFrom(local) };
      const refused = { success: false, message: '请立刻修改默认密码！' };
      expect((await kit.call({ path: '/api/option/', as: root })).json).toEqual(refused);
      expect((await kit.call({ path: '/api/token/', as: root })).json).toEqual(refused);
      expect((await kit.call({ method: 'PUT', path: '/api/user/self', body: { display_name: 'x' }, as: root })).json).toEqual(
        refused,
      );
      expect((await kit.call({ path: '/api/user/self', as: root })).json.data.must_change_password).toBe(true);
      const change = { password: 'a-real-password-1', display_name: 'ignored' };
      const changed = await kit.call({ method: 'PUT', path: '/api/user/self', body: change, as: root });
      const free = { ...root, cookie: cookieFrom(changed) };
      expect((await kit.call({ path: '/api/option/', as: free })).json.success).toBe(true);
      const self = (await kit.call({ path: '/api/user/self', as: free })).json.data;
      expect(self.display_name).toBe('Root User');
      expect(self.must_change_password).toBeUndefined();
    });
  });
});
