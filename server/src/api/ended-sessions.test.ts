import { Secret, TOTP } from 'otpauth';
import { afterEach, expect, test } from 'vitest';
import { type KitUser, kitPassword } from '../../test/api-kit.ts';
import { createAuthenticator } from '../../test/authenticator.ts';
import { createDoorKit, type DoorKit, site } from '../../test/door-kit.ts';
import { type Open, onEachEngine, onPostgres } from '../../test/engines.ts';
import { lockWaits } from '../../test/held-open.ts';
import type { Database } from '../storage/database.ts';

/** What ends all sessions of a user ends the ways in that are under way, too. */
const ok = { success: true, message: '' };
const newPassword = 'another-horse-77';

let kit: DoorKit;
let ann: KitUser;
/** Runs between what a request reads first and its transaction number `count`, once. */
let meanwhile: { count: number; act: () => Promise<unknown> } | undefined;
afterEach(() => kit.close());

function interrupted(db: Database): Database {
  return {
    ...db,
    async transaction(body, options) {
      if (meanwhile !== undefined && --meanwhile.count === 0) {
        const { act } = meanwhile;
        meanwhile = undefined;
        await act();
      }
      return db.transaction(body, options);
    },
  };
}

async function start(open: Open): Promise<void> {
  kit = await createDoorKit(async () => interrupted(await open()));
  ann = await kit.user('ann');
}

async function changePassword(): Promise<void> {
  const body = { id: ann.id, username: 'ann', password: newPassword };
  expect((await kit.call({ method: 'PUT', path: '/api/user/', body, as: await kit.root() })).json).toEqual(ok);
}

const login = (password = kitPassword) => kit.post('/api/user/login', { username: 'ann', password });
const addressOf = async () =>
  (await kit.db.read.selectFrom('users').select('email').where('id', '=', ann.id).executeTakeFirst())?.email;
const sessionsOf = async (id: number) =>
  (await kit.db.read.selectFrom('session').select('session_epoch').where('user_id', '=', id).execute()).length;

