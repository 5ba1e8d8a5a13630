import { expect, test } from 'vitest';
import type { BalanceAsk, BalanceCall } from './balance.ts';
import { providerOf } from './registry.ts';

const nowMs = Date.UTC(2026, 2, 9, 23, 59);
const base = 'https://own.example/base';

/** Runs a balance call against fixed answers; returns what was asked and what came out. */
function run(type: number, answers: readonly unknown[], isOwnAddress = true): { asked: BalanceAsk[]; balance: number } {
  const call: BalanceCall | undefined = providerOf(type)?.balance;
  if (call === undefined) throw new Error(`type ${type} has no balance call`);
  const program = call({ base, isOwnAddress, nowMs });
  const asked: BalanceAsk[] = [];
  let step = program.next();
  for (let k = 0; step.done !== true; k += 1) {
    asked.push(step.value);
    step = program.next(answers[k]);
  }
  return { asked, balance: step.value };
}

test.each([1, 6, 7, 8, 9, 20])('type %i: the limit less the usage of this month', (type) => {
  const { asked, balance } = run(type, [{ hard_limit_usd: 120, has_payment_method: true }, { total_usage: 2050 }]);
  expect(balance).toBe(99.5);
  expect(asked.map(({ url }) => url)).toEqual([
    `${base}/v1/dashboard/billing/subscription`,
    `${base}/v1/dashboard/billing/usage?start_date=2026-03-01&end_date=2026-03-09`,
  ]);
});

test('without a payment method the usage of the last 100 days counts', () => {
  const { asked } = run(1, [{ hard_limit_usd: 5, has_payment_method: false }, { total_usage: 0 }]);
  expect(asked[1]?.url).toContain('start_date=2025-11-29&end_date=2026-03-09');
});

test.each<[number, unknown, number, string]>([
  [10, { data: { totalPoints: 7.5 } }, 7.5, `${base}/api/report/getUserOverview`],
  [12, { total_remaining: 3 }, 3, `${base}/dashboard/billing/credit_grants`],
  [13, { total_available: '4.25' }, 4.25, `${base}/dashboard/billing/credit_grants`],
  [40, { code: 20000, data: { totalBalance: '12.5' } }, 12.5, `${base}/v1/user/info`],
  [
    43,
    {
      balance_infos: [
        { currency: 'USD', total_balance: '1' },
        { currency: 'CNY', total_balance: '110.00' },
      ],
    },
    110,
    `${base}/user/balance`,
  ],
])('type %i reads its own answer', (type, answer, balance, url) => {
  expect(run(type, [answer])).toMatchObject({ balance, asked: [{ url }] });
});

const infos = (...entries: [currency: string, total_balance: string][]) => ({
  balance_infos: entries.map(([currency, total_balance]) => ({ currency, total_balance })),
});

test.each([
  ['dollars alone', infos(['USD', '8.20']), 8.2],
  ['no yuan any more', infos(['CNY', '0.00'], ['USD', '8.20']), 8.2],
  ['both', infos(['USD', '8.20'], ['CNY', '1.50']), 1.5],
  ['nothing of either', infos(['USD', '0.00'], ['CNY', '-0.10']), -0.1],
])('an account with %s is shown with what it has', (_, answer, balance) => {
  expect(run(43, [answer]).balance).toBe(balance);
});

test('only the vendor’s own channels are asked about at the vendor’s other host', () => {
  expect(run(10, [{ data: { totalPoints: 1 } }], false).asked).toEqual([
    { url: 'https://aiproxy.io/api/report/getUserOverview', keyHeader: 'api-key' },
  ]);
});

test.each<[number, unknown[]]>([
  [1, [{}, {}]],
  [1, [{ hard_limit_usd: 'much' }, { total_usage: 1 }]],
  [1, [null, null]],
  [12, [{ total_remaining: Number.NaN }]],
  [40, [{ code: 40001, message: 'no' }]],
  [43, [{ balance_infos: [] }]],
  [43, [{ balance_infos: [{ currency: 'USD' }] }]],
])('type %i: an answer without a balance is none, not 0', (type, answers) => {
  expect(() => run(type, answers)).toThrow();
});
