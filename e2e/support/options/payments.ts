import type { AgentSelf } from '@tollgate/contract';
import { expect } from 'vitest';
import { signEvent } from '../../../server/test/payment-kit.ts';
import type { Console } from '../console-client.ts';
import { signEpay } from '../stand-ins/epay.ts';
import type { Batch, Json, Row, Scene, Sight } from './scene.ts';
import { newcomer, off, on, once, row, status } from './scene.ts';

const merchantKey = 'merchant-key-1';
const webhookSecret = 'whsec_house';

/** What the wallet gets for a wish to pay. */
async function pay(sight: Sight, amount = 10, method = 'cash', as?: Console) {
  // Nobody may have many orders open.
  const payer = as ?? (await newcomer(sight));
  const { body } = await payer.raw('POST', '/api/user/pay', { amount, payment_method: method });
  return body as unknown as { message: string; data: Record<string, string>; url: string };
}

const order = once((sight) => pay(sight));
const field = (name: string) => async (sight: Sight) => (await order(sight)).data[name];

/** The order as the card service got it. */
async function checkout(sight: Sight, amount = 10): Promise<{ message: unknown; form: URLSearchParams; authorization: string }> {
  const { body } = await (await newcomer(sight)).raw('POST', '/api/user/checkout', { amount });
  const asked = sight.web.received.filter(({ path }) => path === '/v1/checkout/sessions').at(-1);
  const { message } = body as { message: unknown };
  return { message, form: new URLSearchParams(asked?.body), authorization: asked?.headers.authorization ?? '' };
}

const orderByCard = once((sight) => checkout(sight));

async function notify({ gateway }: Sight): Promise<number> {
  const text = JSON.stringify({ id: 'evt_1', object: 'event', type: 'ping', data: { object: { id: 'x', object: 'x' } } });
  const headers = { 'stripe-signature': signEvent(text, Date.now(), webhookSecret) };
  return (await fetch(`${gateway.url}/api/payment/stripe/webhook`, { method: 'POST', body: text, headers })).status;
}

const origin = ({ web }: Scene) => web.origin;
const merchant: readonly Row[] = [
  row('ServerAddress', ({ gateway }) => gateway.url, status('server_address'), expectUrl()),
  row('PayAddress', origin, async (sight) => (await order(sight)).url === `${sight.web.origin}/submit.php`, true),
  row('EpayId', '1001', field('pid'), '1001'),
  row('EpayKey', merchantKey, async (sight) => signed((await order(sight)).data), true),
];

/** The gateway's own address is not known while the table is written. */
function expectUrl(): unknown {
  return expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/);
}

const signed = (data: Record<string, string>): boolean => data.sign === signEpay(data, merchantKey);

/** A guest of the host pays ten dollars. */
async function guestPays(sight: Sight, host: Console): Promise<void> {
  const guest = await newcomer(sight, { aff_code: await host.call<string>('GET', '/api/user/aff') });
  const { data } = await pay(sight, 10, 'cash', guest);
  const paid: Json = {
    ...{ pid: '1001', trade_no: `T${data.out_trade_no}`, out_trade_no: data.out_trade_no, type: data.type, name: data.name },
    ...{ money: data.money, trade_status: 'TRADE_SUCCESS' },
  };
  const fields = Object.fromEntries(Object.entries(paid).map(([name, value]) => [name, String(value)]));
  const query = new URLSearchParams({ ...fields, sign: signEpay(fields, merchantKey), sign_type: 'MD5' });
  const answer = await (await fetch(`${sight.gateway.url}/api/user/epay/notify?${query}`)).text();
  if (answer !== 'success') throw new Error(`the payment was answered with ${answer}`);
}

/** What such a payment brings the host. */
const rebate = once(async (sight) => {
  const host = await newcomer(sight);
  await guestPays(sight, host);
  return host.call<{ quota: number; waiting_quota: number }>('GET', '/api/user/aff/info');
});

/** What it brings a host who is an agent. */
async function agent(sight: Sight): Promise<{ host: Console; self: AgentSelf }> {
  const host = await newcomer(sight);
  await sight.root.call('PUT', `/api/agent/${host.userId}`, { status: 1 });
  await guestPays(sight, host);
  return { host, self: await host.call<AgentSelf>('GET', '/api/agent/self') };
}

const earned = once((sight) => agent(sight));

