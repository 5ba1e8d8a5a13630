import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type TelegramFields, telegramLogin } from '../../../e2e/support/stand-ins/telegram.ts';
import { startWeChat, type WeChatServer } from '../../../e2e/support/stand-ins/wechat.ts';
import type { KitUser } from '../../test/api-kit.ts';
import { createDoorKit, type DoorKit } from '../../test/door-kit.ts';
import { onEachEngine } from '../../test/engines.ts';

const serverToken = 'token-of-the-server';
const botToken = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';
const codeWrong = '验证码错误或已过期';
const invalid = '无效的请求';
const ok = { success: true, message: '' };

onEachEngine((_name, open) => {
  let kit: DoorKit;
  afterEach(() => kit.close());

  describe('WeChat', () => {
    let server: WeChatServer | undefined;
    beforeAll(async () => {
      server = await startWeChat(serverToken);
    });
    afterAll(() => server?.close());
    const there = (): WeChatServer => {
      if (server === undefined) throw new Error('the server is not there');
      return server;
    };
    const start = async (): Promise<void> => {
      const { rewrite, address, codes, override } = there();
      codes.clear();
      override.reply = undefined;
      kit = await createDoorKit(open, { rewrite });
      await kit.set({ WeChatServerAddress: address, WeChatServerToken: serverToken });
      await kit.set({ WeChatAuthEnabled: true });
    };
    const enter = (code: string) => kit.get(`/api/oauth/wechat?code=${code}`);
    const bind = (code: string, as?: KitUser) => kit.get(`/api/oauth/wechat/bind?code=${code}`, as);

    test('brings newcomers in by their code and knows them again', async () => {
      await start();
      for (const code of ['1234', 'abcd']) there().codes.set(code, 'wx-ann');
      const first = await enter('1234');
      expect(first.json.data).toMatchObject({ username: 'wechat_2', display_name: 'WeChat User' });
      expect((await enter('1234')).json.message).toBe(codeWrong);
      expect((await enter('abcd')).json.data.id).toBe(first.json.data.id);
    });

    test('keeps the invitation that the newcomer came by', async () => {
      await start();
      await kit.set({ QuotaForInviter: 700, QuotaForInvitee: 300 });
      there().codes.set('1234', 'wx-ann');
      const bob = await kit.user('bob');
      const { aff_code: aff } = (await kit.get('/api/user/self', bob)).json.data;
      const entered = await kit.get(`/api/oauth/wechat?code=1234&aff=${aff}`);
      const ann = kit.renewed({ ...bob, id: entered.json.data.id }, entered);
      expect((await kit.get('/api/user/self', ann)).json.data).toMatchObject({ inviter_id: bob.id, quota: 300 });
      expect((await kit.get('/api/user/self', bob)).json.data).toMatchObject({ aff_count: 1, aff_quota: 700 });
    });

    test('is bound to one account, by its session only', async () => {
      await start();
      const [ann, bob] = [await kit.user('ann'), await kit.user('bob')];
      for (const code of ['1234', '5678', '9999']) there().codes.set(code, 'wx-ann');
      expect((await bind('1234')).status).toBe(401);
      const bound = await bind('1234', ann);
      expect(bound.json).toEqual(ok);
      expect((await kit.get('/api/user/self', kit.renewed(ann, bound))).json.data.wechat_id).toBe('wx-ann');
      expect((await bind('5678', bob)).json.message).toBe('该微信账号已被绑定');
      expect((await enter('9999')).json.data.id).toBe(ann.id);
    });

    test('answers that are wrong, large, slow or not there open nothing', async () => {
      await start();
      const { override } = there();
      for (const code of ['', 'abc', 'a'.repeat(65), '12%2F4', '%C3%A91234'])
        expect((await enter(code)).json.message).toBe('无效的参数');
      for (const reply of [
        { body: 'no json' },
        { body: { success: true, data: '' } },
        { body: { success: true, data: 5 } },
        { body: { success: false, data: 'wx-eve' } },
        { body: { success: true, data: 'x'.repeat(256) } },
        { status: 500, body: { success: true, data: 'wx-eve' } },
        { status: 302, headers: { location: 'http://127.0.0.1/' }, body: { success: true, data: 'wx-eve' } },
      ]) {
        override.reply = reply;
        expect((await enter('1234')).json.message).toBe(codeWrong);
      }
      override.reply = { body: { success: true, data: 'wx', pad: 'x'.repeat(5000) } };
      expect((await enter('1234')).json.message).toBe('无法连接至 微信 服务器，请稍后重试！');
      const english = await kit.get('/api/oauth/wechat?code=1234', undefined, { 'Accept-Language': 'en' });
      expect(english.json.message).toBe('WeChat cannot be reached: try again later');
      expect(await kit.db.read.selectFrom('users').select('id').execute()).toHaveLength(1);
    });

    test('a server that fails leaves one line a minute in the log, with nothing that is secret', async () => {
      await start();
      const { address, override } = there();
      override.reply = { status: 502, body: 'broken' };
      const fail = async () => expect((await enter('7331')).json.message).toBe(codeWrong);
      for (let call = 0; call < 4; call += 1) await fail();
      kit.clock.advanceMs(60_000);
      await fail();
      const lines = kit.logged.filter((line) => JSON.stringify(line).includes('/api/wechat/user'));
      const common = { address: `${address}/api/wechat/user`, reason: 'status 502' };
      expect(lines).toEqual([
        { ...common, unlogged: 0 },
        { ...common, unlogged: 3 },
      ]);
      expect(JSON.stringify(kit.logged)).not.toMatch(/7331|token-of-the-server/);
    });

    test('is refused while it or registration is switched off, and to banned and deregistered users', async () => {
      await start();
      for (const code of ['aaaa', 'bbbb', 'cccc', 'dddd']) there().codes.set(code, 'wx-ann');
      await kit.set({ RegisterEnabled: false });
      expect((await enter('aaaa')).json.message).toBe('管理员关闭了新用户注册');
      await kit.set({ RegisterEnabled: true });
      const { id } = (await enter('bbbb')).json.data;
      const change = (values: object) =>
        kit.db.transaction((tx) => tx.query.updateTable('users').set(values).where('id', '=', id).execute());
      await change({ status: 2 });
      expect((await enter('cccc')).json.message).toBe('用户已被封禁');
      await change({ deleted_at: 1 });
      expect((await enter('dddd')).json.message).toBe('用户已注销');
      await kit.set({ WeChatAuthEnabled: false });
      expect((await enter('eeee')).json.message).toBe('管理员未开启通过微信登录以及注册');
    });
  });

  describe('Telegram', () => {
    const start = async (): Promise<KitUser> => {
      kit = await createDoorKit(open);
      await kit.set({ TelegramBotToken: botToken });
      await kit.set({ TelegramOAuthEnabled: true });
      return kit.user('ann');
    };
    const fields = (): TelegramFields => ({
      id: 4242,
      first_name: 'Ann',
      username: 'ann_t',
      auth_date: Math.floor(kit.clock.nowMs() / 1000),
    });
    const enter = (query: URLSearchParams) => kit.get(`/api/oauth/telegram/login?${query}`);
    const bind = (query: URLSearchParams, as?: KitUser) => kit.get(`/api/oauth/telegram/bind?${query}`, as);
    const withParameter = (query: URLSearchParams, name: string, value: string) => new URLSearchParams([...query, [name, value]]);

    test('signs in whom it is bound to and creates nobody', async () => {
      const ann = await start();
      expect((await enter(telegramLogin(botToken, fields()))).json.message).toBe('该 Telegram 账户未绑定');
      kit.clock.advanceMs(1000);
      const bound = await bind(telegramLogin(botToken, fields()), ann);
      expect([bound.status, bound.json]).toEqual([200, ok]);
      kit.clock.advanceMs(1000);
      expect((await enter(withParameter(telegramLogin(botToken, fields()), 'lang', 'en'))).json.data.id).toBe(ann.id);
      const bob = await kit.user('bob');
      kit.clock.advanceMs(1000);
      expect((await bind(telegramLogin(botToken, fields()), bob)).json.message).toBe('该 Telegram 账户已被绑定');
      expect((await bind(telegramLogin(botToken, fields()))).status).toBe(401);
    });

    test('is believed by its signature only, while it is fresh, once, and with its own fields', async () => {
      const ann = await start();
      const now = Math.floor(kit.clock.nowMs() / 1000);
      const signed = (more: Partial<TelegramFields> = {}) => telegramLogin(botToken, { ...fields(), ...more });
      const tampered = signed();
      tampered.set('id', '4243');
      const unsigned = signed();
      unsigned.delete('hash');
      for (const query of [
        tampered,
        unsigned,
        telegramLogin('another:token', fields()),
        signed({ auth_date: now - 301 }),
        signed({ auth_date: now + 61 }),
        withParameter(signed(), 'is_admin', '1'),
        signed({ id: 0 }),
        new URLSearchParams(),
      ]) {
        expect((await bind(query, ann)).json.message).toBe(invalid);
      }
      expect((await kit.get(`/api/oauth/telegram/login?${signed()}&id=4242`)).json.success).toBe(false);
      const once = signed({ auth_date: now - 300 });
      const bound = await bind(once, ann);
      expect(bound.json).toEqual(ok);
      expect((await enter(once)).json.message).toBe(invalid);
    });

    test('a name with lines in it does not speak for another number', async () => {
      const ann = await start();
      await bind(telegramLogin(botToken, fields()), ann);
      kit.clock.advanceMs(1000);
      const { auth_date } = fields();
      const genuine = telegramLogin(botToken, { id: 5, first_name: 'A\nid=4242\nlast_name=B', auth_date });
      const forged = new URLSearchParams({ first_name: 'A', id: '4242', last_name: 'B\nid=5', auth_date: String(auth_date) });
      forged.set('hash', genuine.get('hash') ?? '');
      for (const query of [forged, genuine])
        expect((await enter(query)).json).toMatchObject({ success: false, message: invalid });
    });

    test('replayed fifty times at once signs in once', async () => {
      const ann = await start();
      await bind(telegramLogin(botToken, fields()), ann);
      kit.clock.advanceMs(1000);
      const query = telegramLogin(botToken, fields());
      const answers = await Promise.all(Array.from({ length: 50 }, () => enter(query)));
      expect(answers.filter(({ json }) => json.success)).toHaveLength(1);
    });

    test('is refused while it is switched off, and is not there without its secret', async () => {
      await start();
      await kit.set({ TelegramBotToken: '' });
      expect((await enter(telegramLogin('', fields()))).status).toBe(404);
      await kit.set({ TelegramOAuthEnabled: false });
      expect((await enter(telegramLogin('', fields()))).json.message).toBe('管理员未开启通过 Telegram 登录以及注册');
    });
  });
});
