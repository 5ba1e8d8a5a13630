import { describe, expect, test } from 'vitest';
import { epayNotice, startEpay } from '../../../e2e/support/stand-ins/epay.ts';
import { type Reply, startWeb } from '../../../e2e/support/stand-ins/web.ts';
import { type ApiKit, createApiKit } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import {
  chargeRefunded,
  merchant,
  order,
  quotaOf,
  sendEvent,
  sessionPaid,
  setUpPayments,
  tell,
  verdicts,
} from '../../test/payment-kit.ts';
import { proveLedger } from '../billing/index.ts';

const brought = 5_000_000;
const minute = 60_000;
const day = 86_400_000;

onEachEngine((_name, open) => {
  const rewritten = async (rewrite: string[], options: Record<string, string> = {}) => {
    const kit = await createApiKit(await open(), { rewrite });
    await setUpPayments(kit, options);
    const alice = await kit.user('alice');
    const boss = await kit.user('boss', 10);
    const orders = async () => (await kit.deps.topups.orders({ p: 1, page_size: 10 })).items;
    const askByHand = async () => {
      const [first] = await orders();
      return (await kit.call({ method: 'POST', path: `/api/payment/orders/${first?.id}/ask`, as: boss })).json;
    };
    /** The same after days, in which sessions end. */
    const askLater = async () => {
      const [first] = await orders();
      return (await kit.deps.topups.ask({ id: boss.id, username: 'boss', ip: '' }, first?.id ?? 0)).outcome;
    };
    /** As the job does it: until nothing is due. */
    const askDue = async () => {
      let total = 0;
      for (let asked = 1; asked > 0; total += asked) ({ asked } = await kit.deps.topups.askDue());
      return total;
    };
    const credit = async () => {
      const row = kit.db.read.selectFrom('wallet').select('available').where('user_id', '=', alice.id);
      return Number((await row.executeTakeFirstOrThrow()).available);
    };
    const proven = async () => (await proveLedger({ db: kit.db, clock: kit.clock })).ok;
    return { kit, alice, orders, askByHand, askLater, askDue, proven, credit, quota: () => quotaOf(kit, alice) };
  };

  describe('a form gateway', () => {
    const scene = async (options: Record<string, string> = {}) => {
      const epay = await startEpay(merchant.id, merchant.key);
      const base = await rewritten([`pay.example.test=${epay.origin}`], options);
      const submitted = async () => {
        const form = await order(base.kit, base.alice);
        await fetch(`${epay.origin}/submit.php`, { method: 'POST', body: new URLSearchParams(form) });
        return form;
      };
      const questions = () => epay.received.filter(({ path }) => path === '/api.php').length;
      return { ...base, epay, submitted, questions };
    };

    test('is asked about an order whose notification was lost; told later, the credit stays one', async () => {
      const { kit, epay, submitted, askDue, questions, quota, orders, proven } = await scene();
      const form = await submitted();
      epay.pay(form);
      kit.clock.advanceMs(5 * minute - 1_000);
      expect([await askDue(), questions()]).toEqual([0, 0]);
      kit.clock.advanceMs(1_000);
      expect([await askDue(), await quota()]).toEqual([1, brought]);
      const [asked] = epay.received.filter(({ path }) => path === '/api.php');
      expect(Object.fromEntries(asked?.query ?? [])).toEqual({
        ...{ act: 'order', pid: merchant.id, key: merchant.key, out_trade_no: form.out_trade_no },
      });
      expect((await tell(kit, epayNotice(form, merchant.key))).text).toBe('success');
      kit.clock.advanceMs(3 * day);
      expect([await askDue(), questions(), await quota()]).toEqual([0, 1, brought]);
      expect(await verdicts(kit)).toEqual(['credited', 'repeat']);
      expect(await orders()).toMatchObject([{ status: 'paid' }]);
      expect(await proven()).toBe(true);
      await epay.close();
    });

    test('is asked three times about what nobody pays, the last time after it expired, and nothing is kept of that', async () => {
      const { kit, epay, submitted, askDue, questions, credit, askLater, orders } = await scene();
      const form = await submitted();
      const hours: number[] = [];
      for (let quarter = 1; quarter <= 4 * 72; quarter += 1) {
        kit.clock.advanceMs(15 * minute);
        if (quarter === 96) await kit.deps.topups.upkeep();
        if ((await askDue()) > 0) hours.push(quarter / 4);
      }
      expect([hours, questions(), await verdicts(kit)]).toEqual([[0.25, 0.5, 24.25], 3, []]);
      expect([await askLater(), (await orders())[0]?.status]).toEqual(['unpaid', 'expired']);
      epay.pay(form);
      expect([await askLater(), await askLater(), (await orders())[0]?.status]).toEqual([
        'credited_late',
        'credited_late',
        'paid_late',
      ]);
      expect(await credit()).toBe(brought);
      await epay.close();
    });

    test('notifications and questions at the same moment credit once', async () => {
      const { kit, epay, submitted, quota, askByHand, proven } = await scene();
      for (let round = 1; round <= 5; round += 1) {
        const form = await submitted();
        epay.pay(form);
        kit.clock.advanceMs(31 * minute);
        const told = () => tell(kit, epayNotice(form, merchant.key));
        const asked = () => kit.deps.topups.askDue();
        await Promise.all([told(), asked(), askByHand(), told(), asked(), askByHand()]);
        expect(await quota()).toBe(round * brought);
      }
      expect(new Set(await verdicts(kit))).toEqual(new Set(['credited', 'repeat']));
      expect(await proven()).toBe(true);
      await epay.close();
    });

    test('of two nodes one asks about each order', async () => {
      const { kit, submitted, questions, epay } = await scene();
      for (let made = 0; made < 4; made += 1) await submitted();
      kit.clock.advanceMs(10 * minute);
      const both = await Promise.all([kit.deps.topups.askDue(), kit.deps.topups.askDue()]);
      expect([both.reduce((sum, { asked }) => sum + asked, 0), questions()]).toEqual([4, 4]);
      await epay.close();
    });

    test('without TLS nothing is asked: the answer would prove nothing, and the key would be seen', async () => {
      const { kit, submitted, questions, askByHand, askDue, epay } = await scene({ PayAddress: 'http://pay.example.test' });
      epay.pay(await submitted());
      kit.clock.advanceMs(10 * minute);
      await askDue();
      expect(await askByHand()).toMatchObject({ success: false, message: expect.stringContaining('https') });
      expect([questions(), await verdicts(kit)]).toEqual([0, []]);
      await epay.close();
    });
  });

  describe('what a form gateway answers', () => {
    const answering = async (reply: (tradeNo: string) => Reply) => {
      let tradeNo = '';
      const web = await startWeb(() => reply(tradeNo));
      const base = await rewritten([`pay.example.test=${web.origin}`]);
      tradeNo = (await order(base.kit, base.alice)).out_trade_no ?? '';
      return { ...base, web };
    };
    const said = (tradeNo: string, change: object = {}) => ({
      body: { code: 1, pid: 1001, trade_no: 'T1', out_trade_no: tradeNo, type: 'alipay', money: '73.00', status: 1, ...change },
    });

    test.each<[string, (tradeNo: string) => Reply]>([
      ['an order of another number', () => said('USR1NOanother1')],
      ['another merchant', (tradeNo) => said(tradeNo, { pid: 1002 })],
      ['no number of the payment', (tradeNo) => said(tradeNo, { trade_no: null })],
      ['money that is none', (tradeNo) => said(tradeNo, { money: '73,00' })],
      ['an unknown order', () => ({ body: { code: -1, msg: 'no' } })],
      ['a page instead of an answer', () => ({ body: '<p>hello</p>' })],
      ['a refusal', () => ({ status: 403, body: {} })],
      ['that it is elsewhere', () => ({ status: 302, headers: { location: 'https://pay.example.test/x' } })],
    ])('%s is not believed', async (_title, reply) => {
      const { web, askByHand, askDue, kit, quota } = await answering(reply);
      expect(await askByHand()).toMatchObject({ success: false, message: expect.stringContaining('查不到这个订单') });
      kit.clock.advanceMs(10 * minute);
      expect([await askDue(), await quota(), await verdicts(kit)]).toEqual([1, 0, []]);
      await web.close();
    });

    test('another sum is real money: it waits for somebody, judged again as the answer that it is', async () => {
      const { web, askByHand, askDue, kit, quota } = await answering((tradeNo) => said(tradeNo, { money: '7.30' }));
      expect(await askByHand()).toMatchObject({ data: { outcome: 'unmatched_money', order: { status: 'pending' } } });
      kit.clock.advanceMs(10 * minute);
      expect([await askDue(), await askDue(), await verdicts(kit)]).toEqual([1, 0, ['unmatched_money']]);
      const actor = { id: 1, username: 'root', ip: '' };
      const [entry] = (await kit.deps.topups.unmatched({ p: 1, page_size: 1 })).items;
      expect(await kit.deps.topups.replay(actor, entry?.id ?? 0)).toMatchObject({ verdict: 'unmatched_money', money: '7.30' });
      expect(await quota()).toBe(0);
      await web.close();
    });

    test.each<[string, Reply]>([
      ['an outage', { status: 502, body: 'bad gateway' }],
      ['a cut', { hangUp: true }],
    ])('%s is asked again for some time, and not for ever', async (_title, reply) => {
      let answer = reply;
      const { web, askByHand, askLater, askDue, kit, credit } = await answering((tradeNo) =>
        answer === reply ? reply : said(tradeNo),
      );
      expect(await askByHand()).toMatchObject({ success: false, message: expect.stringContaining('没有应答') });
      const before = web.received.length;
      for (let hour = 0; hour < 24 * 7; hour += 1) {
        kit.clock.advanceMs(60 * minute);
        await askDue();
      }
      expect(web.received.length - before).toBeGreaterThan(6);
      expect(web.received.length - before).toBeLessThan(12);
      answer = {};
      expect([await askLater(), await credit()]).toEqual(['credited_late', brought]);
      await web.close();
    });
  });

  describe('the hosted page', () => {
    const scene = async () => {
      const page: Record<string, unknown> = { status: 'open', payment_status: 'unpaid', payment_intent: null };
      let known: Record<string, unknown> = {};
      const web = await startWeb(({ method, path, body }) => {
        if (method === 'POST') {
          const { client_reference_id } = Object.fromEntries(new URLSearchParams(body));
          known = { id: 'cs_1', object: 'checkout.session', client_reference_id, amount_total: 1_000, currency: 'usd' };
          return { body: { ...known, url: 'https://checkout.example.test/cs_1' } };
        }
        if (path === '/v1/checkout/sessions/cs_1') return { body: { ...known, ...page } };
        return { status: 404, body: { error: { type: 'invalid_request_error', code: 'resource_missing', message: 'no' } } };
      });
      const base = await rewritten([`api.stripe.com=${web.origin}`]);
      const opened = async () => {
        const answer = await base.kit.call({ method: 'POST', path: '/api/user/checkout', body: { amount: 10 }, as: base.alice });
        return String(answer.json.data.trade_no);
      };
      const paid = (refunded = 0) => {
        const charge = { id: 'ch_1', object: 'charge', amount_refunded: refunded, currency: 'usd' };
        const intent = { id: 'pi_1', object: 'payment_intent', latest_charge: charge };
        Object.assign(page, { status: 'complete', payment_status: 'paid', payment_intent: intent });
      };
      return { ...base, web, page, opened, paid };
    };

    const completed = (tradeNo: string) =>
      sessionPaid('evt_1', { client_reference_id: tradeNo, amount_total: 1_000, currency: 'usd' });
    const pastRefund = (kit: ApiKit, cents: number) =>
      sendEvent(kit, chargeRefunded('evt_r', { amount_refunded: cents, currency: 'usd' }));

    test('is asked by its own number, with its payment and what was given back; told later, nothing more happens', async () => {
      const { kit, web, opened, paid, askDue, quota, proven } = await scene();
      const tradeNo = await opened();
      paid();
      kit.clock.advanceMs(5 * minute);
      expect([await askDue(), await quota()]).toEqual([1, brought]);
      const asked = web.received.at(-1);
      expect(asked).toMatchObject({ method: 'GET', path: '/v1/checkout/sessions/cs_1' });
      expect(asked?.query.get('expand[0]')).toBe('payment_intent.latest_charge');
      expect(asked?.headers.authorization).toBe('Bearer sk_test_of_the_merchant');
      await sendEvent(kit, completed(tradeNo));
      expect([await quota(), await verdicts(kit), await proven()]).toEqual([brought, ['credited', 'repeat'], true]);
      await web.close();
    });

    test('events and questions at the same moment credit once and take back once', async () => {
      const { kit, web, opened, paid, askByHand, quota, orders, proven } = await scene();
      const tradeNo = await opened();
      paid(400);
      kit.clock.advanceMs(5 * minute);
      const event = () => sendEvent(kit, completed(tradeNo));
      const asked = () => kit.deps.topups.askDue();
      await Promise.all([event(), asked(), pastRefund(kit, 400), askByHand(), event(), askByHand()]);
      expect([await quota(), await proven()]).toEqual([(brought * 6) / 10, true]);
      paid(1_000);
      await Promise.all([askByHand(), pastRefund(kit, 1_000), askByHand()]);
      expect([await quota(), (await orders())[0]?.status, await proven()]).toEqual([0, 'refunded', true]);
      await web.close();
    });

    test('of another sum that is credited by hand goes back what the answer says was given back', async () => {
      const { kit, alice, web, page, opened, paid, askByHand, quota, proven } = await scene();
      await opened();
      paid(300);
      page.amount_total = 900;
      expect(await askByHand()).toMatchObject({ data: { outcome: 'unmatched_money' } });
      const actor = { id: 1, username: 'root', ip: '' };
      const [entry] = (await kit.deps.topups.unmatched({ p: 1, page_size: 1 })).items;
      const given = { user_id: alice.id, quota: 4_500_000 };
      expect(await kit.deps.topups.credit(actor, entry?.id ?? 0, given)).toMatchObject({ verdict: 'credited_by_hand' });
      expect([await quota(), await proven()]).toEqual([3_000_000, true]);
      await pastRefund(kit, 300);
      expect([await quota(), await proven()]).toEqual([3_000_000, true]);
      await web.close();
    });

    test('a page that expired closes its order; one that still waits for its money does not', async () => {
      const { kit, web, page, opened, askByHand, askDue, orders, quota } = await scene();
      await opened();
      Object.assign(page, { status: 'complete', payment_status: 'unpaid', payment_intent: 'pi_1' });
      expect(await askByHand()).toMatchObject({ data: { outcome: 'unpaid', order: { status: 'pending' } } });
      Object.assign(page, { status: 'expired', payment_intent: null });
      expect(await askByHand()).toMatchObject({ data: { outcome: 'closed', order: { status: 'expired' } } });
      kit.clock.advanceMs(3 * day);
      expect([await askDue(), (await orders())[0]?.status, await quota()]).toEqual([0, 'expired', 0]);
      await web.close();
    });

    test('an order from before pages were numbered is looked up by a person, and that is said', async () => {
      const { kit, web, opened, askByHand } = await scene();
      await opened();
      const old = { page_ref: '', ask_at: 0 };
      await kit.db.transaction((tx) => tx.query.updateTable('topup_order').set(old).execute());
      expect(await askByHand()).toMatchObject({ success: false, message: expect.stringContaining('没有支付页编号') });
      await web.close();
    });
  });
});