/** The answers to withdrawals of so many cents each, one after the other. */
async function withdrawals(sight: Sight, ...amounts: number[]): Promise<{ success: boolean; message: string; data?: unknown }[]> {
  const { host } = await agent(sight);
  const answers = [];
  for (const amount of amounts) {
    const wish = { amount, method: 'alipay', payee_name: 'Lin', payee_account: 'lin' };
    answers.push((await host.raw('POST', '/api/agent/self/withdrawals', wish)).body);
  }
  return answers;
}

const cash = row('PayMethods', '[{"name":"Cash","type":"cash"}]', field('type'), 'cash');
const shop = Object.fromEntries([...merchant, cash].map(({ key, to }) => [key, to]));
const address: Batch['given'] = { ServerAddress: ({ gateway }) => gateway.url };

/** Paying online. */
export const paymentBatches: readonly Batch[] = [
  {
    name: 'a payment service',
    rows: [
      ...merchant,
      row('CustomCallbackAddress', 'https://back.example', field('notify_url'), 'https://back.example/api/user/epay/notify'),
      row('Price', '2', field('money'), '10.00'),
      row('TopupGroupRatio', '{"default":0.5}', field('money'), '10.00'),
      row('MinTopUp', '3', async (sight) => (await pay(sight, 2)).message, 'error'),
      cash,
    ],
  },
  {
    name: 'rebates',
    given: shop,
    rows: [
      row('InviteRebatePercent', '10', async (sight) => (await rebate(sight)).quota, 500_000),
      row('InviteRebateHoldDays', '0', async (sight) => (await rebate(sight)).waiting_quota, 0),
    ],
  },
  {
    name: 'rebates with an end',
    given: { ...shop, InviteRebatePercent: '10' },
    rows: [row('InviteRebateDailyCap', '100', async (sight) => (await rebate(sight)).waiting_quota, 100)],
  },
  {
    name: 'agents',
    given: shop,
    rows: [
      on('AgentEnabled', status('agent_enabled'), true),
      row('AgentDefaultRate', '0.5', async (sight) => (await earned(sight)).self.total_earned, 3650),
      row('AgentMatureDays', '0', async (sight) => (await earned(sight)).self.balance, 3650),
      row('AgentMinWithdraw', '50', async (sight) => (await withdrawals(sight, 49))[0]?.message, '提现金额不能小于 0.50'),
      row(
        'AgentFeeRate',
        '0.1',
        async (sight) => (await withdrawals(sight, 55))[0]?.data,
        expect.objectContaining({ fee: 6, net: 49 }),
      ),
      row('AgentMaxPending', '2', async (sight) => (await withdrawals(sight, 50, 50, 50)).map(({ success }) => success), [
        true,
        true,
        false,
      ]),
    ],
  },
  {
    name: 'agents who are appointed',
    given: { AgentEnabled: 'true' },
    rows: [
      off(
        'AgentApplyEnabled',
        async (sight) => {
          const contact = { contact_name: 'Lin', contact_email: 'lin@example.com' };
          return (await (await newcomer(sight)).raw('POST', '/api/agent/apply', contact)).body.message;
        },
        '管理员未开放代理申请',
      ),
    ],
  },
  {
    name: 'a card service',
    given: address,
    rows: [
      row('StripeApiSecret', 'sk_test_house', async (sight) => (await orderByCard(sight)).authorization, 'Bearer sk_test_house'),
      row('StripeWebhookSecret', webhookSecret, notify, 200),
      row(
        'StripeUnitPrice',
        '3',
        async (sight) => (await orderByCard(sight)).form.get('line_items[0][price_data][unit_amount]'),
        '3000',
      ),
      row(
        'StripeCurrency',
        'eur',
        async (sight) => (await orderByCard(sight)).form.get('line_items[0][price_data][currency]'),
        'eur',
      ),
      row('StripeMinTopUp', '4', async (sight) => (await checkout(sight, 3)).message, '充值数量不能小于 4'),
    ],
  },
  {
    name: 'a card service with a price of its own',
    given: { ...address, StripeApiSecret: 'sk_test_house', StripeWebhookSecret: webhookSecret },
    rows: [
      row('StripePriceId', 'price_1', async (sight) => (await orderByCard(sight)).form.get('line_items[0][price]'), 'price_1'),
    ],
  },
];
