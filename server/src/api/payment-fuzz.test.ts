import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ApiKit, createApiKit, type KitUser } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { type Form, md5Sign, merchant, notice, order, quotaOf, setUpPayments, signEvent, tell } from '../../test/payment-kit.ts';

onEachEngine((_name, open) => {
  let kit: ApiKit;
  let alice: KitUser;
  let form: Form;
  beforeAll(async () => {
    kit = await createApiKit(await open());
    await setUpPayments(kit);
    alice = await kit.user('alice');
    form = await order(kit, alice);
  });

  describe('whatever arrives where payments are told, nobody is credited for less than the order and nothing fails inside', () => {
    const value = fc.oneof(
      fc.string({ maxLength: 30, unit: 'binary' }),
      fc.constantFrom('', '\u0000', '73.00', '-73.00', 'NaN', '1e2'),
    );
    const name = fc.constantFrom('pid', 'trade_no', 'type', 'money', 'trade_status', 'sign', 'sign_type', 'name', 'param', 'x');

    test('parameters changed after signing', async () => {
      const change = fc.dictionary(name, value, { minKeys: 1, maxKeys: 3 });
      await fc.assert(
        fc.asyncProperty(change, async (changed) => {
          const sent: Form = { ...notice(form, { trade_status: 'TRADE_CLOSED' }), ...changed };
          const answer = await tell(kit, sent);
          expect(['success', 'fail']).toContain(answer.text);
          expect(answer.status).toBe(200);
        }),
        { numRuns: 150 },
      );
    });

    test('parameters that the merchant’s own key signed, with any money', async () => {
      await fc.assert(
        fc.asyncProperty(value, fc.constantFrom('alipay', 'wxpay'), value, async (money, type, reference) => {
          const fields = { ...notice(form), money: money === '73.00' ? '7.30' : money, type, trade_no: reference || 'g' };
          const answer = await tell(kit, { ...fields, sign: md5Sign(fields, merchant.key) });
          expect([answer.status, answer.text]).toEqual([200, 'fail']);
        }),
        { numRuns: 150 },
      );
    });

    test('events that the service’s own secret signed', async () => {
      const path = '/api/payment/stripe/webhook';
      const object = fc.record(
        {
          client_reference_id: fc.oneof(value, fc.constant(null), fc.integer()),
          amount_total: fc.oneof(fc.integer(), fc.constant(null), value),
          currency: fc.oneof(value, fc.constant('usd')),
          payment_status: fc.constantFrom('paid', 'unpaid', 1, null),
          payment_intent: fc.oneof(value, fc.constant(null), fc.constant({}), fc.integer()),
          amount_refunded: fc.oneof(fc.integer(), value),
        },
        { requiredKeys: [] },
      );
      const type = fc.constantFrom('checkout.session.completed', 'checkout.session.expired', 'charge.refunded', 'x', 5);
      await fc.assert(
        fc.asyncProperty(type, fc.oneof(object, fc.jsonValue()), async (kind, data) => {
          const text = JSON.stringify({ id: `evt_${Math.random()}`, object: 'event', type: kind, data: { object: data } });
          const headers = { 'Stripe-Signature': signEvent(text, kit.clock.nowMs()) };
          const answer = await kit.call({ method: 'POST', path, text, headers });
          expect([200, 400], text).toContain(answer.status);
        }),
        { numRuns: 200 },
      );
    });

    test('nothing was credited and nothing failed inside', async () => {
      expect([await quotaOf(kit, alice), kit.logged]).toEqual([0, []]);
    });
  });
});
