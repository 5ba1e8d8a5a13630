import { describe, expect, test } from 'vitest';
import { type ApiKit, createApiKit, type KitUser } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { merchant, notice, order, quotaOf, setUpPayments, tell, tellByForm, verdicts } from '../../test/payment-kit.ts';
import { proveLedger } from '../billing/index.ts';

const ask = (kit: ApiKit, as: KitUser, path: string, body: object) => kit.call({ method: 'POST', path, body, as });

onEachEngine((_name, open) => {
  const scene = async (more: Record<string, string> = {}) => {
    const kit = await createApiKit(await open());
    await setUpPayments(kit, more);
    return { kit, alice: await kit.user('alice') };
  };

  describe('opening a payment', () => {
    test('the amount is shown to the cent, and refused in the words of the contract', async () => {
      const { kit, alice } = await scene({ MinTopUp: '5' });
      const amount = async (value: unknown) =>
        (await ask(kit, alice, '/api/user/amount', { amount: value, top_up_code: '' })).json;
      expect(await amount(10)).toEqual({ success: true, message: 'success', data: '73.00' });
      expect(await amount(4)).toEqual({ success: false, message: 'error', data: '充值数量不能小于 5' });
      expect(await amount(-5)).toEqual({ success: false, message: 'error', data: '充值数量不能小于 5' });
      for (const odd of ['x', 7.5]) expect(await amount(odd)).toEqual({ success: false, message: 'error', data: '参数错误' });
      await setUpPayments(kit, { Price: '0' });
      expect(await amount(10)).toEqual({ success: false, message: 'error', data: '充值金额过低' });
    });

    test('a refusal is in the language of the page, as all others are', async () => {
      const { kit, alice } = await scene({ MinTopUp: '5' });
      const refused = async (path: string, body: object) => {
        const headers = { 'Accept-Language': 'en' };
        return (await kit.call({ method: 'POST', path, body, as: alice, headers })).json;
      };
      const low = await refused('/api/user/amount', { amount: 4, top_up_code: '' });
      expect(low).toEqual({ success: false, message: 'error', data: 'The smallest amount is 5' });
      const odd = await refused('/api/user/pay', { amount: 'x', payment_method: 'alipay' });
      expect(odd).toEqual({ success: false, message: 'error', data: 'Invalid parameter' });
    });

    test('the form has the fields of the protocol and its signature; old names of methods are understood', async () => {
      const { kit, alice } = await scene();
      const answer = (await ask(kit, alice, '/api/user/pay', { amount: 10, payment_method: 'zfb' })).json;
      expect(answer.url).toBe('https://pay.example.test/submit.php');
      const { sign, out_trade_no: number, ...fields } = answer.data;
      expect(fields).toEqual({
        pid: merchant.id,
        type: 'alipay',
        notify_url: 'https://gate.example.test/api/user/epay/notify',
        return_url: 'https://gate.example.test/log',
        name: 'TUC10',
        money: '73.00',
        device: 'pc',
        sign_type: 'MD5',
      });
      expect(number).toMatch(new RegExp(`^USR${alice.id}NO[0-9A-Za-z]{6}1800000000$`));
      expect(sign).toMatch(/^[0-9a-f]{32}$/);
      const refused = async (method: string) =>
        (await ask(kit, alice, '/api/user/pay', { amount: 10, payment_method: method })).json;
      expect(await refused('gold')).toEqual({ success: false, message: 'error', data: '支付方式不存在' });
      await setUpPayments(kit, { EpayKey: '' });
      expect(await refused('alipay')).toEqual({ success: false, message: 'error', data: '当前管理员未配置支付信息' });
    });

    test('more than five open orders are not opened; one that was paid is open no more', async () => {
      const { kit, alice } = await scene();
      await tell(kit, notice(await order(kit, alice)));
      for (let count = 0; count < 5; count += 1) await order(kit, alice);
      const more = await ask(kit, alice, '/api/user/pay', { amount: 10, payment_method: 'alipay' });
      expect(more.json).toMatchObject({ success: false, message: 'error' });
      kit.clock.advanceMs(31 * 60_000);
      await order(kit, alice);
    });
  });

  describe('being told of a payment', () => {
    test('credits what the order fixed, once, whatever the settings are by then; repeats are answered alike', async () => {
      const { kit, alice } = await scene();
      const form = await order(kit, alice);
      await setUpPayments(kit, { Price: '1', QuotaPerUnit: '7', TopupGroupRatio: '{"default":9}' });
      const told = notice(form);
      for (const send of [tell, tellByForm, tell]) {
        const answer = await send(kit, told);
        expect([answer.status, answer.text]).toEqual([200, 'success']);
        expect(answer.headers.get('content-type')).toContain('text/plain');
      }
      expect(await quotaOf(kit, alice)).toBe(5_000_000);
      expect(await verdicts(kit)).toEqual(['credited']);
      const { data } = (await kit.call({ path: '/api/user/topup/records', as: alice })).json;
      expect(data).toMatchObject({ total: 1, items: [{ status: 'paid', money: '73.00', quota: 5_000_000, username: '' }] });
      const logs = (await kit.call({ path: '/api/log/self?type=1', as: alice })).json.data.items;
      expect(logs[0].content).toMatch(/^使用在线充值成功，充值金额: .*，支付金额：73\.000000$/);
      expect((await proveLedger({ db: kit.db, clock: kit.clock })).ok).toBe(true);
    });

    test('what services add to the protocol is read when it is signed', async () => {
      const { kit, alice } = await scene();
      const form = await order(kit, alice);
      const added = { api_trade_no: '4000124998', buyer: '2088@x', addtime: '2026-08-20 11:59:50', endtime: '', timestamp: '18' };
      expect((await tell(kit, { ...notice(form), ...added })).text).toBe('fail');
      expect((await tell(kit, notice(form, { ...added, param: '' }))).text).toBe('success');
      expect([await quotaOf(kit, alice), await verdicts(kit)]).toEqual([5_000_000, ['bad_signature', 'credited']]);
    });

    test('the same news with other words is a repeat', async () => {
      const { kit, alice } = await scene();
      const form = await order(kit, alice);
      await tell(kit, notice(form));
      expect((await tell(kit, notice(form, { name: 'another' }))).text).toBe('success');
      expect((await tell(kit, Object.fromEntries(Object.entries(notice(form)).reverse()))).text).toBe('success');
      expect(await quotaOf(kit, alice)).toBe(5_000_000);
      expect(await verdicts(kit)).toEqual(['credited', 'repeat']);
    });

    test.each<[string, (form: Record<string, string>) => Record<string, string> | string, string]>([
      ['a forged signature', (form) => ({ ...notice(form), sign: '0'.repeat(32) }), 'bad_signature'],
      ['no signature', (form) => ({ ...notice(form), sign: '' }), 'malformed'],
      ['the signature of an empty key', (form) => notice(form, {}, ''), 'bad_signature'],
      ['another kind of signature', (form) => ({ ...notice(form), sign_type: 'RSA' }), 'bad_signature'],
      ['a signature in capitals', (form) => upper(notice(form)), 'bad_signature'],
      ['another merchant', (form) => notice(form, { pid: '1002' }), 'wrong_merchant'],
      ['money changed after signing', (form) => ({ ...notice(form), money: '7300.00' }), 'bad_signature'],
      ['less money', (form) => notice(form, { money: '72.99' }), 'unmatched_money'],
      ['more money', (form) => notice(form, { money: '73.01' }), 'unmatched_money'],
      ['money with a sign', (form) => notice(form, { money: '+73.00' }), 'malformed'],
      ['money in another writing', (form) => notice(form, { money: '7.3e1' }), 'malformed'],
      ['another method', (form) => notice(form, { type: 'wxpay' }), 'unmatched_method'],
      ['an unknown order', (form) => notice(form, { out_trade_no: 'USR1NOabcdef1' }), 'unmatched_order'],
      ['a parameter twice', (form) => `${new URLSearchParams(notice(form))}&money=73.00`, 'malformed'],
      ['a parameter that is none', (form) => ({ ...notice(form), extra: '1' }), 'malformed'],
      ['a missing parameter', (form) => without(notice(form), 'trade_no'), 'malformed'],
    ])('%s: fail, no credit, kept with its verdict', async (_title, build, verdict) => {
      const { kit, alice } = await scene();
      const answer = await tell(kit, build(await order(kit, alice)));
      expect([answer.status, answer.text]).toEqual([200, 'fail']);
      expect(await quotaOf(kit, alice)).toBe(0);
      expect(await verdicts(kit)).toEqual([verdict]);
    });

    test('a payment that is not finished is understood and credits nothing; once it is, it does', async () => {
      const { kit, alice } = await scene();
      const form = await order(kit, alice);
      expect((await tell(kit, notice(form, { trade_status: 'WAIT_BUYER_PAY' }))).text).toBe('success');
      expect(await quotaOf(kit, alice)).toBe(0);
      expect((await tell(kit, notice(form))).text).toBe('success');
      expect(await quotaOf(kit, alice)).toBe(5_000_000);
    });

    test('while it is not set up nothing is read or stored, and an empty key proves nothing', async () => {
      const { kit, alice } = await scene();
      const form = await order(kit, alice);
      const gaps: Record<string, string>[] = [{ EpayKey: '' }, { EpayKey: '  ' }, { EpayId: '' }];
      for (const off of gaps) {
        await setUpPayments(kit, off);
        expect((await tell(kit, notice(form, {}, off.EpayKey ?? merchant.key))).text).toBe('fail');
      }
      expect([await quotaOf(kit, alice), await verdicts(kit)]).toEqual([0, []]);
    });

    test('an order of one service is not paid by another', async () => {
      const { kit, alice } = await scene();
      const form = await order(kit, alice);
      const provider = { provider: 'stripe' };
      await kit.db.transaction((tx) => tx.query.updateTable('topup_order').set(provider).execute());
      expect((await tell(kit, notice(form))).text).toBe('fail');
      expect([await quotaOf(kit, alice), await verdicts(kit)]).toEqual([0, ['unmatched_method']]);
    });

    test('a late payment is credited and called late', async () => {
      const { kit, alice } = await scene();
      const form = await order(kit, alice);
      kit.clock.advanceMs(3 * 86_400_000);
      const fresh = await order(kit, alice);
      expect(await kit.deps.topups.upkeep()).toEqual({ expired: 1, rewarded: 0 });
      expect((await kit.deps.topups.orders({ p: 1, page_size: 1, status: 'pending' })).items[0]?.trade_no).toBe(
        fresh.out_trade_no,
      );
      expect((await tell(kit, notice(form))).text).toBe('success');
      expect(await verdicts(kit)).toEqual(['credited_late']);
      const again = await kit.user('alice').catch(() => alice);
      expect(await quotaOf(kit, again)).toBe(5_000_000);
      expect((await kit.deps.topups.orders({ p: 1, page_size: 10 })).items[1]).toMatchObject({
        status: 'paid_late',
        username: 'alice',
      });
    });

    test('too long a notification is not read', async () => {
      const { kit, alice } = await scene();
      const form = await order(kit, alice);
      expect((await tellByForm(kit, notice(form, { name: 'x'.repeat(9_000) }))).text).toBe('fail');
      expect(await verdicts(kit)).toEqual([]);
    });

    test('what the ledger cannot book now is not answered with success', async () => {
      const { kit, alice } = await scene();
      const form = await order(kit, alice);
      const { transaction } = kit.db;
      kit.db.transaction = () => Promise.reject(new Error('the database is away'));
      const answer = await tell(kit, notice(form));
      kit.db.transaction = transaction;
      expect([answer.status, answer.text]).toEqual([503, 'fail']);
      expect((await tell(kit, notice(form))).text).toBe('success');
      expect(await quotaOf(kit, alice)).toBe(5_000_000);
    });
  });

  describe('the inbox', () => {
    test('shows what came without the signature, and judges it again once the key is right', async () => {
      const { kit, alice } = await scene();
      const root = await kit.root();
      const form = await order(kit, alice);
      await setUpPayments(kit, { EpayKey: 'mistyped' });
      await tell(kit, notice(form));
      await tell(kit, notice(form));
      const listed = (await kit.call({ path: '/api/payment/inbox', as: root })).json.data;
      expect(listed).toMatchObject({ total: 1, items: [{ verdict: 'bad_signature', seen: 2, provider: 'epay' }] });
      expect(JSON.stringify(listed)).not.toContain(notice(form).sign);
      expect(JSON.stringify(await kit.db.read.selectFrom('payment_inbox').selectAll().execute())).not.toContain(
        notice(form).sign,
      );
      await setUpPayments(kit);
      const path = `/api/payment/inbox/${listed.items[0].id}/replay`;
      for (let count = 0; count < 2; count += 1) {
        expect((await kit.call({ method: 'POST', path, as: root })).json.data).toMatchObject({ verdict: 'credited' });
      }
      expect(await quotaOf(kit, alice)).toBe(5_000_000);
    });

    test('root gives an unmatched payment to a user, once; the order it belonged to is closed by it', async () => {
      const { kit, alice } = await scene();
      const root = await kit.root();
      const form = await order(kit, alice);
      await tell(kit, notice(form, { money: '70.00' }));
      const [entry] = (await kit.call({ path: '/api/payment/unmatched', as: root })).json.data.items;
      expect(entry).toMatchObject({ verdict: 'unmatched_money', money: '70.00', trade_no: form.out_trade_no });
      const path = `/api/payment/unmatched/${entry.id}/credit`;
      const give = (user: number) => kit.call({ method: 'POST', path, body: { user_id: user, quota: 4_000_000 }, as: root });
      expect((await give(999)).json).toMatchObject({ success: false, message: '用户不存在' });
      expect((await give(alice.id)).json.data).toMatchObject({ verdict: 'credited_by_hand' });
      expect((await give(alice.id)).json).toEqual({ success: false, message: '该支付已处理，不能重复入账' });
      expect((await tell(kit, notice(form, { money: '70.00' }))).text).toBe('success');
      expect((await tell(kit, notice(form))).text).toBe('success');
      expect(await quotaOf(kit, alice)).toBe(4_000_000);
      const audit = (await kit.call({ path: '/api/audit/?action=payment.credit', as: root })).json.data.items;
      expect(audit).toMatchObject([{ actor: 'root', target: `order:${form.out_trade_no}` }]);
      expect((await proveLedger({ db: kit.db, clock: kit.clock })).ok).toBe(true);
    });

    test.each(['deregistered', 'removed for good'])('what is paid for an account that was %s waits for root', async (how) => {
      const { kit, alice } = await scene();
      const [root, bob] = [await kit.root(), await kit.user('bobby')];
      const form = await order(kit, alice);
      await (how === 'deregistered'
        ? kit.call({ method: 'POST', path: '/api/user/manage', body: { id: alice.id, action: 'delete' }, as: root })
        : kit.call({ method: 'DELETE', path: `/api/user/${alice.id}`, as: root }));
      expect((await tell(kit, notice(form))).text).toBe('fail');
      const [entry] = (await kit.call({ path: '/api/payment/unmatched', as: root })).json.data.items;
      expect(entry).toMatchObject({ verdict: 'unmatched_order', detail: 'the account of the order is gone', money: '73.00' });
      const path = `/api/payment/unmatched/${entry.id}/credit`;
      const give = ({ id }: { id: number }) =>
        kit.call({ method: 'POST', path, body: { user_id: id, quota: 5_000_000 }, as: root });
      expect((await give(alice)).json).toEqual({ success: false, message: '用户不存在' });
      await give(bob);
      expect([await quotaOf(kit, bob), await verdicts(kit)]).toEqual([5_000_000, ['credited_by_hand']]);
      expect((await tell(kit, notice(form))).text).toBe('success');
      expect(await quotaOf(kit, bob)).toBe(5_000_000);
      expect((await proveLedger({ db: kit.db, clock: kit.clock })).ok).toBe(true);
    });

    test('of what is not believed only the newest stay', async () => {
      const { kit } = await scene();
      const row = { provider: 'epay', kind: '', payload_sealed: '', summary: '', verdict: 'malformed', detail: '' };
      const rest = { trade_no: '', order_id: 0, money_cents: 0, currency: '', seen: 1, received_at: 1, last_at: 1 };
      const rows = Array.from({ length: 2_098 }, (_, index) => ({ ...row, ...rest, digest: `d${index}` }));
      for (let start = 0; start < rows.length; start += 500) {
        await kit.db.transaction((tx) =>
          tx.query
            .insertInto('payment_inbox')
            .values(rows.slice(start, start + 500))
            .execute(),
        );
      }
      await tell(kit, 'pid=1');
      await tell(kit, 'pid=2');
      expect(await verdicts(kit)).toHaveLength(2_000);
    });
  });
});

function without(fields: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));
}

function upper(fields: Record<string, string>): Record<string, string> {
  return { ...fields, sign: (fields.sign ?? '').toUpperCase() };
}
