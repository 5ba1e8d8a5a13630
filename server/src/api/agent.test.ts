import { agentStatus, dividendStatus, errors, role, withdrawalStatus } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { type ApiKit, createApiKit, type KitUser, kitPassword, signIn } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import {
  chargeRefunded,
  hostedOrder,
  notice,
  order,
  quotaOf,
  sendEvent,
  sessionPaid,
  setUpPayments,
  tell,
} from '../../test/payment-kit.ts';
import { proveLedger } from '../billing/reconcile.ts';

const day = 86_400_000;
const contact = { contact_name: '林', contact_phone: '+86 138 0000 0000', contact_email: '', remark: 'a shop' };
const payee = { payee_name: '林一', payee_account: 'lin@example.com' };

onEachEngine((_name, open) => {
  /** An agent with one customer, as everybody can set it up by the API alone. */
  const scene = async (options: Record<string, string> = {}) => {
    const kit = await createApiKit(await open());
    await setUpPayments(kit, {
      AgentEnabled: 'true',
      AgentMinWithdraw: '100',
      AgentDefaultRate: '0.1',
      Price: '7.3',
      ...options,
    });
    const send = async (as: KitUser, method: string, path: string, body?: unknown) =>
      (await kit.call({ method, path, as, ...(body === undefined ? {} : { body }) })).json;
    const ask = async (as: KitUser, method: string, path: string, body?: unknown) => {
      const answer = await send(as, method, path, body);
      expect(answer, answer.message).toMatchObject({ success: true });
      return answer.data;
    };
    const refused = async (as: KitUser, method: string, path: string, body?: unknown) => {
      const { success, message } = await send(as, method, path, body);
      expect(success).toBe(false);
      return message;
    };
    const people: KitUser[] = [];
    const known = async (user: Promise<KitUser>) => {
      people.push(await user);
      return user;
    };
    const boss = await known(kit.user('boss', role.admin));
    const alice = await known(kit.user('alice'));
    const invite = async (name: string, by: KitUser): Promise<KitUser> => {
      const code = await ask(by, 'GET', '/api/user/aff');
      const body = { username: name, password: kitPassword, aff_code: code };
      await kit.call({ method: 'POST', path: '/api/user/register', body });
      return known(signIn(kit.call, name, kitPassword));
    };
    const self = () => ask(alice, 'GET', '/api/agent/self');
    /** Days pass: sessions end, people sign in again. */
    const mature = async (days = 7) => {
      kit.clock.advanceMs(days * day);
      for (const person of people) Object.assign(person, await signIn(kit.call, person.name, person.password));
      return (await kit.deps.agents.mature()).matured;
    };
    return { kit, boss, alice, known, invite, ask, refused, self, mature };
  };
  const pay = async (kit: ApiKit, as: KitUser, amount = 10) => {
    const form = await order(kit, as, amount);
    expect((await tell(kit, notice(form))).text).toBe('success');
  };
  const proven = async ({ db, clock }: ApiKit) =>
    expect((await proveLedger({ db, clock })).checks.filter(({ ok }) => !ok)).toEqual([]);
  const csv = async (kit: ApiKit, as: KitUser, path: string) => {
    const { text, headers } = await kit.call({ path, as });
    expect(headers.get('content-type')).toContain('text/csv');
    const lines = text.replace('\uFEFF', '').trimEnd().split('\r\n');
    return lines.map((line) => line.split(','));
  };

  describe('agents', () => {
    test('who is removed for good leaves neither an application that nobody can decide about nor how to reach them', async () => {
      const { kit, boss, alice, invite, ask } = await scene();
      await ask(alice, 'POST', '/api/agent/apply', contact);
      const bob = await invite('bobby', alice);
      await ask(boss, 'PUT', `/api/agent/${bob.id}`, { status: 1 });
      expect(await ask(boss, 'GET', '/api/agent/summary')).toMatchObject({ applied: 1, active: 1 });
      for (const { id } of [alice, bob]) await ask(boss, 'DELETE', `/api/user/${id}`);
      expect(await ask(boss, 'GET', '/api/agent?p=1')).toMatchObject({ total: 0, items: [] });
      expect(await ask(boss, 'GET', '/api/agent/summary')).toMatchObject({ applied: 0, active: 0 });
      expect(await kit.db.read.selectFrom('agent').selectAll().execute()).toEqual([]);
    });

    test('who is suspended, banned or gone earns nothing of what customers pay meanwhile, nor does anybody while there are no agents', async () => {
      const { kit, boss, alice, invite, ask } = await scene();
      await ask(alice, 'POST', '/api/agent/apply', contact);
      const review = (status: number) => ask(boss, 'PUT', `/api/agent/${alice.id}`, { status });
      await review(agentStatus.active);
      const bob = await invite('bobby', alice);
      const earned = async () => (await kit.db.read.selectFrom('agent_dividend').select('amount').execute()).length;
      const paidWhile = async (begin: () => Promise<unknown>, end: () => Promise<unknown>) => {
        const before = await earned();
        await begin();
        await pay(kit, bob);
        await end();
        return (await earned()) - before;
      };
      const setUser = (fields: object) => () =>
        kit.db.transaction((tx) => tx.query.updateTable('users').set(fields).where('id', '=', alice.id).execute());
      const setOption = (value: string) => () => kit.deps.settings.save([{ key: 'AgentEnabled', value }]);
      const nothing = async () => undefined;
      expect(await paidWhile(nothing, nothing)).toBe(1);
      expect(
        await paidWhile(
          () => review(agentStatus.suspended),
          () => review(agentStatus.active),
        ),
      ).toBe(0);
      expect(await paidWhile(setUser({ status: 2 }), setUser({ status: 1 }))).toBe(0);
      expect(await paidWhile(setUser({ deleted_at: 1 }), setUser({ deleted_at: null }))).toBe(0);
      expect(await paidWhile(setOption('false'), setOption('true'))).toBe(0);
      expect(await paidWhile(nothing, nothing)).toBe(1);
      await proven(kit);
    });

    test('apply, approved, customers pay, dividends mature, money is withdrawn, paid and turned into quota; records and files agree', async () => {
      const { kit, boss, alice, invite, ask, self, refused, mature } = await scene({ AgentFeeRate: '0.015' });
      expect(await self()).toBe(null);
      expect(await ask(alice, 'POST', '/api/agent/apply', contact)).toMatchObject({ status: agentStatus.applied, ...contact });
      expect(await refused(alice, 'POST', '/api/agent/apply', contact)).toBe(errors.agent_applied.zh);
      expect(await refused(alice, 'GET', '/api/agent/self/customers')).toBe(errors.agent_missing.zh);
      expect(await ask(boss, 'GET', '/api/agent/summary')).toMatchObject({ applied: 1, active: 0 });
      const approval = { status: 1, seen_status: 0, commission_rate: 0.125, review_note: 'welcome' };
      expect(await ask(boss, 'PUT', `/api/agent/${alice.id}`, approval)).toMatchObject({
        ...{ status: agentStatus.active, commission_rate: 0.125, rate: 0.125, reviewer: 'boss', username: 'alice' },
      });
      const bob = await invite('bobby', alice);
      await pay(kit, bob); // 10 dollars at 7.3 = 73.00
      expect(await self()).toMatchObject({
        ...{ customers: 1, today_customers: 1, topup_total: 7300, pending: 912, balance: 0, total_earned: 912 },
        terms: { currency: 'cny', min_withdraw: 100, fee_rate: 0.015, mature_days: 7, max_open: 1, open: 0 },
      });
      expect((await self()).invite_link).toMatch(/^https:\/\/gate\.example\.test\/register\?aff=\w+$/);
      expect(await refused(alice, 'POST', '/api/agent/self/withdrawals', { amount: 100, method: 'alipay', ...payee })).toBe(
        errors.withdrawal_balance_low.zh,
      );
      expect(await mature(6)).toBe(0);
      expect(await mature(1)).toBe(1);
      expect(await mature(1)).toBe(0);
      expect(await self()).toMatchObject({ pending: 0, balance: 912 });

      const wish = { amount: 333, method: 'alipay', ...payee, remark: 'rent' };
      const quote = { amount: 333, fee: 5, net: 328 };
      expect(await ask(alice, 'POST', '/api/agent/self/withdrawals/quote', { amount: 333, method: 'alipay' })).toMatchObject(
        quote,
      );
      const asked = await ask(alice, 'POST', '/api/agent/self/withdrawals', wish);
      expect(asked).toMatchObject({ ...quote, ...payee, status: withdrawalStatus.pending, agent: '', reviewer: '' });
      expect(await self()).toMatchObject({ balance: 579, withdrawing: 333, terms: { open: 1 } });
      expect(await refused(alice, 'POST', '/api/agent/self/withdrawals', wish)).toBe(errors.withdrawal_pending.zh);
      const manage = `/api/agent/withdrawals/${asked.id}/manage`;
      expect(await ask(boss, 'POST', manage, { action: 'claim' })).toMatchObject({ status: 4, reviewer: 'boss', agent: 'alice' });
      expect(await refused(alice, 'POST', `/api/agent/self/withdrawals/${asked.id}/cancel`)).toBe(errors.withdrawal_changed.zh);
      expect(await refused(boss, 'POST', manage, { action: 'pay' })).toBe(errors.withdrawal_reference_missing.zh);
      expect(await ask(boss, 'POST', manage, { action: 'pay', reference: '=T1' })).toMatchObject({ status: 2, reference: '=T1' });
      expect(await refused(boss, 'POST', manage, { action: 'reject', reason: 'late' })).toBe(errors.withdrawal_changed.zh);

      const before = await quotaOf(kit, alice);
      const turned = await ask(alice, 'POST', '/api/agent/self/withdrawals', { amount: 146, method: 'quota' });
      expect(turned).toMatchObject({ fee: 0, quota: 100_000, status: withdrawalStatus.paid });
      expect((await quotaOf(kit, alice)) - before).toBe(100_000);
      const { items } = await ask(alice, 'GET', '/api/log/self?type=4');
      expect(items[0].content).toBe('代理分红兑换额度 ＄0.200000 额度');
      expect(await self()).toMatchObject({ balance: 433, withdrawing: 0, total_withdrawn: 479, total_earned: 912 });

      const dividends = await ask(alice, 'GET', '/api/agent/self/dividends?status=1');
      expect(dividends).toMatchObject({
        total: 1,
        items: [{ amount: 912, rate: 0.125, username: 'b***y', trade_no: '', agent: '' }],
      });
      expect(await ask(alice, 'GET', '/api/agent/self/dividends?status=0')).toMatchObject({ total: 0 });
      const everybody = await ask(boss, 'GET', `/api/agent/dividends?agent_id=${alice.id}`);
      expect(everybody.items[0]).toMatchObject({ username: 'bobby', agent: 'alice', trade_no: expect.stringMatching(/^USR/) });
      expect(await ask(alice, 'GET', '/api/agent/self/customers')).toMatchObject({
        items: [{ id: bob.id, username: 'b***y', topup_money: 7300, dividend: 912 }],
      });
      expect((await ask(boss, 'GET', '/api/agent/withdrawals?order=oldest')).items.map(({ id }: { id: number }) => id)).toEqual([
        asked.id,
        turned.id,
      ]);
      const list = await ask(boss, 'GET', '/api/agent?keyword=LIC&status=1');
      expect(list).toMatchObject({ total: 1, items: [{ customers: 1, topup_total: 7300, balance: 433 }] });
      expect(await ask(boss, 'GET', '/api/agent?keyword=%25')).toMatchObject({ total: 0 });

      const files = '/api/agent/self';
      const withdrawals = await csv(kit, alice, `${files}/withdrawals/export`);
      expect(withdrawals).toHaveLength(3);
      expect(withdrawals[2]?.[11]).toBe("'=T1");
      expect((await csv(kit, alice, `${files}/dividends/export`))[1]).toEqual(expect.arrayContaining(['b***y', '7300', '912']));
      expect(await csv(kit, alice, `${files}/customers/export`)).toHaveLength(2);
      expect((await csv(kit, boss, '/api/agent/export'))[1]).toEqual(expect.arrayContaining(['alice', '912', '433', '479']));
      expect((await csv(kit, boss, '/api/agent/dividends/export'))[1]).toContain('bobby');
      expect((await csv(kit, boss, '/api/agent/withdrawals/export?status=2'))[2]).toContain('boss');
      expect((await csv(kit, bob, '/api/user/topup/records/export'))[1]).toContain('73.00');
      expect((await csv(kit, boss, '/api/payment/orders/export'))[1]).toContain('bobby');
      const own = await ask(bob, 'GET', '/api/user/topup/self');
      expect(own).toMatchObject({ total: 1, items: [{ money: 73, status: 'success' }] });

      const start = Math.floor(kit.clock.nowMs() / 1000) - 9 * 86_400;
      const series = await ask(alice, 'GET', `/api/agent/self/earnings?start_timestamp=${start}&offset=480`);
      expect(series).toHaveLength(10);
      const sum = (figure: string) =>
        series.reduce((total: number, row: Record<string, number>) => total + (row[figure] ?? 0), 0);
      expect(['earned', 'matured', 'withdrawn', 'reversed', 'orders', 'customers'].map(sum)).toEqual([912, 912, 479, 0, 1, 1]);
      expect(series[9].time % 86_400).toBe(16 * 3600);
      const all = await ask(boss, 'GET', '/api/agent/earnings');
      expect(all.reduce((total: number, row: { earned: number }) => total + row.earned, 0)).toBe(912);
      expect(await refused(alice, 'GET', '/api/agent/self/earnings?start_timestamp=1')).toBe('时间跨度不能超过 400 天');
      const done = await kit.db.read.selectFrom('audit').select('action').execute();
      expect(done.map(({ action }) => action)).toEqual(
        expect.arrayContaining(['agent.apply', 'agent.review', 'agent.withdraw', 'agent.payout']),
      );
      await proven(kit);
    });

    test('the audit log says what a review changed of an agency, from what to what', async () => {
      const { kit, boss, alice, ask } = await scene();
      for (const change of [
        { status: 1, commission_rate: 0.05 },
        { commission_rate: 0.125, level: 2, remark: 'good' },
        { commission_rate: 0.125, level: 2 },
        { status: 3, commission_rate: null },
      ])
        await ask(boss, 'PUT', `/api/agent/${alice.id}`, change);
      const rows = kit.db.read.selectFrom('audit').select('detail').where('action', '=', 'agent.review').orderBy('seq');
      expect((await rows.execute()).map(({ detail }) => JSON.parse(detail))).toEqual([
        { status: { from: null, to: 1 }, commission_rate: { from: null, to: 0.05 } },
        { commission_rate: { from: 0.05, to: 0.125 }, level: { from: 1, to: 2 }, remark: { from: '', to: 'good' } },
        {},
        { status: { from: 1, to: 3 }, commission_rate: { from: 0.125, to: null } },
      ]);
    });

    test('an order that is taken back takes its dividend back: what matures, or the balance, which then blocks withdrawals', async () => {
      const { kit, boss, alice, invite, ask, refused, self, mature } = await scene();
      await ask(boss, 'PUT', `/api/agent/${alice.id}`, { status: 1 });
      const bob = await invite('bobby', alice);
      await pay(kit, bob, 10);
      // A clock that is set months ahead may be set right again.
      kit.clock.skewMs(100 * day);
      expect((await kit.deps.agents.mature()).matured).toBe(0);
      kit.clock.skewMs(-100 * day);
      await mature();
      await pay(kit, bob, 20);
      const orders = await ask(boss, 'GET', '/api/payment/orders');
      const reverse = (id: number, reason = 'the bank took it back') =>
        [boss, 'POST', `/api/payment/orders/${id}/reverse`, { reason }] as const;
      const [young, old] = orders.items;
      await ask(alice, 'POST', '/api/agent/self/withdrawals', { amount: 700, method: 'wxpay', ...payee });
      expect(await self()).toMatchObject({ pending: 1460, balance: 30, withdrawing: 700, total_reversed: 0 });
      expect(await refused(...reverse(young.id, ' '))).toBe(errors.order_reason_missing.zh);
      expect(await ask(...reverse(young.id))).toMatchObject({ status: 'refunded' });
      expect(await self()).toMatchObject({ pending: 0, balance: 30, total_reversed: 1460 });
      expect(await refused(...reverse(young.id))).toBe(errors.order_not_paid.zh);
      expect(await refused(...reverse(999))).toBe(errors.order_not_found.zh);
      await ask(...reverse(old.id));
      expect(await self()).toMatchObject({ balance: -700, withdrawing: 700, total_earned: 2190, total_reversed: 2190 });
      expect(await quotaOf(kit, bob)).toBe(0);
      const { items } = await ask(alice, 'GET', '/api/agent/self/dividends');
      expect(items.map(({ status }: { status: number }) => status)).toEqual([dividendStatus.reversed, dividendStatus.reversed]);
      const [open] = (await ask(alice, 'GET', '/api/agent/self/withdrawals')).items;
      await ask(alice, 'POST', `/api/agent/self/withdrawals/${open.id}/cancel`);
      expect(await self()).toMatchObject({ balance: 0, withdrawing: 0 });
      expect(await refused(alice, 'POST', '/api/agent/self/withdrawals', { amount: 100, method: 'quota' })).toBe(
        errors.withdrawal_balance_low.zh,
      );
      await proven(kit);
    });

    test('what need not mature is there at once; what is given back in parts goes out of it, each cent once', async () => {
      const { kit, boss, alice, invite, ask, self } = await scene({ AgentMatureDays: '0' });
      await ask(boss, 'PUT', `/api/agent/${alice.id}`, { status: 1 });
      const bob = await invite('bobby', alice);
      await pay(kit, bob, 10);
      const money = { amount_total: 7_300, currency: 'cny', client_reference_id: await hostedOrder(kit, bob) };
      await sendEvent(kit, sessionPaid('evt_p', money));
      expect(await self()).toMatchObject({ pending: 0, balance: 1460, total_earned: 1460, topup_total: 14_600 });
      const left: number[][] = [];
      for (const [k, cents] of [2_433, 2_433, 4_867, 7_300].entries()) {
        await sendEvent(kit, chargeRefunded(`evt_${k}`, { amount_refunded: cents, currency: 'cny' }));
        const { balance, topup_total: paid } = await self();
        const [customer] = (await ask(alice, 'GET', '/api/agent/self/customers')).items;
        left.push([balance, paid, customer.topup_money]);
      }
      const paid = [12_167, 12_167, 9_733, 7_300];
      expect(left).toEqual([1216, 1216, 973, 730].map((balance, k) => [balance, paid[k], paid[k]]));
      expect((await kit.deps.agents.mature()).matured).toBe(0);
      await proven(kit);
    });

    test('nobody sees what is of another agent, decides about the own agency, or ends what a colleague claimed', async () => {
      const { kit, boss, alice, known, invite, ask, refused, mature } = await scene();
      const carol = await known(kit.user('carol', role.admin));
      const dave = await known(kit.user('davey'));
      const root = await known(kit.root());
      for (const { id } of [alice, dave]) await ask(boss, 'PUT', `/api/agent/${id}`, { status: 1 });
      const bob = await invite('bobby', alice);
      const eve = await invite('evelyn', dave);
      await pay(kit, bob);
      await pay(kit, eve);
      await mature();
      const { id } = await ask(alice, 'POST', '/api/agent/self/withdrawals', {
        amount: 100,
        method: 'bank',
        ...payee,
        bank_name: 'B',
      });
      for (const path of ['customers', 'dividends', 'withdrawals']) {
        const answer = await kit.call({ path: `/api/agent/self/${path}?agent_id=${alice.id}`, as: dave });
        expect(answer.text).not.toMatch(/bobby|b\*\*\*y|evelyn|lin@/);
        expect((await kit.call({ path: `/api/agent/self/${path}/export?agent_id=${alice.id}`, as: dave })).text).not.toMatch(
          /bobby|b\*\*\*y|evelyn|lin@/,
        );
      }
      expect((await ask(dave, 'GET', '/api/agent/self/customers')).items).toMatchObject([{ id: eve.id, username: 'e***n' }]);
      expect(await refused(dave, 'POST', `/api/agent/self/withdrawals/${id}/cancel`)).toBe(errors.withdrawal_not_found.zh);
      const manage = `/api/agent/withdrawals/${id}/manage`;
      await ask(boss, 'POST', manage, { action: 'claim' });
      const paying = { action: 'pay', reference: 'T1' };
      for (const body of [paying, { action: 'release' }, { action: 'reject', reason: 'no' }, { action: 'claim' }]) {
        expect(await refused(carol, 'POST', manage, body)).toBe('该提现申请正由 boss 处理');
      }
      expect(await ask(root, 'POST', manage, { action: 'release' })).toMatchObject({ status: 1, reviewer: '' });
      expect(await ask(carol, 'POST', manage, { action: 'reject', reason: 'no' })).toMatchObject({
        status: 3,
        reject_reason: 'no',
      });
      expect(await refused(boss, 'PUT', `/api/agent/${boss.id}`, { status: 1 })).toBe(errors.user_level_write.zh);
      expect(await refused(boss, 'PUT', `/api/agent/${carol.id}`, { status: 1 })).toBe(errors.user_level_write.zh);
      await ask(root, 'PUT', `/api/agent/${boss.id}`, { status: 1 });
      await proven(kit);
    });

    test('whose number is searched for comes first, however many newer ones have it in their telephone number', async () => {
      const { kit, boss, alice, known, ask } = await scene();
      const dave = await known(kit.user('davey'));
      for (const { id } of [alice, dave]) await ask(boss, 'PUT', `/api/agent/${id}`, { status: 1 });
      const phone = { contact_phone: `13${alice.id}00000000` };
      await kit.db.transaction((tx) => tx.query.updateTable('agent').set(phone).where('user_id', '=', dave.id).execute());
      const page = async (p: number) => (await ask(boss, 'GET', `/api/agent?keyword=${alice.id}&page_size=1&p=${p}`)).items;
      expect([await page(1), await page(2)]).toMatchObject([[{ user_id: alice.id }], [{ user_id: dave.id }]]);
    });

    test('states change from the states they may change from, and what is not acceptable is refused in words', async () => {
      const { kit, boss, alice, invite, ask, refused, self, mature } = await scene({ AgentMinWithdraw: '10000' });
      const apply = (more: object) => refused(alice, 'POST', '/api/agent/apply', { ...contact, ...more });
      expect(await apply({ contact_name: ' ' })).toBe(errors.agent_contact_missing.zh);
      expect(await apply({ contact_phone: '' })).toBe(errors.agent_contact_missing.zh);
      expect(await apply({ contact_phone: 'call me' })).toBe(errors.agent_phone_invalid.zh);
      expect(await apply({ contact_email: 'a@b' })).toBe(errors.email_invalid.zh);
      expect(await apply({ remark: 'x'.repeat(501) })).toContain('输入不合法');
      const review = (change: object) => refused(boss, 'PUT', `/api/agent/${alice.id}`, change);
      expect(await review({ status: 2 })).toBe(errors.agent_not_found.zh);
      await ask(alice, 'POST', '/api/agent/apply', contact);
      expect(await review({ status: 3 })).toBe(errors.agent_status_changed.zh);
      await ask(boss, 'PUT', `/api/agent/${alice.id}`, { status: 2, review_note: 'no' });
      expect(await review({ status: 1, seen_status: 0 })).toBe(errors.agent_status_changed.zh);
      await ask(alice, 'POST', '/api/agent/apply', contact);
      expect(await self()).toMatchObject({ status: 0, review_note: '' });
      for (const rate of [1.1, -0.1, 0.000_000_1])
        expect(await review({ commission_rate: rate })).toBe(errors.agent_rate_invalid.zh);
      await ask(boss, 'PUT', `/api/agent/${alice.id}`, { status: 1, level: 3, commission_rate: 1 });
      const bob = await invite('bobby', alice);
      await pay(kit, bob, 20);
      await ask(boss, 'PUT', `/api/agent/${alice.id}`, { commission_rate: null });
      await mature();
      const wish = (more: object) =>
        refused(alice, 'POST', '/api/agent/self/withdrawals', { amount: 10_000, method: 'bank', ...payee, ...more });
      expect(await wish({ amount: 9999, bank_name: 'B' })).toBe('提现金额不能小于 100.00');
      expect(await wish({})).toBe(errors.withdrawal_payee_missing.zh);
      expect(await wish({ bank_name: 'B', payee_name: '林' })).toBe(errors.withdrawal_payee_name.zh);
      expect(await wish({ method: 'alipay', amount: 14_601 })).toBe(errors.withdrawal_balance_low.zh);
      for (const amount of [0, -5, 1.5, '10000', 1e300]) expect(await wish({ amount })).toContain('输入不合法');
      expect(await wish({ method: 'cash' })).toContain('输入不合法');
      await ask(boss, 'PUT', `/api/agent/${alice.id}`, { status: 3 });
      expect(await wish({ method: 'alipay' })).toBe(errors.agent_suspended.zh);
      await pay(kit, bob, 20);
      expect(await self()).toMatchObject({ level: 3, total_earned: 14_600, balance: 14_600, rate: 0.1, commission_rate: null });
      expect(await refused(boss, 'POST', '/api/agent/withdrawals/99/manage', { action: 'claim' })).toBe(
        errors.withdrawal_not_found.zh,
      );
      expect(await refused(boss, 'POST', '/api/agent/withdrawals/99/manage', { action: 'burn' })).toContain('输入不合法');
      await kit.deps.settings.save([{ key: 'AgentApplyEnabled', value: 'false' }]);
      expect(await refused(bob, 'POST', '/api/agent/apply', contact)).toBe(errors.agent_apply_closed.zh);
      await kit.deps.settings.save([{ key: 'AgentEnabled', value: 'false' }]);
      expect(await refused(alice, 'GET', '/api/agent/self')).toBe(errors.agent_disabled.zh);
      expect(await refused(alice, 'GET', '/api/agent/self/customers')).toBe(errors.agent_disabled.zh);
      await proven(kit);
    });
  });
});
