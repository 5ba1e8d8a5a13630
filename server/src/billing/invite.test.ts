import { describe, expect, test } from 'vitest';
import { type ApiKit, createApiKit, deviceIn, type KitUser, kitPassword, signIn } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { lockWaits } from '../../test/held-open.ts';
import { notice, order, quotaOf, setUpPayments, tell } from '../../test/payment-kit.ts';
import type { Transaction } from '../storage/database.ts';
import { payDueRewards, rewardInvitation } from './invite.ts';
import { proveLedger } from './reconcile.ts';

const day = 86_400_000;
const dollar = 500_000;

onEachEngine((_name, open) => {
  const scene = async (options: Record<string, string> = {}) => {
    const kit = await createApiKit(await open());
    const all = { QuotaForInviter: '1000', QuotaForInvitee: '300', ...options };
    await setUpPayments(kit, all);
    const alice = await kit.user('alice');
    const code = (await kit.call({ path: '/api/user/aff', as: alice })).json.data;
    const invite = async (name: string, peer = '198.51.100.1'): Promise<KitUser> => {
      const body = { username: name, password: kitPassword, aff_code: code };
      await kit.call({ method: 'POST', path: '/api/user/register', body, peer });
      return signIn(kit.call, name, kitPassword);
    };
    const info = async () =>
      (await kit.call({ path: '/api/user/aff/info', as: await signIn(kit.call, 'alice', kitPassword) })).json.data;
    return { kit, alice, code, invite, info };
  };
  const pay = async (kit: ApiKit, as: KitUser, amount = 10) => {
    const answer = await tell(kit, notice(await order(kit, as, amount)));
    expect(answer.text).toBe('success');
  };
  const manageUser = async (kit: ApiKit, { id }: KitUser, action: string) => {
    const request = { method: 'POST', path: '/api/user/manage', body: { id, action }, as: await kit.root() };
    expect((await kit.call(request)).json).toMatchObject({ success: true });
  };
  const proven = async ({ db, clock }: ApiKit) => expect((await proveLedger({ db, clock })).ok).toBe(true);
  /** For two transactions: the first one ends when the second waits for it. On SQLite that one does not begin before. */
  const meeting = ({ db }: ApiKit) => {
    let isFirst = db.engine === 'postgres';
    return (work: (tx: Transaction) => Promise<unknown>) =>
      db.transaction(async (tx) => {
        await work(tx);
        if (!isFirst) return;
        isFirst = false;
        await expect.poll(() => lockWaits(db)).toBe(1);
      });
  };

  describe('what an invitation brings', () => {
    test('both at once where nothing holds it; the list masks names', async () => {
      const { kit, alice, code, invite, info } = await scene();
      const bob = await invite('bobby');
      expect(await quotaOf(kit, bob)).toBe(300);
      expect(await info()).toEqual({
        code,
        path: `/register?aff=${code}`,
        count: 1,
        quota: 1000,
        history_quota: 1000,
        waiting_quota: 0,
        owed_quota: 0,
        inviter_reward: 1000,
        invitee_reward: 300,
        rebate_percent: 0,
      });
      const { data } = (await kit.call({ path: '/api/user/aff/records', as: alice })).json;
      expect(data).toMatchObject({ total: 1, items: [{ username: 'b***y', paid_quota: 1000, waiting_quota: 0 }] });
      expect((await kit.call({ path: '/api/user/aff/records', as: bob })).json.data).toMatchObject({ total: 0, items: [] });
      await proven(kit);
    });

    test('with the first payment, and only with that', async () => {
      const { kit, invite, info } = await scene({ InviteHold: 'first_payment' });
      const bob = await invite('bob');
      kit.clock.advanceMs(60 * 60_000);
      await kit.deps.topups.upkeep();
      expect(await info()).toMatchObject({ count: 1, quota: 0, history_quota: 0, waiting_quota: 1000 });
      await pay(kit, bob);
      await pay(kit, bob);
      expect(await info()).toMatchObject({ quota: 1000, history_quota: 1000, waiting_quota: 0 });
      await proven(kit);
    });

    test('when its days are over', async () => {
      const { kit, invite, info } = await scene({ InviteHold: 'days', InviteHoldDays: '3' });
      await invite('bob');
      kit.clock.advanceMs(3 * day - 1000);
      expect((await kit.deps.topups.upkeep()).rewarded).toBe(0);
      // A clock that is set months ahead may be set right again; what was paid would stay so.
      kit.clock.skewMs(100 * day);
      expect((await kit.deps.topups.upkeep()).rewarded).toBe(0);
      kit.clock.skewMs(-100 * day);
      kit.clock.advanceMs(1000);
      await Promise.all([kit.deps.topups.upkeep(), kit.deps.topups.upkeep()]);
      expect(await info()).toMatchObject({ quota: 1000, waiting_quota: 0 });
      await proven(kit);
    });

    test('nothing to whoever left before its days were over: nobody could move it', async () => {
      const { kit, alice, invite } = await scene({ InviteHold: 'days', InviteHoldDays: '1' });
      await invite('bob');
      await kit.call({ method: 'DELETE', path: '/api/user/self', as: alice });
      kit.clock.advanceMs(day);
      await kit.deps.topups.upkeep();
      const rewards = await kit.db.read.selectFrom('invite_reward').select(['inviter_id', 'state']).execute();
      expect(rewards).toEqual([{ inviter_id: alice.id, state: 'void' }]);
      const toAlice = kit.db.read.selectFrom('transfer').select('ref').where('user_id', '=', alice.id);
      expect(await toAlice.execute()).toEqual([]);
      await proven(kit);
    });

    test('nothing to whoever left before the first payment came', async () => {
      const { kit, alice, invite } = await scene({ InviteHold: 'first_payment', InviteRebatePercent: '10' });
      const bob = await invite('bob');
      await kit.call({ method: 'DELETE', path: '/api/user/self', as: alice });
      await pay(kit, bob);
      const rewards = await kit.db.read.selectFrom('invite_reward').select(['inviter_id', 'kind', 'state']).execute();
      expect(rewards).toEqual([{ inviter_id: alice.id, kind: 'register', state: 'void' }]);
      await proven(kit);
    });

    test('nothing waits for the first payment of somebody who is gone, however that was', async () => {
      const { kit, invite, info } = await scene({ InviteHold: 'first_payment' });
      const [bob, carol, dave] = [await invite('bob'), await invite('carol'), await invite('dave')];
      const root = await kit.root();
      await kit.call({ method: 'POST', path: '/api/user/manage', body: { id: dave.id, action: 'disable' }, as: root });
      expect(await info()).toMatchObject({ waiting_quota: 3000 });
      await kit.call({ method: 'DELETE', path: '/api/user/self', as: bob });
      expect(await info()).toMatchObject({ waiting_quota: 2000 });
      await kit.call({ method: 'POST', path: '/api/user/manage', body: { id: carol.id, action: 'delete' }, as: root });
      expect(await info()).toMatchObject({ waiting_quota: 1000 });
      await kit.call({ method: 'DELETE', path: `/api/user/${dave.id}`, as: root });
      expect(await info()).toMatchObject({ count: 3, quota: 0, waiting_quota: 0 });
      await proven(kit);
    });

    test.each(['pay', 'leave'])(
      'at once with a first payment, who is gone leaves nothing waiting and nothing half: %s first',
      async (first) => {
        const { kit, invite, info } = await scene({ InviteHold: 'first_payment' });
        const bob = await invite('bob');
        const paid = notice(await order(kit, bob));
        const acts = [() => tell(kit, paid), () => kit.call({ method: 'DELETE', path: '/api/user/self', as: bob })];
        await Promise.all((first === 'pay' ? acts : acts.toReversed()).map((act) => act()));
        const reward = await kit.db.read.selectFrom('invite_reward').select('state').executeTakeFirstOrThrow();
        expect(['paid', 'void']).toContain(reward.state);
        const quota = reward.state === 'paid' ? 1000 : 0;
        expect(await info()).toMatchObject({ quota, history_quota: quota, waiting_quota: 0 });
        await proven(kit);
      },
    );

    test('nothing while one of both is disabled, and then it comes; nobody looks at it more than once a day', async () => {
      const { kit, alice, invite, info } = await scene({ InviteHold: 'days', InviteHoldDays: '1' });
      const bob = await invite('bob');
      await invite('carol');
      const manage = (who: KitUser, action: string) => manageUser(kit, who, action);
      const after = async (days: number) => {
        kit.clock.advanceMs(days * day);
        return (await kit.deps.topups.upkeep()).rewarded;
      };
      await manage(bob, 'disable');
      expect(await after(1)).toBe(1);
      expect(await info()).toMatchObject({ quota: 1000, history_quota: 1000, waiting_quota: 1000 });
      await manage(bob, 'enable');
      expect(await after(0.5)).toBe(0);
      await manage(alice, 'disable');
      expect(await after(0.5)).toBe(0);
      await manage(alice, 'enable');
      expect(await after(1)).toBe(1);
      expect(await info()).toMatchObject({ quota: 2000, history_quota: 2000, waiting_quota: 0 });
      await proven(kit);
    });

    test.each([
      ['at once', { InviteHold: 'none' }],
      ['with a first payment', { InviteHold: 'first_payment' }],
    ])('nothing to an inviter who is disabled, when it is due %s: it waits', async (_when, hold) => {
      const { kit, alice, invite, info } = await scene({ ...hold, InviteRebatePercent: '10', InviteRebateHoldDays: '0' });
      await manageUser(kit, alice, 'disable');
      await pay(kit, await invite('bob'), 1);
      const earned = await kit.db.read.selectFrom('transfer').select('ref').where('user_id', '=', alice.id).execute();
      expect(earned).toEqual([]);
      await manageUser(kit, alice, 'enable');
      const sum = 1000 + dollar / 10;
      expect(await info()).toMatchObject({ quota: 0, waiting_quota: sum });
      kit.clock.advanceMs(day);
      await kit.deps.topups.upkeep();
      expect(await info()).toMatchObject({ quota: sum, history_quota: sum, waiting_quota: 0 });
      await proven(kit);
    });

    test('nothing for a registration whose account is gone again before its days are over, nor for payments of one that left disabled', async () => {
      const { kit, invite, info } = await scene({
        ...{ InviteHold: 'days', InviteHoldDays: '3', InviteRebatePercent: '10', InviteRebateHoldDays: '3' },
      });
      const [bob, carol] = [await invite('bob'), await invite('carol')];
      for (const as of [bob, carol]) await pay(kit, as, 1);
      const [reward, rebate] = [1000, dollar / 10];
      expect(await info()).toMatchObject({ waiting_quota: 2 * (reward + rebate) });
      await kit.call({ method: 'DELETE', path: '/api/user/self', as: bob });
      expect(await info()).toMatchObject({ waiting_quota: reward + 2 * rebate });
      for (const action of ['disable', 'delete']) await manageUser(kit, carol, action);
      expect(await info()).toMatchObject({ waiting_quota: rebate });
      kit.clock.advanceMs(3 * day);
      await kit.deps.topups.upkeep();
      expect(await info()).toMatchObject({ quota: rebate, history_quota: rebate, waiting_quota: 0 });
      await proven(kit);
    });

    test('nothing for who had gone before such rewards were void at once', async () => {
      const { kit, invite, info } = await scene({ InviteHold: 'days', InviteHoldDays: '1' });
      const bob = await invite('bob');
      await kit.db.transaction((tx) => tx.query.updateTable('users').set({ deleted_at: 1 }).where('id', '=', bob.id).execute());
      kit.clock.advanceMs(day);
      await kit.deps.topups.upkeep();
      expect(await info()).toMatchObject({ quota: 0, waiting_quota: 0 });
      await proven(kit);
    });

    test('once, though two nodes find at the same moment that its days are over', async () => {
      const { kit, alice, invite, info } = await scene({ InviteHold: 'days', InviteHoldDays: '1' });
      await invite('bob');
      kit.clock.advanceMs(day);
      const now = Math.floor(kit.clock.nowMs() / 1000);
      const together = meeting(kit);
      const node = () => together((tx) => payDueRewards(tx, kit.deps.settings.current(), { now, due: now }));
      await Promise.all([node(), node()]);
      expect(await info()).toMatchObject({ quota: 1000, history_quota: 1000, waiting_quota: 0 });
      const logs = await kit.db.read.selectFrom('log').select('content').where('user_id', '=', alice.id).execute();
      expect(logs).toEqual([{ content: '邀请用户赠送 ＄0.002000 额度' }]);
      await proven(kit);
    });

    test('nobody is rewarded for inviting their own browser, however often it registers', async () => {
      const { kit, alice, code, info } = await scene({ InviteSameDeviceRewarded: 'false' });
      const post = async (path: string, body: object, cookie?: string) => {
        const as = cookie === undefined ? undefined : { ...alice, cookie };
        return kit.call({ method: 'POST', path, body, ...(as === undefined ? {} : { as }) });
      };
      const login = await post('/api/user/login', { username: 'alice', password: kitPassword });
      const own = deviceIn(login);
      expect(own).toMatch(/^device=[\w-]{43}$/);
      const register = (username: string, cookie?: string) =>
        post('/api/user/register', { username, password: kitPassword, aff_code: code }, cookie);
      await register('herself', own);
      expect(await info()).toMatchObject({ count: 1, quota: 0 });
      const fresh = deviceIn(await register('bob'));
      expect(await info()).toMatchObject({ count: 2, quota: 1000 });
      await register('bob2', fresh);
      expect(await info()).toMatchObject({ count: 3, quota: 1000 });
      const devicesOf = (id: number) => kit.db.read.selectFrom('user_device').selectAll().where('user_id', '=', id).execute();
      const bob = await signIn(kit.call, 'bob', kitPassword);
      expect(await devicesOf(bob.id)).toHaveLength(1);
      const deregister = { method: 'POST', path: '/api/user/manage', body: { id: bob.id, action: 'delete' } };
      await kit.call({ ...deregister, as: await kit.root() });
      expect(await devicesOf(bob.id)).toEqual([]);
      const stored = JSON.stringify(await kit.db.read.selectFrom('user_device').selectAll().execute());
      expect(stored).not.toContain(own.split('=')[1]);
      await kit.call({ method: 'DELETE', path: '/api/user/self', as: await signIn(kit.call, 'alice', kitPassword) });
      expect(await devicesOf(alice.id)).toEqual([]);
      await proven(kit);
    });

    test('a day rewards no more invitations than it may; all are counted', async () => {
      const { kit, invite, info } = await scene({ InviteDailyCap: '2' });
      for (const name of ['bob', 'carol', 'dave']) await invite(name);
      expect(await info()).toMatchObject({ count: 3, quota: 2000 });
      kit.clock.advanceMs(day);
      await invite('erin');
      expect(await info()).toMatchObject({ count: 4, quota: 3000 });
    });

    test('what invited users pay takes no place among the invitations of a day', async () => {
      const { kit, invite, info } = await scene({ InviteDailyCap: '2', InviteRebatePercent: '10', InviteRebateHoldDays: '0' });
      const bob = await invite('bob');
      for (let count = 0; count < 2; count += 1) await pay(kit, bob, 1);
      await invite('carol');
      expect(await info()).toMatchObject({ count: 2, quota: 2000 + (2 * dollar) / 10 });
    });

    test("nothing for whoever is at the inviter's address, or at that of somebody else who came by the code", async () => {
      const { kit, invite, info } = await scene({ InviteSameIpRewarded: 'false' });
      const home = await invite('bob', '127.0.0.1');
      const [first, second] = [await invite('carol', '203.0.113.1'), await invite('dave', '203.0.113.1')];
      expect([await quotaOf(kit, home), await quotaOf(kit, first), await quotaOf(kit, second)]).toEqual([0, 300, 0]);
      expect(await info()).toMatchObject({ count: 3, quota: 1000 });
    });

    test('once for two who come from one address at the same moment', async () => {
      const { kit, alice, info } = await scene({ InviteSameIpRewarded: 'false' });
      const both = [await kit.user('bob'), await kit.user('carol')];
      const marks = { ip: '203.0.113.1', device: '', email: '', inviterEmail: '' };
      const common = { inviter: { id: alice.id, username: alice.name }, marks, options: kit.deps.settings.current() };
      const now = Math.floor(kit.clock.nowMs() / 1000);
      const together = meeting(kit);
      const register = ({ id, name: username }: KitUser) =>
        together((tx) => rewardInvitation(tx, { ...common, invitee: { id, username }, now }));
      await Promise.all(both.map(register));
      expect((await Promise.all(both.map((as) => quotaOf(kit, as)))).sort()).toEqual([0, 300]);
      expect(await info()).toMatchObject({ count: 2, quota: 1000 });
      await proven(kit);
    });
  });

  describe('a rebate on what invited users pay', () => {
    const options = { QuotaForInviter: '0', InviteRebatePercent: '12.5', InviteRebateHoldDays: '0' };

    test('is paid with each payment, to the inviter alone, once', async () => {
      const { kit, invite, info, alice } = await scene(options);
      const bob = await invite('bob');
      const form = await order(kit, bob, 2);
      for (let count = 0; count < 3; count += 1) await tell(kit, notice(form));
      await pay(kit, alice, 3);
      expect(await info()).toMatchObject({ quota: dollar / 4, history_quota: dollar / 4, rebate_percent: 12.5 });
      const logs = (await kit.call({ path: '/api/log/self?type=4', as: alice })).json.data.items;
      expect(logs[0].content).toBe('邀请返利 ＄0.250000 额度');
      await proven(kit);
    });

    test('a payment that root gave by hand counts like any other', async () => {
      const { kit, invite, info } = await scene({ ...options, InviteHold: 'first_payment', QuotaForInviter: '1000' });
      const bob = await invite('bob');
      await tell(kit, notice({ out_trade_no: 'elsewhere1', type: 'alipay', money: '7.30' }));
      const [entry] = (await kit.deps.topups.unmatched({ p: 1, page_size: 1 })).items;
      const actor = { id: 1, username: 'root', ip: '' };
      await kit.deps.topups.credit(actor, entry?.id ?? 0, { user_id: bob.id, quota: dollar });
      expect(await info()).toMatchObject({ quota: 1000 + dollar / 8, waiting_quota: 0 });
      await proven(kit);
    });

    test('waits for its days, and is gone when the payment is given back before', async () => {
      const { kit, invite, info } = await scene({ ...options, InviteRebateHoldDays: '2' });
      const bob = await invite('bob');
      await pay(kit, bob, 2);
      await pay(kit, bob, 4);
      expect(await info()).toMatchObject({ quota: 0, waiting_quota: (dollar * 6) / 8 });
      const [newest] = (await kit.deps.topups.orders({ p: 1, page_size: 1 })).items;
      const actor = { id: 1, username: 'root', ip: '' };
      await kit.deps.topups.reverse({ orderId: newest?.id ?? 0, actor, role: 100, reason: 'x' });
      kit.clock.advanceMs(2 * day);
      await kit.deps.topups.upkeep();
      expect(await info()).toMatchObject({ quota: dollar / 4, waiting_quota: 0 });
    });

    test('a day brings no more than it may, payments at once included', async () => {
      const { kit, invite, info } = await scene({ ...options, InviteRebateDailyCap: '100000' });
      const bob = await invite('bob');
      const forms = [await order(kit, bob, 1), await order(kit, bob, 1), await order(kit, bob, 1)];
      await Promise.all(forms.map((form) => tell(kit, notice(form))));
      expect(await info()).toMatchObject({ quota: 100_000 });
      await proven(kit);
    });
  });
});
