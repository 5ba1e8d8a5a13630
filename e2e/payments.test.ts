import type { PageOf, TopupOrder } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { signEvent, webhookSecret } from '../server/test/payment-kit.ts';
import { type Console, signIn } from './support/console-client.ts';
import { gatewayOn, onEachEngine } from './support/engine.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { type EpayForm, type Lie, startEpay } from './support/stand-ins/epay.ts';
import { startWeb } from './support/stand-ins/web.ts';

const merchant = { id: '1001', key: 'key-of-the-merchant' };
const dollar = 500_000;

async function setUp(gateway: Gateway, payAddress: string): Promise<Console> {
  const root = await gateway.root();
  const options = {
    PayAddress: payAddress,
    EpayId: merchant.id,
    EpayKey: merchant.key,
    StripeApiSecret: 'sk_test_merchant',
    StripeWebhookSecret: webhookSecret,
    ServerAddress: gateway.url,
  };
  for (const [key, value] of Object.entries(options)) await root.setOption(key, value);
  await root.raw('POST', '/api/user/register', { username: 'payer', password: 'payer-password' });
  return root;
}

/** What the browser does: asks for the form and posts it to the gateway's page. */
async function openOrder(payer: Console, amount: number): Promise<EpayForm> {
  const { body } = await payer.raw('POST', '/api/user/pay', { amount, payment_method: 'alipay' });
  const { message, data, url } = body as typeof body & { data: EpayForm; url: string };
  expect(message).toBe('success');
  const page = await fetch(url, { method: 'POST', body: new URLSearchParams(data) });
  expect(page.status).toBe(200);
  return data;
}

/** The same order, told to where the server is now. */
const movedTo = (gateway: Gateway, form: EpayForm): EpayForm => ({
  ...form,
  notify_url: `${gateway.url}/api/user/epay/notify`,
});

onEachEngine((_engine, _open, kit) => {
  test('a gateway that lies, repeats, reorders and comes late: each order is credited exactly once', async () => {
    const epay = await startEpay(merchant.id, merchant.key);
    const gateway = await gatewayOn(kit);
    const root = await setUp(gateway, epay.origin);
    const payer = await signIn(gateway.url, 'payer', 'payer-password');
    const quota = async () => (await payer.self()).quota;
    const forms = [await openOrder(payer, 1), await openOrder(payer, 2), await openOrder(payer, 3)];
    const [first = {}, second = {}, third = {}] = forms;
    expect(epay.opened).toHaveLength(3);

    const lies: Lie[] = [
      { key: 'guessed' },
      { key: '' },
      { fields: { pid: '9' } },
      { fields: { money: '0.01' } },
      { fields: { type: 'wxpay' } },
      { after: { money: '0.01' } },
      { without: ['sign'] },
      { tail: '&money=7.30' },
      { fields: { out_trade_no: 'USR1NOnobody1' } },
    ];
    for (const lie of lies) expect((await epay.notify(first, lie)).text).toBe('fail');
    expect(await quota()).toBe(0);

    expect((await epay.notify(third, { reversed: true })).text).toBe('success');
    expect(await quota()).toBe(3 * dollar);
    const told = await Promise.all(
      Array.from({ length: 20 }, (_, index) => epay.notify(first, index % 2 === 0 ? {} : { method: 'POST' })),
    );
    expect(new Set(told.map(({ text }) => text))).toEqual(new Set(['success']));
    expect(await quota()).toBe(4 * dollar);
    expect((await epay.notify(second, { method: 'POST', reversed: true })).text).toBe('success');
    expect((await epay.notify(third)).text).toBe('success');
    expect(await quota()).toBe(6 * dollar);

    const unmatched = await root.call<PageOf<{ verdict: string }>>('GET', '/api/payment/unmatched');
    expect(unmatched.items.map(({ verdict }) => verdict).sort()).toEqual([
      'unmatched_method',
      'unmatched_money',
      'unmatched_order',
    ]);
    const proof = await root.call('GET', '/api/ledger/proof');
    await gateway.stop();
    await epay.close();
    expect(proof).toMatchObject({ ok: true });
  });

  test('killed right after it said success, the credit is there; told again after the restart, it stays one', async () => {
    const epay = await startEpay(merchant.id, merchant.key);
    const gateway = await gatewayOn(kit);
    await setUp(gateway, epay.origin);
    const form = await openOrder(await signIn(gateway.url, 'payer', 'payer-password'), 5);
    const telling = Array.from({ length: 5 }, () => epay.notify(form).catch(() => ({ status: 0, text: 'gone' })));
    const heard = await Promise.race(telling);
    await gateway.kill();
    const answers = await Promise.all(telling);
    expect(heard.text).toBe('success');
    expect(answers.every(({ text }) => text === 'success' || text === 'gone')).toBe(true);

    const again = await startGateway(gateway.env);
    const payer = await signIn(again.url, 'payer', 'payer-password');
    expect((await payer.self()).quota).toBe(5 * dollar);
    expect((await epay.notify(movedTo(again, form))).text).toBe('success');
    expect((await payer.self()).quota).toBe(5 * dollar);
    const proof = await (await again.root()).call('GET', '/api/ledger/proof');
    await again.stop();
    await epay.close();
    expect(proof).toMatchObject({ ok: true });
  });

  test('the hosted page is opened over the guarded client and its signed events are booked once', async () => {
    const body = { id: 'cs_1', object: 'checkout.session', url: 'https://checkout.example.test/cs_1', amount_total: 400 };
    const service = await startWeb(() => ({ body }));
    const gateway = await gatewayOn(kit, { EGRESS_REWRITE: `api.stripe.com=${service.origin}` });
    const root = await setUp(gateway, 'https://pay.example.test');
    const payer = await signIn(gateway.url, 'payer', 'payer-password');
    const { trade_no: tradeNo } = await payer.call<{ trade_no: string }>('POST', '/api/user/checkout', { amount: 4 });
    const object = {
      ...{ id: 'cs_1', object: 'checkout.session', client_reference_id: tradeNo, amount_total: 400, currency: 'usd' },
      ...{ payment_status: 'paid', payment_intent: 'pi_1' },
    };
    const text = JSON.stringify({ id: 'evt_1', object: 'event', type: 'checkout.session.completed', data: { object } });
    const send = (secret?: string) =>
      fetch(`${gateway.url}/api/payment/stripe/webhook`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'stripe-signature': signEvent(text, Date.now(), secret) },
        body: text,
      });
    expect((await send('whsec_forged')).status).toBe(400);
    const answers = await Promise.all(Array.from({ length: 20 }, () => send()));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await payer.self()).quota).toBe(4 * dollar);
    const records = await payer.call<PageOf<TopupOrder>>('GET', '/api/user/topup/records');
    expect(records.items).toMatchObject([{ status: 'paid', provider: 'stripe', money: '4.00', currency: 'usd' }]);
    const proof = await root.call('GET', '/api/ledger/proof');
    await gateway.stop();
    await service.close();
    expect(proof).toMatchObject({ ok: true });
  });
});