onEachEngine((_name, open) => {
  test('a password that was changed while it was verified opens no session', async () => {
    await start(open);
    const before = await sessionsOf(ann.id);
    meanwhile = { count: 1, act: changePassword };
    const answer = await login();
    expect(answer.json).toMatchObject({ success: false, message: '用户名或密码错误，或用户已被封禁' });
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await sessionsOf(ann.id)).toBe(before);
    expect((await login(newPassword)).json.success).toBe(true);
  });

  test('the ticket for a second step ends with all sessions, before its step and during it', async () => {
    await start(open);
    const { secret } = (await kit.post('/api/user/totp/setup', {}, ann)).json.data;
    const code = () => {
      kit.clock.advanceMs(30_000);
      return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: kit.clock.nowMs() });
    };
    const second = (ticket: string) => kit.post('/api/user/totp/login', { ticket, code: code() });
    await kit.post('/api/user/totp/confirm', { code: code() }, ann);
    const early = (await login()).json.data.ticket;
    await changePassword();
    expect((await second(early)).json.message).toBe('登录已超时，请重新登录');
    const { ticket } = (await login(newPassword)).json.data;
    meanwhile = { count: 1, act: changePassword };
    expect((await second(ticket)).json.message).toBe('用户名或密码错误，或用户已被封禁');
    const valid = (await login(newPassword)).json.data.ticket;
    expect((await second(valid)).json.data).toMatchObject({ id: ann.id });
  });

  test('a passkey that was removed while it was verified opens no session', async () => {
    await start(open);
    const key = createAuthenticator(site);
    const options = (await kit.post('/api/user/passkey/options', {}, ann)).json.data;
    const made = await kit.post('/api/user/passkey', { name: 'lost', response: key.create(options) }, ann);
    const response = key.get((await kit.post('/api/user/passkey/login/options', {})).json.data);
    const remove = { method: 'DELETE', path: `/api/user/passkey/${made.json.data.id}`, as: ann };
    meanwhile = { count: 2, act: () => kit.call(remove) };
    expect((await kit.post('/api/user/passkey/login', { response })).json.message).toMatch(/^通行密钥未通过验证/);
  });

  test('nothing is bound by a session that ends meanwhile: neither a passkey nor an address', async () => {
    await start(open);
    const options = (await kit.post('/api/user/passkey/options', {}, ann)).json.data;
    meanwhile = { count: 2, act: changePassword };
    const body = { name: 'theirs', response: createAuthenticator(site).create(options) };
    expect((await kit.post('/api/user/passkey', body, ann)).status).toBe(401);
    expect(await kit.db.read.selectFrom('passkey').selectAll().execute()).toEqual([]);

    const again = kit.renewed(ann, await login(newPassword));
    await kit.get('/api/verification?email=theirs@example.org', again);
    const code = await kit.mailedCode(1);
    meanwhile = { count: 2, act: changePassword };
    expect((await kit.get(`/api/oauth/email/bind?email=theirs@example.org&code=${code}`, again)).status).toBe(401);
    expect(await addressOf()).toBeNull();
  });

  test('nothing of the account is changed by a session that ends meanwhile: neither names nor the ways in', async () => {
    await start(open);
    const root = await kit.root();
    const endAll = async () => {
      for (const action of ['disable', 'enable'])
        await kit.call({ method: 'POST', path: '/api/user/manage', body: { id: ann.id, action }, as: root });
    };
    const tooLate = async (request: { method: string; path: string; body?: object }) => {
      meanwhile = { count: 1, act: endAll };
      const answer = await kit.call({ ...request, as: ann });
      ann = kit.renewed(ann, await login());
      return answer.status;
    };
    expect(await tooLate({ method: 'PUT', path: '/api/user/self', body: { username: 'theirs' } })).toBe(401);
    const key = createAuthenticator(site);
    const options = (await kit.post('/api/user/passkey/options', {}, ann)).json.data;
    const made = (await kit.post('/api/user/passkey', { name: 'mine', response: key.create(options) }, ann)).json.data;
    expect(await tooLate({ method: 'DELETE', path: `/api/user/passkey/${made.id}` })).toBe(401);
    const { secret } = (await kit.post('/api/user/totp/setup', {}, ann)).json.data;
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: kit.clock.nowMs() });
    expect(await tooLate({ method: 'POST', path: '/api/user/totp/confirm', body: { code } })).toBe(401);
    expect((await kit.call({ path: '/api/user/totp', as: ann })).json.data.enabled).toBe(false);
    expect((await kit.call({ path: '/api/user/passkey', as: ann })).json.data).toMatchObject([{ name: 'mine' }]);
    expect((await kit.call({ path: '/api/user/self', as: ann })).json.data.username).toBe('ann');
  });

  test('a link to reset the password dies with the address it went to', async () => {
    await start(open);
    const setAddress = (email: string) =>
      kit.db.transaction((tx) => tx.query.updateTable('users').set({ email }).where('id', '=', ann.id).execute());
    await setAddress('old@example.org');
    await kit.get('/api/reset_password?email=old@example.org');
    const { html } = await kit.smtp.mail(1);
    const link = new URL(/<a href="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '').searchParams;
    const redeem = () => kit.post('/api/user/reset', Object.fromEntries(link));
    await setAddress('new@example.org');
    expect((await redeem()).json.message).toBe('重置链接非法或已过期');
    expect((await login()).json.success).toBe(true);
    await setAddress('old@example.org');
    expect((await redeem()).json.success).toBe(true);
  });
});

onPostgres((_name, open) => {
  test('a sign-in waits for the change of the password that is under way, and is refused by it', async () => {
    await start(open);
    let answer: ReturnType<typeof login> | undefined;
    await kit.db.transaction(async (tx) => {
      await tx.query.updateTable('users').set({ session_epoch: 7 }).where('id', '=', ann.id).execute();
      answer = login();
      await expect.poll(() => lockWaits(kit.db)).toBe(1);
    });
    expect((await answer)?.json.success).toBe(false);
  });
});
