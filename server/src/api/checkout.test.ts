import { describe, expect, test } from 'vitest';
import { startWeb, type Web } from '../../../e2e/support/stand-ins/web.ts';
import { createApiKit, type KitUser } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { draftOf, giveToken, holdOf, tokenOf, walletOf } from '../../test/ledger-kit.ts';
import { disputeWithdrawn, quotaOf, sendEvent, setUpPayments, verdicts } from '../../test/payment-kit.ts';
import { createLedger, proveLedger } from '../billing/index.ts';

const total = 1_000;

onEachEngine((_name, open) => {
  const scene = async (answer?: Parameters<typeof startWeb>[0], more: Record<string, string> = {}) => {
    const body = { id: 'cs_1', object: 'checkout.session', url: 'https://checkout.example.test/cs_1', amount_total: total };
    const web: Web = await startWeb(answer ?? (() => ({ body })));
    const kit = await createApiKit(await open(), { rewrite: [`api.stripe.com=${web.origin}`] });
    await setUpPayments(kit, more);
    const alice = await kit.user('alice');
    const checkout = (as: KitUser = alice, amount = 10) =>
      kit.call({ method: 'POST', path: '/api/user/checkout', body: { amount }, as });
    const opened = async () => String((await checkout()).json.data.trade_no);
    return { kit, alice, web, checkout, opened };
  };
  const session = (tradeNo: string, fields: object = {}) => ({
    id: 'cs_1',
    object: 'checkout.session',
    client_reference_id: tradeNo,
    amount_total: total,
    currency: 'usd',
    payment_status: 'paid',
    payment_intent: 'pi_1',
    ...fields,
  });
  const event = (id: string, type: string, object: object) => ({ id, type, data: { object } });
  const paid = (tradeNo: string, fields: object = {}) => event('evt_1', 'checkout.session.completed', session(tradeNo, fields));

  describe('the hosted payment page', () => {
    test('is opened through the guarded client with what the order fixed; nothing of it is secret to the caller', async () => {
      const { web, checkout, kit, alice } = await scene();
      const quote = await kit.call({ method: 'POST', path: '/api/user/checkout/amount', body: { amount: 10 }, as: alice });
      expect(quote.json).toEqual({ success: true, message: 'success', data: '10.00' });
      const answer = await checkout();
      expect(answer.json.data.url).toBe('https://checkout.example.test/cs_1');
      const [asked] = web.received;
      expect(asked).toMatchObject({ method: 'POST', path: '/v1/checkout/sessions' });
      expect(asked?.headers.authorization).toBe('Bearer sk_test_of_the_merchant');
      expect(asked?.headers['idempotency-key']).toBe(answer.json.data.trade_no);
      const form = Object.fromEntries(new URLSearchParams(asked?.body));
      expect(form).toMatchObject({
        mode: 'payment',
        client_reference_id: answer.json.data.trade_no,
        'line_items[0][price_data][unit_amount]': '1000',
        'line_items[0][price_data][currency]': 'usd',
        success_url: 'https://gate.example.test/topup',
      });
      await web.close();
    });

    test("a price of the service's own decides what is paid", async () => {
      const body = { id: 'cs_1', url: 'https://checkout.example.test/x', amount_total: 4_200 };
      const { web, opened, kit, alice } = await scene(() => ({ body }), { StripePriceId: 'price_1' });
      const tradeNo = await opened();
      const form = Object.fromEntries(new URLSearchParams(web.received[0]?.body));
      expect(form).toMatchObject({ 'line_items[0][price]': 'price_1', 'line_items[0][quantity]': '10' });
      expect((await sendEvent(kit, paid(tradeNo))).text).toBe('ok');
      expect([await quotaOf(kit, alice), await verdicts(kit)]).toEqual([0, ['unmatched_money']]);
      const right = event('evt_2', 'checkout.session.completed', session(tradeNo, { amount_total: 4_200 }));
      await sendEvent(kit, right);
      expect(await quotaOf(kit, alice)).toBe(5_000_000);
      await web.close();
    });

    test("before paying one is told the sum of the service's own price; of what cannot be told, that the page will", async () => {
      const price = { id: 'price_1', billing_scheme: 'per_unit', currency: 'usd', unit_amount: 990, transform_quantity: null };
      const said: { body: object; status?: number } = { body: price };
      const { web, kit, alice } = await scene(() => said, { StripePriceId: 'price_1', TopupGroupRatio: '{"default":0.5}' });
      const quote = async () => {
        kit.clock.advanceMs(300_001);
        const ask = () => kit.call({ method: 'POST', path: '/api/user/checkout/amount', body: { amount: 10 }, as: alice });
        const [first, again] = [await ask(), await ask()];
        expect(again.json).toEqual(first.json);
        return first.json.data;
      };
      expect([await quote(), web.received.map(({ method, path }) => `${method} ${path}`)]).toEqual([
        '99.00',
        ['GET /v1/prices/price_1'],
      ]);
      for (const other of [{ currency: 'eur' }, { billing_scheme: 'tiered' }, { transform_quantity: { divide_by: 5 } }]) {
        said.body = { ...price, ...other };
        expect(await quote()).toBe('');
      }
      said.status = 403;
      expect(await quote()).toBe('');
      await web.close();
    });

    test('where the service has a price of its own, ours may be nothing', async () => {
      const body = { id: 'cs_1', url: 'https://checkout.example.test/x', amount_total: 4_200 };
      const { web, kit, opened } = await scene(() => ({ body }), { StripePriceId: 'price_1', StripeUnitPrice: '0' });
      const trade_no = await opened();
      const { items } = await kit.deps.topups.orders({ p: 1, page_size: 10 });
      expect(items).toMatchObject([{ trade_no, money: '42.00', quota: 5_000_000, status: 'pending' }]);
      await web.close();
    });

    test("where amounts are quota, nothing is bought by the service's own price for a dollar, and no sum is told of it", async () => {
      const price = { id: 'price_1', billing_scheme: 'per_unit', currency: 'usd', unit_amount: 990, transform_quantity: null };
      const more = { StripePriceId: 'price_1', DisplayInCurrencyEnabled: 'false' };
      const { web, kit, alice, checkout } = await scene(() => ({ body: price }), more);
      const body = { amount: 500_000 };
      const quote = await kit.call({ method: 'POST', path: '/api/user/checkout/amount', body, as: alice });
      expect(quote.json).toMatchObject({ message: 'error', data: '当前管理员未配置支付信息' });
      expect((await checkout(alice, body.amount)).json).toEqual({ success: false, message: '当前管理员未配置支付信息' });
      expect(web.received).toEqual([]);
      await web.close();
    });

    const euros = { id: 'cs_1', url: 'https://x.example.test', amount_total: 1, currency: 'eur' };
    test.each([
      ['a page in another currency', { body: euros }, /another currency/],
      [
        'a refusal',
        { status: 402, body: { error: { message: 'no such key: sk_test_of_the_merchant' } } },
        /^no such key: \*\*\*$/,
      ],
      ['an outage', { status: 500, body: 'oops' }, /JSON/],
      ['a cut', { hangUp: true }, /connection to Stripe\. \S/],
      ['an answer without a page', { body: { id: 'cs_1' } }, /no page/],
    ])('%s closes the order and is told, the operator by the log', async (_title, reply, reason) => {
      const { web, checkout, kit, alice } = await scene(() => reply);
      expect((await checkout()).json).toEqual({ success: false, message: '拉起支付失败' });
      const records = (await kit.call({ path: '/api/user/topup/records', as: alice })).json.data.items;
      expect(records).toMatchObject([{ status: 'failed', provider: 'stripe' }]);
      expect(kit.logged).toContainEqual({ reason: expect.stringMatching(reason), tradeNo: records[0].trade_no });
      await web.close();
    });

    test('without both secrets there is none', async () => {
      const gaps: Record<string, string>[] = [
        { StripeApiSecret: '' },
        { StripeWebhookSecret: '' },
        { StripeWebhookSecret: '  ' },
      ];
      for (const off of gaps) {
        const { web, checkout, kit } = await scene(undefined, off);
        expect((await checkout()).json).toEqual({ success: false, message: '当前管理员未配置支付信息' });
        expect((await sendEvent(kit, paid('x'), off.StripeWebhookSecret || 'whsec_x')).status).toBe(400);
        expect(await verdicts(kit)).toEqual([]);
        await web.close();
      }
    });
  });

  describe('the webhook', () => {
    test('credits a paid session once: the same event, and another of the same session, have no effect', async () => {
      const { kit, alice, web, opened } = await scene();
      const tradeNo = await opened();
      const later = event('evt_2', 'checkout.session.async_payment_succeeded', session(tradeNo));
      for (const news of [paid(tradeNo), paid(tradeNo), later]) {
        expect([(await sendEvent(kit, news)).status, await quotaOf(kit, alice)]).toEqual([200, 5_000_000]);
      }
      expect(await verdicts(kit)).toEqual(['credited', 'repeat']);
      expect((await proveLedger({ db: kit.db, clock: kit.clock })).ok).toBe(true);
      await web.close();
    });

    test('a payment that takes days is credited when it arrives', async () => {
      const { kit, alice, web, opened } = await scene();
      const tradeNo = await opened();
      await sendEvent(kit, paid(tradeNo, { payment_status: 'unpaid' }));
      expect(await quotaOf(kit, alice)).toBe(0);
      await sendEvent(kit, event('evt_2', 'checkout.session.async_payment_succeeded', session(tradeNo)));
      expect([await quotaOf(kit, alice), await verdicts(kit)]).toEqual([5_000_000, ['noted', 'credited']]);
      await web.close();
    });

    test('what nobody signed, what another secret signed and what is too old is refused', async () => {
      const { kit, alice, web, opened } = await scene();
      const news = paid(await opened());
      const text = JSON.stringify(news);
      const path = '/api/payment/stripe/webhook';
      expect((await sendEvent(kit, news, 'whsec_another')).status).toBe(400);
      expect((await kit.call({ method: 'POST', path, text })).status).toBe(400);
      expect((await kit.call({ method: 'POST', path, text, headers: { 'Stripe-Signature': 't=1,v1=00' } })).status).toBe(400);
      kit.clock.advanceMs(-301_000);
      const early = sendEvent(kit, news);
      kit.clock.advanceMs(301_000 * 2);
      await early;
      expect(await verdicts(kit)).not.toContain('credited');
      expect(await quotaOf(kit, alice)).toBe(0);
      await web.close();
    });

    test('what came with a mistyped secret can be judged again, once it is right', async () => {
      const { kit, alice, web, opened } = await scene();
      const news = paid(await opened());
      await sendEvent(kit, news, 'whsec_right');
      await setUpPayments(kit, { StripeWebhookSecret: 'whsec_right' });
      kit.clock.advanceMs(3_600_000);
      const [entry] = (await kit.deps.topups.inbox({ p: 1, page_size: 1, verdict: '', provider: '' })).items;
      const actor = { id: 1, username: 'root', ip: '' };
      expect(await kit.deps.topups.replay(actor, entry?.id ?? 0)).toMatchObject({ verdict: 'credited' });
      expect((await sendEvent(kit, news, 'whsec_right')).status).toBe(200);
      expect([await quotaOf(kit, alice), await verdicts(kit)]).toEqual([5_000_000, ['credited', 'repeat']]);
      await web.close();
    });

    test('an expired page closes its order; a payment after that is credited late', async () => {
      const { kit, alice, web, opened } = await scene();
      const tradeNo = await opened();
      await sendEvent(kit, event('evt_0', 'checkout.session.expired', session(tradeNo, { payment_status: 'unpaid' })));
      const status = async () => (await kit.deps.topups.orders({ p: 1, page_size: 1 })).items[0]?.status;
      expect(await status()).toBe('expired');
      await sendEvent(kit, paid(tradeNo));
      expect([await status(), await quotaOf(kit, alice)]).toEqual(['paid_late', 5_000_000]);
      await web.close();
    });

    test.each([
      ['another amount', { amount_total: 999 }, 'unmatched_money'],
      ['another currency', { currency: 'jpy' }, 'unmatched_money'],
      ['an unknown order', { client_reference_id: 'USR1NOnothing1' }, 'unmatched_order'],
      ['something else that the account sells', { client_reference_id: null }, 'noted'],
    ])('%s is kept and credits nothing', async (_title, fields, verdict) => {
      const { kit, alice, web, opened } = await scene();
      expect((await sendEvent(kit, paid(await opened(), fields))).status).toBe(200);
      expect([await quotaOf(kit, alice), await verdicts(kit)]).toEqual([0, [verdict]]);
      await web.close();
    });

    test('refunds take back their share once, and never more than is there', async () => {
      const { kit, alice, web, opened } = await scene();
      await sendEvent(kit, paid(await opened()));
      const refund = (id: string, cents: number) => {
        const charge = { id: 'ch_1', object: 'charge', payment_intent: 'pi_1', amount_refunded: cents, currency: 'usd' };
        return sendEvent(kit, event(id, 'charge.refunded', charge));
      };
      const order = async () => (await kit.deps.topups.orders({ p: 1, page_size: 1 })).items[0];
      for (const [id, cents, rest, refunded] of [
        ['evt_r1', 250, 3_750_000, '2.50'],
        ['evt_r1', 250, 3_750_000, '2.50'],
        ['evt_r3', 500, 2_500_000, '5.00'],
        ['evt_r2', 300, 2_500_000, '5.00'],
      ] as const) {
        await refund(id, cents);
        expect([await quotaOf(kit, alice), await order()]).toMatchObject([rest, { status: 'paid', money: '10.00', refunded }]);
      }
      const root = await kit.root();
      await kit.call({ method: 'PUT', path: '/api/user/', body: { id: alice.id, quota: 1_000_000 }, as: root });
      await refund('evt_r4', total);
      expect(await quotaOf(kit, alice)).toBe(0);
      expect(await order()).toMatchObject({ status: 'refunded', refunded: '10.00' });
      const [last] = (await kit.deps.topups.inbox({ p: 1, page_size: 1, verdict: '', provider: '' })).items;
      expect(last).toMatchObject({ verdict: 'refunded', detail: '1500000 could not be taken back' });
      expect((await proveLedger({ db: kit.db, clock: kit.clock })).ok).toBe(true);
      await web.close();
    });

    test('a refund takes back what calls hold, too: they keep their cost from it at most', async () => {
      const { kit, alice, web, opened } = await scene();
      await sendEvent(kit, paid(await opened()));
      const ledger = createLedger(kit);
      const token = await giveToken(kit.db, alice.id, { remain: 5_000_000, unlimited: false });
      // Much is held, and little used: a long answer was allowed. The page has no token.
      for (const [id, tokenId, amount] of [
        ['cheap', token, 3_000_000],
        ['given up', 0, 1_500_000],
        ['dear', token, 400_000],
      ] as const)
        expect(await ledger.hold(holdOf(id, alice.id, tokenId, amount))).toEqual({ ok: true });
      const refund = (id: string, cents: number) => {
        const charge = { id: 'ch_1', object: 'charge', payment_intent: 'pi_1', amount_refunded: cents, currency: 'usd' };
        return sendEvent(kit, event(id, 'charge.refunded', charge));
      };
      await refund('evt_r1', 800);
      // 100,000 were free; of 4,000,000 the rest came from the largest holds.
      expect(await walletOf(kit.db, alice.id)).toMatchObject({ available: 0, held: 1_000_000 });
      expect(await tokenOf(kit.db, token)).toMatchObject({ remain: 4_600_000, held: 400_000 });
      expect((await proveLedger({ db: kit.db, clock: kit.clock })).ok).toBe(true);
      const settle = (id: string, cost: number) =>
        ledger.settle({ id, cost, now: 1_001, draft: draftOf(id, alice.id, token, { requestId: id }) });
      expect(await settle('cheap', 20)).toMatchObject({ collected: 0, shortfall: 20 });
      expect(await ledger.release('given up')).toBe(true);
      expect(await settle('dear', 500_000)).toMatchObject({ collected: 500_000, shortfall: 0 });
      expect(await walletOf(kit.db, alice.id)).toMatchObject({ available: 500_000, held: 0 });
      await refund('evt_r2', total);
      const [last] = (await kit.deps.topups.inbox({ p: 1, page_size: 1, verdict: '', provider: '' })).items;
      // Ten dollars came, one was used, and nine went back.
      expect(last).toMatchObject({ verdict: 'refunded', detail: '500000 could not be taken back' });
      expect(await quotaOf(kit, alice)).toBe(0);
      expect((await proveLedger({ db: kit.db, clock: kit.clock })).ok).toBe(true);
      await web.close();
    });

    test('a refund in another currency takes back nothing until root says what it was of its payment', async () => {
      const { kit, alice, web, opened } = await scene();
      await sendEvent(kit, paid(await opened()));
      const charge = { id: 'ch_1', object: 'charge', payment_intent: 'pi_1', amount_refunded: 900, currency: 'eur' };
      expect((await sendEvent(kit, event('evt_r', 'charge.refunded', charge))).status).toBe(200);
      expect([await quotaOf(kit, alice), await verdicts(kit)]).toEqual([5_000_000, ['credited', 'unmatched_refund']]);
      const root = await kit.root();
      const [entry] = (await kit.call({ path: '/api/payment/unmatched', as: root })).json.data.items;
      expect(entry.detail).toBe('9.00 eur were refunded of a payment of 10.00 usd');
      const act = (what: string, body: object) =>
        kit.call({ method: 'POST', path: `/api/payment/unmatched/${entry.id}/${what}`, body, as: root });
      expect((await act('credit', { user_id: alice.id, quota: 5 })).json.message).toBe('该支付已处理，不能重复入账');
      const [one, other] = await Promise.all([act('refund', { cents: 250 }), act('refund', { cents: 250 })]);
      expect([one.json.success, other.json.success].sort()).toEqual([false, true]);
      expect([await quotaOf(kit, alice), await verdicts(kit)]).toEqual([3_750_000, ['credited', 'refunded']]);
      const { items } = (await kit.call({ path: '/api/payment/orders', as: root })).json.data;
      expect(items).toMatchObject([{ status: 'paid', refunded: '2.50' }]);
      const made = items[0].create_time;
      for (const [range, count] of [
        [`start_timestamp=${made}&end_timestamp=${made}`, 1],
        [`start_timestamp=${made + 1}`, 0],
        [`end_timestamp=${made - 1}`, 0],
      ] as const) {
        const listed = await kit.call({ path: `/api/payment/orders?${range}`, as: root });
        const file = await kit.call({ path: `/api/payment/orders/export?${range}`, as: root });
        expect([listed.json.data.total, file.text.trim().split('\n').length]).toEqual([count, 1 + count]);
      }
      await sendEvent(kit, event('evt_r', 'charge.refunded', charge));
      expect(await quotaOf(kit, alice)).toBe(3_750_000);
      expect((await proveLedger({ db: kit.db, clock: kit.clock })).ok).toBe(true);
      await web.close();
    });

    test('what a dispute withdrew takes back nothing until root says what became of it, once', async () => {
      const { kit, alice, web, opened } = await scene();
      await sendEvent(kit, paid(await opened()));
      for (const _again of [1, 2]) await sendEvent(kit, disputeWithdrawn('evt_d', { amount: total, currency: 'usd' }));
      expect([await quotaOf(kit, alice), await verdicts(kit)]).toEqual([5_000_000, ['credited', 'unmatched_refund']]);
      const [entry] = (await kit.deps.topups.unmatched({ p: 1, page_size: 2 })).items;
      expect(entry?.detail).toBe('10.00 usd were withdrawn for a dispute of a payment of 10.00 usd');
      await kit.deps.topups.settleRefund({ id: 1, username: 'root', ip: '' }, entry?.id ?? 0, total);
      await sendEvent(kit, disputeWithdrawn('evt_d', { amount: total, currency: 'usd' }));
      expect([await quotaOf(kit, alice), await verdicts(kit)]).toEqual([0, ['credited', 'refunded']]);
      const [order] = (await kit.deps.topups.orders({ p: 1, page_size: 1 })).items;
      expect(order).toMatchObject({ status: 'refunded', refunded: '10.00' });
      expect((await proveLedger({ db: kit.db, clock: kit.clock })).ok).toBe(true);
      await web.close();
    });

    test('a refund in another currency that is told first waits with its payment; of nothing, nothing is taken', async () => {
      const { kit, alice, web, opened } = await scene();
      const charge = { id: 'ch_1', object: 'charge', payment_intent: 'pi_1', amount_refunded: 900, currency: 'eur' };
      await sendEvent(kit, event('evt_r', 'charge.refunded', charge));
      await sendEvent(kit, paid(await opened()));
      expect(await verdicts(kit)).toEqual(['unmatched_refund', 'credited']);
      const [entry] = (await kit.deps.topups.unmatched({ p: 1, page_size: 1 })).items;
      await kit.deps.topups.settleRefund({ id: 1, username: 'root', ip: '' }, entry?.id ?? 0, 0);
      expect([await quotaOf(kit, alice), await verdicts(kit)]).toEqual([5_000_000, ['refunded', 'credited']]);
      await web.close();
    });

    test('a refund that is told before its payment is taken back with it, and with no other', async () => {
      const { kit, alice, web, opened } = await scene();
      const charge = { id: 'ch_1', object: 'charge', payment_intent: 'pi_1', amount_refunded: 400, currency: 'usd' };
      await sendEvent(kit, event('evt_r', 'charge.refunded', charge));
      const other = session(await opened(), { id: 'cs_2', payment_intent: 'pi_2' });
      await sendEvent(kit, event('evt_2', 'checkout.session.completed', other));
      expect(await quotaOf(kit, alice)).toBe(5_000_000);
      await sendEvent(kit, paid(await opened()));
      expect(await quotaOf(kit, alice)).toBe(8_000_000);
      await web.close();
    });
  });
});
