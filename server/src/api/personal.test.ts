import { role } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { type ApiKit, createApiKit, type KitUser, kitPassword, signIn } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { bookOpening, proveLedger, transfer } from '../billing/index.ts';

const unit = 500_000;

/** Pending invite earnings, booked as the registration of an invited user books them. */
async function giveEarnings(kit: ApiKit, userId: number, amount: number, ref = 'test'): Promise<void> {
  const to = `user:${userId}:affiliate`;
  const movement = { from: 'invite', to, amount, kind: 'invite', userId, actorId: 0, now: 1, note: '' } as const;
  await kit.db.transaction(async (tx) => {
    await tx.perform(transfer({ ...movement, ref: `invite:${ref}:${userId}` }));
    await tx.query
      .updateTable('users')
      .set((column) => ({ aff_history_quota: column('aff_history_quota', '+', amount) }))
      .where('id', '=', userId)
      .execute();
  });
}

onEachEngine((_name, open) => {
  const start = async () => {
    const kit = await createApiKit(await open());
    const alice = await kit.user('alice');
    const self = async (as: KitUser = alice) => (await kit.call({ path: '/api/user/self', as })).json.data;
    return { kit, alice, self };
  };

  describe('the system access token', () => {
    test('is shown once, replaces the old one and is stored as a hash', async () => {
      const { kit, alice } = await start();
      const next = async () => (await kit.call({ path: '/api/user/token', as: alice })).json.data;
      const [first, second] = [await next(), await next()];
      expect(first).toMatch(/^[0-9A-Za-z]{44}$/);
      const answerTo = (token: string) =>
        kit.call({ path: '/api/user/self', headers: { Authorization: token, 'New-Api-User': String(alice.id) } });
      expect((await answerTo(first)).status).toBe(401);
      expect((await answerTo(second)).json.data.username).toBe('alice');
      const stored = await kit.db.read.selectFrom('users').selectAll().execute();
      expect(JSON.stringify(stored)).not.toContain(second);
    });

    test('neither renews itself nor moves money nor ends the account', async () => {
      const { kit, alice, self } = await start();
      await giveEarnings(kit, alice.id, unit);
      const token = (await kit.call({ path: '/api/user/token', as: alice })).json.data;
      const headers = { Authorization: `Bearer ${token}`, 'New-Api-User': String(alice.id) };
      const attempts = [
        { path: '/api/user/token' },
        { method: 'POST', path: '/api/user/aff_transfer', body: { quota: unit } },
        { method: 'DELETE', path: '/api/user/self' },
        { path: '/api/user/sessions' },
        { method: 'DELETE', path: '/api/user/sessions' },
      ];
      for (const attempt of attempts) expect((await kit.call({ ...attempt, headers })).status).toBe(401);
      expect(await self()).toMatchObject({ quota: 0, aff_quota: unit });
      expect((await kit.call({ path: '/api/user/aff', headers })).json.success).toBe(true);
    });
  });

  describe('invite earnings', () => {
    test('are moved to the balance, once, with their log row; the history stays', async () => {
      const { kit, alice, self } = await start();
      await giveEarnings(kit, alice.id, 3 * unit);
      const answer = await kit.call({ method: 'POST', path: '/api/user/aff_transfer', body: { quota: unit }, as: alice });
      expect(answer.json).toEqual({ success: true, message: '划转成功' });
      expect(await self()).toMatchObject({ quota: unit, aff_quota: 2 * unit, aff_history_quota: 3 * unit });
      const logs = (await kit.call({ path: '/api/log/self?type=4', as: alice })).json.data.items;
      expect(logs[0].content).toBe('邀请额度划转 ＄1.000000 额度');
      const [act] = await kit.db.read.selectFrom('audit').selectAll().where('action', '=', 'invite.transfer').execute();
      expect(act).toMatchObject({ actor: 'alice', target: `user:${alice.id}`, detail: JSON.stringify({ quota: unit }) });
      expect((await proveLedger(kit)).ok).toBe(true);
    });

    test('that were brought over without a history are shown like any others', async () => {
      const { kit, alice, self } = await start();
      const figures = { balance: 0, used: 0, requests: 0, affiliate: 2 * unit };
      await kit.db.transaction((tx) =>
        tx.perform(bookOpening({ ...figures, userId: alice.id, ref: 'import:new-api:9:2', now: 1 })),
      );
      expect(await self()).toMatchObject({ aff_quota: 2 * unit, aff_history_quota: 0 });
      await kit.call({ method: 'POST', path: '/api/user/aff_transfer', body: { quota: unit }, as: alice });
      expect(await self()).toMatchObject({ quota: unit, aff_quota: unit });
    });

    test('too small, too large and impossible amounts are refused with their texts', async () => {
      const { kit, alice, self } = await start();
      await giveEarnings(kit, alice.id, unit);
      const move = async (quota: unknown, headers = {}) =>
        (await kit.call({ method: 'POST', path: '/api/user/aff_transfer', body: { quota }, as: alice, headers })).json.message;
      expect(await move(unit - 1)).toBe('划转失败 转移额度最小为＄1.000000！');
      const inEnglish = await move(unit - 1, { 'accept-language': 'en' });
      expect(inEnglish).toBe('Transfer failed: the smallest amount is ＄1.000000');
      expect(await move(unit + 1)).toBe('划转失败 邀请额度不足！');
      for (const quota of [-unit, unit + 0.5, String(unit), null, 2 ** 53]) expect(await move(quota)).toBe('无效的参数');
      expect(await self()).toMatchObject({ quota: 0, aff_quota: unit });
    });

    test('50 transfers at once of earnings for 3: three are booked', async () => {
      const { kit, alice, self } = await start();
      await giveEarnings(kit, alice.id, 3 * unit);
      const moves = Array.from({ length: 50 }, () =>
        kit.call({ method: 'POST', path: '/api/user/aff_transfer', body: { quota: unit }, as: alice }),
      );
      const answers = await Promise.all(moves);
      expect(answers.filter((answer) => answer.json.success)).toHaveLength(3);
      expect(await self()).toMatchObject({ quota: 3 * unit, aff_quota: 0 });
      expect((await proveLedger(kit)).ok).toBe(true);
    });

    test('two users who transfer, are granted and are edited at once lose and gain nothing', async () => {
      const { kit, alice, self } = await start();
      const root = await kit.root();
      const bob = await kit.user('bob');
      for (const { id } of [alice, bob]) await giveEarnings(kit, id, 10 * unit);
      const rounds = Array.from({ length: 10 }, (_, round) =>
        [alice, bob].flatMap((as) => [
          kit.call({ method: 'POST', path: '/api/user/aff_transfer', body: { quota: unit }, as }),
          kit.call({ method: 'PUT', path: '/api/user/', body: { id: as.id, quota: (round + 1) * 1000 }, as: root }),
          kit.call({ method: 'PUT', path: '/api/user/', body: { id: as.id, display_name: `r${round}` }, as: root }),
          giveEarnings(kit, as.id, 7, `more-${round}`).then(() => undefined),
        ]),
      ).flat();
      const answers = await Promise.all(rounds);
      expect(answers.filter((answer) => answer !== undefined && !answer.json.success)).toEqual([]);
      const moved = await kit.db.read
        .selectFrom('transfer')
        .select(['user_id', 'from_account', 'to_account', 'amount', 'kind'])
        .where('user_id', 'in', [alice.id, bob.id])
        .execute();
      for (const as of [alice, bob]) {
        const account = `user:${as.id}`;
        const sum = (to: string, kind?: string) =>
          moved
            .filter((row) => row.user_id === as.id && (kind === undefined || row.kind === kind))
            .reduce((total, row) => total + (row.to_account === to ? row.amount : row.from_account === to ? -row.amount : 0), 0);
        const shown = await self(as);
        expect(shown).toMatchObject({ aff_quota: 70, aff_history_quota: 10 * unit + 70, quota: sum(account) });
        expect(sum(account, 'affiliate')).toBe(10 * unit);
      }
      expect((await proveLedger(kit)).checks.filter((check) => !check.ok)).toEqual([]);
    });

    test('the invite code is the one the user was given', async () => {
      const { kit, alice, self } = await start();
      const { aff_code: code } = await self();
      expect((await kit.call({ path: '/api/user/aff', as: alice })).json.data).toBe(code);
      await kit.db.transaction((tx) => tx.query.updateTable('users').set({ aff_code: '' }).where('id', '=', alice.id).execute());
      const made = (await kit.call({ path: '/api/user/aff', as: alice })).json.data;
      expect(made).toMatch(/^[0-9A-Za-z]{4}$/);
      expect((await kit.call({ path: '/api/user/aff', as: alice })).json.data).toBe(made);
    });
  });

  describe('notification settings', () => {
    const good = {
      notify_type: 'webhook',
      quota_warning_threshold: 1000,
      webhook_url: 'https://hooks.example/a',
      webhook_secret: 'hook-secret-1',
      notification_email: 'alice@example.com',
      accept_unset_model_ratio_model: true,
    };

    test('are stored, shown without the secret, and reach the relay through the change feed', async () => {
      const { kit, alice, self } = await start();
      const save = async (change: object) =>
        (await kit.call({ method: 'PUT', path: '/api/user/setting', body: { ...good, ...change }, as: alice })).json;
      expect(await save({})).toEqual({ success: true, message: '设置已更新' });
      const shown = async () => JSON.parse((await self()).setting);
      expect(await shown()).toEqual({
        ...{ ...good, webhook_secret: '', webhook_secret_set: true, subscriptions: { quota_warning: ['webhook'] } },
        ...{ wecom_key_set: false, dingtalk_key_set: false, dingtalk_secret_set: false, wxpusher_bound: false },
      });
      const stored = await kit.db.read.selectFrom('users').select('setting').where('id', '=', alice.id).executeTakeFirstOrThrow();
      expect(stored.setting).not.toContain('hook-secret-1');
      expect(JSON.parse(stored.setting).accept_unset_model_ratio_model).toBe(true);
      const changes = await kit.db.read.selectFrom('change').selectAll().where('kind', '=', 'user').execute();
      expect(changes.map((change) => change.key)).toEqual([String(alice.id)]);
      await save({ webhook_secret: '', webhook_url: 'https://hooks.example/b' });
      expect(await shown()).toMatchObject({ webhook_secret_set: true, webhook_url: 'https://hooks.example/b' });
      await save({ webhook_secret: '', webhook_url: 'https://elsewhere.example/b' });
      expect(await shown()).toMatchObject({ webhook_secret_set: false });
    });

    test.each([
      [{ notify_type: 'pigeon' }, '无效的预警类型'],
      [{ quota_warning_threshold: 0 }, '预警阈值必须大于0'],
      [{ quota_warning_threshold: -1 }, '预警阈值必须大于0'],
      [{ webhook_url: '' }, 'Webhook地址不能为空'],
      [{ webhook_url: 'ftp://hooks.example' }, '无效的Webhook地址'],
      [{ webhook_url: 'https://user:pass@hooks.example' }, '无效的Webhook地址'],
      [{ webhook_url: 'not a url' }, '无效的Webhook地址'],
      [{ webhook_url: 'https://hooks.example:9000/' }, '无效的Webhook地址'],
      [{ notification_email: 'alice' }, '无效的邮箱地址'],
      [{ notification_email: 'a@b.c, d@e.f' }, '无效的邮箱地址'],
      [{ quota_warning_threshold: '5' }, '无效的参数'],
      [{ notify_type: undefined }, '无效的参数'],
    ])('%j is refused: %s', async (change, text) => {
      const { kit, alice, self } = await start();
      const body = { ...good, ...change };
      const answer = await kit.call({ method: 'PUT', path: '/api/user/setting', body, as: alice });
      expect(answer.json).toEqual({ success: false, message: text });
      expect((await self()).setting).toBe('');
    });

    test('a webhook by http is refused while a worker would have to reach it, which takes https alone', async () => {
      const { kit, alice } = await start();
      const save = async (webhook_url: string) =>
        (await kit.call({ method: 'PUT', path: '/api/user/setting', body: { ...good, webhook_url }, as: alice })).json.success;
      expect(await save('http://hooks.example/a')).toBe(true);
      await kit.deps.settings.save([{ key: 'WorkerUrl', value: 'https://worker.example' }]);
      expect([await save('http://hooks.example/a'), await save('https://hooks.example/a')]).toEqual([false, true]);
    });
  });

  describe('own deregistration', () => {
    test('ends the account for good, clears the cookie and keeps the name taken; root stays', async () => {
      const { kit, alice } = await start();
      const root = await kit.root();
      const answer = await kit.call({ method: 'DELETE', path: '/api/user/self', as: alice });
      expect(answer.json).toEqual({ success: true, message: '' });
      expect(answer.headers.get('set-cookie')).toMatch(/^session=; Path=\/; Max-Age=0/);
      await expect(signIn(kit.call, 'alice', kitPassword)).rejects.toThrow('用户名或密码错误，或用户已被封禁');
      const body = { username: 'alice', password: kitPassword };
      const again = await kit.call({ method: 'POST', path: '/api/user/register', body });
      expect(again.json.message).toBe('用户名已存在，或已注销');
      const refused = await kit.call({ method: 'DELETE', path: '/api/user/self', as: root });
      expect(refused.json.message).toBe('不能删除超级管理员账户');
      expect((await kit.call({ path: '/api/user/self', as: root })).json.success).toBe(true);
      const admin = await kit.user('admin', role.admin);
      expect((await kit.call({ method: 'DELETE', path: '/api/user/self', as: admin })).json.success).toBe(true);
    });
  });

  describe('own sessions', () => {
    test('are listed with where and when, and the one that asks is marked', async () => {
      const { kit, alice } = await start();
      kit.clock.advanceMs(120_000);
      const headers = { 'User-Agent': 'Phone/1' };
      const body = { username: 'alice', password: kitPassword };
      await kit.call({ method: 'POST', path: '/api/user/login', body, headers, peer: '192.0.2.9' });
      const list = (await kit.call({ path: '/api/user/sessions', as: alice })).json.data;
      expect(list).toHaveLength(2);
      const current = list.find((entry: { current: boolean }) => entry.current);
      const phone = list.find((entry: { current: boolean }) => !entry.current);
      expect(phone).toMatchObject({ ip: '192.0.2.9', user_agent: 'Phone/1', created_time: 1_800_000_120 });
      expect(current).toMatchObject({ ip: '127.0.0.1', created_time: 1_800_000_000, last_seen_time: 1_800_000_120 });
    });

    test('end one by one or all others; those of others are not there', async () => {
      const { kit, alice } = await start();
      const bob = await kit.user('bob');
      const second = await signIn(kit.call, 'alice', kitPassword);
      const third = await signIn(kit.call, 'alice', kitPassword);
      const list = async (as: KitUser) => (await kit.call({ path: '/api/user/sessions', as })).json.data;
      const [bobs] = await list(bob);
      const foreign = await kit.call({ method: 'DELETE', path: `/api/user/sessions/${bobs.id}`, as: alice });
      expect([foreign.status, foreign.json.message]).toEqual([404, '会话不存在']);
      const own = (await list(second)).find((entry: { current: boolean }) => entry.current);
      await kit.call({ method: 'DELETE', path: `/api/user/sessions/${own.id}`, as: alice });
      expect((await kit.call({ path: '/api/user/self', as: second })).status).toBe(401);
      expect((await kit.call({ method: 'DELETE', path: '/api/user/sessions', as: alice })).json.data).toBe(1);
      expect((await kit.call({ path: '/api/user/self', as: third })).status).toBe(401);
      expect(await list(alice)).toHaveLength(1);
      expect((await kit.call({ path: '/api/user/self', as: bob })).json.success).toBe(true);
    });

    test('that nobody can use any more are not listed and are deleted by the daily job', async () => {
      const { kit, alice } = await start();
      await signIn(kit.call, 'alice', kitPassword);
      kit.clock.advanceMs(100 * 3_600_000);
      await kit.call({ path: '/api/user/self', as: alice });
      kit.clock.advanceMs(100 * 3_600_000);
      expect((await kit.call({ path: '/api/user/sessions', as: alice })).json.data).toHaveLength(1);
      expect(await kit.sessions.removeExpired()).toBe(1);
      expect((await kit.call({ path: '/api/user/self', as: alice })).json.success).toBe(true);
    });

    test('are open again when a clock that was set forward is set right, though the daily job has come meanwhile', async () => {
      const { kit, alice } = await start();
      const monthMs = 31 * 86_400_000;
      kit.clock.skewMs(monthMs);
      expect(await kit.sessions.removeExpired()).toBe(0);
      kit.clock.skewMs(-monthMs);
      expect((await kit.call({ path: '/api/user/self', as: alice })).json.success).toBe(true);
    });
  });
});
