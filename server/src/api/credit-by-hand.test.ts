import { describe, expect, test } from 'vitest';
import { type ApiKit, createApiKit, type KitUser, kitPassword, signIn } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import {
  chargeRefunded,
  disputeWithdrawn,
  hostedOrder,
  notice,
  order,
  quotaOf,
  sendEvent,
  sessionPaid,
  setUpPayments,
  tell,
  verdicts,
} from '../../test/payment-kit.ts';
import { proveLedger, transfer } from '../billing/index.ts';
import { createCrypto } from '../platform/crypto.ts';

const given = 4_000_000;
const actor = { id: 1, username: 'root', ip: '' };

onEachEngine((_name, open) => {
  const scene = async (options: Record<string, string> = {}) => {
    const kit = await createApiKit(await open());
    await setUpPayments(kit, options);
    return { kit, alice: await kit.user('alice') };
  };
  const newest = async (kit: ApiKit) => {
    const [entry] = (await kit.deps.topups.inbox({ p: 1, page_size: 1, verdict: '', provider: '' })).items;
    return entry;
  };
  /** Gives the one payment that waits to a user. */
  const give = async (kit: ApiKit, to: KitUser) => {
    const [entry] = (await kit.deps.topups.unmatched({ p: 1, page_size: 10 })).items;
    return kit.deps.topups.credit(actor, entry?.id ?? 0, { user_id: to.id, quota: given });
  };
  const proven = async ({ db, clock }: ApiKit) =>
    expect((await proveLedger({ db, clock })).checks.filter(({ ok }) => !ok)).toEqual([]);
  const paid = (tradeNo: string, fields: object = {}) =>
    sessionPaid('evt_1', { client_reference_id: tradeNo, amount_total: 1_500, currency: 'jpy', ...fields });
  const refunded = (id: string, cents: number) => chargeRefunded(id, { amount_refunded: cents, currency: 'jpy' });

  /** A customer of alice's, who is an agent. */
  const customerOf = async (kit: ApiKit, alice: KitUser) => {
    const boss = await kit.root();
    await kit.call({ method: 'PUT', path: `/api/agent/${alice.id}`, as: boss, body: { status: 1 } });
    const code = (await kit.call({ path: '/api/user/aff', as: alice })).json.data;
    const body = { username: 'bobby', password: kitPassword, aff_code: code };
    await kit.call({ method: 'POST', path: '/api/user/register', body });
    return signIn(kit.call, 'bobby', kitPassword);
  };

  describe('a payment that was credited by hand', () => {
    test('brings an agent a share of what its quota costs that customer, where it was paid in another currency', async () => {
      const ratios = { TopupGroupRatio: '{"default":0.5}' };
      const { kit, alice } = await scene({ AgentEnabled: 'true', AgentDefaultRate: '0.1', ...ratios });
      const bob = await customerOf(kit, alice);
      await sendEvent(kit, paid(await hostedOrder(kit, bob)));
      await give(kit, bob);
      const [dividend] = await kit.db.read.selectFrom('agent_dividend').select(['topup_money', 'amount']).execute();
      expect(dividend).toEqual({ topup_money: 2_920, amount: 292 });
      await proven(kit);
    });

    test('is taken back by its refunds, as its share of what was paid, with what it brought to others', async () => {
      const { kit, alice } = await scene({ AgentEnabled: 'true', AgentDefaultRate: '0.1', InviteRebatePercent: '10' });
      await setUpPayments(kit, { InviteRebateHoldDays: '7' });
      const bob = await customerOf(kit, alice);
      const before = await quotaOf(kit, bob);
      const taken = async () => before + given - (await quotaOf(kit, bob));
      const dividend = () => kit.db.read.selectFrom('agent_dividend').select(['amount', 'reversed']).execute();
      const rebate = () => kit.db.read.selectFrom('invite_reward').select('state').where('kind', '=', 'rebate').execute();
      const orders = async () => (await kit.call({ path: '/api/user/topup/records', as: bob })).json.data.items;

      const tradeNo = await hostedOrder(kit, bob);
      await sendEvent(kit, paid(tradeNo));
      expect(await newest(kit)).toMatchObject({ verdict: 'unmatched_money', detail: '15.00 jpy instead of 73.00 cny' });
      await give(kit, bob);
      expect(await orders()).toMatchObject([{ status: 'paid_late', money: '15.00', currency: 'jpy', quota: 5_000_000 }]);
      expect([await taken(), await rebate()]).toEqual([0, [{ state: 'waiting' }]]);
      expect(await dividend()).toEqual([{ amount: 584, reversed: 0 }]);
      await proven(kit);

      await sendEvent(kit, refunded('evt_r1', 500));
      expect(await newest(kit)).toMatchObject({ verdict: 'refunded', detail: '' });
      expect(await taken()).toBe(1_333_333);
      expect(await dividend()).toEqual([{ amount: 584, reversed: 195 }]);
      await proven(kit);
      await sendEvent(kit, refunded('evt_rest', 1_499));
      expect([await orders(), await rebate()]).toMatchObject([
        [{ status: 'paid_late', refunded: '14.99' }],
        [{ state: 'waiting' }],
      ]);
      // More than was paid is all of it.
      await sendEvent(kit, refunded('evt_r2', 1_600));
      expect([await taken(), await rebate()]).toEqual([given, [{ state: 'void' }]]);
      expect(await dividend()).toEqual([{ amount: 584, reversed: 584 }]);
      expect(await orders()).toMatchObject([{ status: 'refunded' }]);
      await sendEvent(kit, refunded('evt_r3', 1_500));
      expect(await taken()).toBe(given);
      await proven(kit);
    });

    test('counts, for an agent, as paid by whom it was given to, whosever order it was', async () => {
      const { kit, alice } = await scene({ AgentEnabled: 'true', AgentDefaultRate: '0.1' });
      const [bob, carol] = [await customerOf(kit, alice), await kit.user('carol')];
      const sums = async () => {
        const agent = (await kit.call({ path: '/api/agent/self', as: alice })).json.data;
        const [customer] = (await kit.call({ path: '/api/agent/self/customers', as: alice })).json.data.items;
        return [agent.topup_total, customer.topup_money, customer.dividend];
      };
      await tell(kit, notice(await order(kit, bob), { money: '50.00' }));
      await give(kit, carol);
      expect(await sums()).toEqual([0, 0, 0]);
      await tell(kit, notice(await order(kit, carol), { money: '20.00' }));
      await give(kit, bob);
      expect(await sums()).toEqual([2_000, 2_000, 200]);
      await proven(kit);
    });

    test('is taken back at once as far as it was refunded before', async () => {
      const { kit, alice } = await scene();
      await sendEvent(kit, paid(await hostedOrder(kit, alice)));
      await sendEvent(kit, refunded('evt_r1', 300));
      await sendEvent(kit, refunded('evt_r2', 750));
      expect(await verdicts(kit)).toEqual(['unmatched_money', 'noted', 'noted']);
      expect(await give(kit, alice)).toMatchObject({ verdict: 'credited_by_hand' });
      expect([await quotaOf(kit, alice), await verdicts(kit)]).toEqual([given / 2, ['credited_by_hand', 'refunded', 'refunded']]);
      await sendEvent(kit, refunded('evt_r2', 750));
      expect(await quotaOf(kit, alice)).toBe(given / 2);
      await proven(kit);
    });

    test('is left alone by a dispute of before, which waits for a person from then on', async () => {
      const { kit, alice } = await scene();
      await sendEvent(kit, paid(await hostedOrder(kit, alice)));
      await sendEvent(kit, disputeWithdrawn('evt_d', { amount: 1_500, currency: 'jpy' }));
      expect(await verdicts(kit)).toEqual(['unmatched_money', 'noted']);
      await give(kit, alice);
      expect([await quotaOf(kit, alice), await verdicts(kit)]).toEqual([given, ['credited_by_hand', 'unmatched_refund']]);
      await proven(kit);
    });

    test('is taken back by nobody below whom it was given to, whosever order it was', async () => {
      const { kit, alice } = await scene();
      await sendEvent(kit, paid(await hostedOrder(kit, alice)));
      const boss = await kit.root();
      const before = await quotaOf(kit, boss);
      await give(kit, boss);
      const [mine] = (await kit.deps.topups.orders({ p: 1, page_size: 1 })).items;
      const reverse = (role: number) => kit.deps.topups.reverse({ orderId: mine?.id ?? 0, actor, role, reason: '' });
      await expect(reverse(10)).rejects.toMatchObject({ code: 'user_level_write' });
      expect(await quotaOf(kit, boss)).toBe(before + given);
      expect(await reverse(100)).toMatchObject({ status: 'refunded', taken: given, missing: 0 });
      expect(await quotaOf(kit, boss)).toBe(before);
      await tell(kit, notice(await order(kit, alice)));
      const [hers] = (await kit.deps.topups.orders({ p: 1, page_size: 1, status: 'paid' })).items;
      const byAdmin = { orderId: hers?.id ?? 0, actor, role: 10, reason: '' };
      expect(await kit.deps.topups.reverse(byAdmin)).toMatchObject({ status: 'refunded' });
    });

    test('is found by its refund also when it names no order, or one of another service', async () => {
      const { kit, alice } = await scene();
      const form = await order(kit, alice);
      for (const [pick, tradeNo] of [String(form.out_trade_no), 'shop-7'].entries()) {
        const before = await quotaOf(kit, alice);
        const payment_intent = `pi_${pick}`;
        await sendEvent(kit, { ...paid(tradeNo, { payment_intent }), id: `evt_p${pick}` });
        await give(kit, alice);
        const refund = (id: string, amount_refunded: number) =>
          sendEvent(kit, chargeRefunded(`${id}${pick}`, { payment_intent, amount_refunded, currency: 'jpy' }));
        await refund('evt_a', 750);
        expect(await quotaOf(kit, alice)).toBe(before + given / 2);
        for (const id of ['evt_b', 'evt_c']) await refund(id, 1_500);
        expect(await quotaOf(kit, alice)).toBe(before);
        await proven(kit);
      }
      // The order is another payment: what is taken back of it is its own.
      await tell(kit, notice(form));
      expect(await quotaOf(kit, alice)).toBe(5_000_000);
      const [mine] = (await kit.deps.topups.orders({ p: 1, page_size: 1 })).items;
      const spent = { from: `user:${alice.id}`, to: 'adjust', amount: 1_000_000, kind: 'adjust', ref: 'spent' } as const;
      await kit.db.transaction((tx) => tx.perform(transfer({ ...spent, userId: alice.id, actorId: 1, now: 1, note: '' })));
      const back = await kit.deps.topups.reverse({ orderId: mine?.id ?? 0, actor, role: 100, reason: '' });
      expect(back).toMatchObject({ status: 'refunded', taken: 4_000_000, missing: 1_000_000 });
      expect(await quotaOf(kit, alice)).toBe(0);
      await proven(kit);
    });

    test('is a repeat when it is told again in other words; another payment of that order waits for a person', async () => {
      const { kit, alice } = await scene();
      const tradeNo = await hostedOrder(kit, alice);
      await sendEvent(kit, paid(tradeNo));
      await give(kit, alice);
      await sendEvent(kit, { ...paid(tradeNo), id: 'evt_2', type: 'checkout.session.async_payment_succeeded' });
      await sendEvent(kit, { ...paid(tradeNo, { payment_intent: 'pi_2', amount_total: 7_300, currency: 'cny' }), id: 'evt_3' });
      expect(await verdicts(kit)).toEqual(['credited_by_hand', 'repeat', 'unmatched_money']);
      await sendEvent(kit, chargeRefunded('evt_r', { payment_intent: 'pi_2', amount_refunded: 3_650, currency: 'cny' }));
      expect([await quotaOf(kit, alice), (await verdicts(kit)).at(-1)]).toEqual([given, 'noted']);
      await give(kit, alice);
      expect(await quotaOf(kit, alice)).toBe(given * 1.5);
      expect(await verdicts(kit)).toEqual(['credited_by_hand', 'repeat', 'credited_by_hand', 'refunded']);
      await proven(kit);
    });

    test('may be a second one of an order that was paid: it waits for a person, and what is taken back of it is its own', async () => {
      const { kit, alice } = await scene();
      const bob = await kit.user('bobby');
      const form = await order(kit, alice);
      const [first, second] = [notice(form), notice(form, { trade_no: 'G2' })];
      expect((await tell(kit, first)).text).toBe('success');
      for (let k = 0; k < 2; k += 1) expect((await tell(kit, second)).text).toBe('fail');
      const [entry] = (await kit.deps.topups.unmatched({ p: 1, page_size: 10 })).items;
      expect(entry).toMatchObject({
        verdict: 'unmatched_order',
        detail: `the order was paid before by ${first.trade_no}`,
        money: '73.00',
      });
      await give(kit, bob);
      await expect(kit.deps.topups.credit(actor, entry?.id ?? 0, { user_id: bob.id, quota: 1 })).rejects.toMatchObject({
        code: 'payment_not_open',
      });
      for (const told of [first, second, notice(form, { trade_no: 'G2', name: 'again' })]) await tell(kit, told);
      expect([await quotaOf(kit, alice), await quotaOf(kit, bob)]).toEqual([5_000_000, given]);
      expect(await verdicts(kit)).toEqual(['credited', 'credited_by_hand', 'repeat']);
      await proven(kit);
      const [mine] = (await kit.deps.topups.orders({ p: 1, page_size: 1 })).items;
      await kit.deps.topups.reverse({ orderId: mine?.id ?? 0, actor, role: 100, reason: '' });
      expect([await quotaOf(kit, alice), await quotaOf(kit, bob)]).toEqual([0, given]);
      await proven(kit);
    });

    test('may be one of two for a number that is no order of ours: each is given, once, and taken back by its own refunds', async () => {
      const { kit, alice } = await scene();
      const told = (id: string, payment_intent: string) => ({ ...paid('shop-7', { payment_intent }), id });
      const events = [told('evt_p1', 'pi_1'), told('evt_p2', 'pi_2'), told('evt_p3', 'pi_3')];
      for (const event of events) await sendEvent(kit, event);
      for (const _ of events) await give(kit, alice);
      expect(await quotaOf(kit, alice)).toBe(3 * given);
      await proven(kit);
      // The same payments in other words: there is no order that says so, but each was given.
      for (const [k, ref] of ['pi_1', 'pi_2', 'pi_3'].entries()) {
        await sendEvent(kit, { ...told(`evt_a${k}`, ref), type: 'checkout.session.async_payment_succeeded' });
        await expect(give(kit, alice)).rejects.toMatchObject({ code: 'payment_not_open' });
        await sendEvent(kit, chargeRefunded(`evt_r${k}`, { payment_intent: ref, amount_refunded: 1_500, currency: 'jpy' }));
        expect(await quotaOf(kit, alice)).toBe((2 - k) * given);
      }
      await proven(kit);
    });

    test('two for a number that is no order of ours that are given at the same moment: each once, whoever comes second asks again', async () => {
      const { kit, alice } = await scene();
      const bob = await kit.user('bob');
      for (const ref of ['pi_1', 'pi_2']) await sendEvent(kit, { ...paid('shop-7', { payment_intent: ref }), id: `evt_${ref}` });
      const entries = (await kit.deps.topups.unmatched({ p: 1, page_size: 10 })).items;
      const wishes = entries.flatMap(({ id }) => [alice, bob].map((to) => ({ id, to })));
      const giveAll = () =>
        Promise.allSettled(wishes.map(({ id, to }) => kit.deps.topups.credit(actor, id, { user_id: to.id, quota: given })));
      await giveAll();
      await giveAll();
      expect((await quotaOf(kit, alice)) + (await quotaOf(kit, bob))).toBe(2 * given);
      await proven(kit);
    });

    test('keeps what it said when it is judged again with another secret', async () => {
      const { kit, alice } = await scene();
      await sendEvent(kit, paid('shop-7'));
      const { id } = await give(kit, alice);
      await setUpPayments(kit, { StripeWebhookSecret: 'whsec_new' });
      expect(await kit.deps.topups.replay(actor, id)).toMatchObject({
        ...{ verdict: 'credited_by_hand', trade_no: 'shop-7', money: '15.00', currency: 'jpy' },
      });
      await sendEvent(kit, refunded('evt_r', 1_500), 'whsec_new');
      expect(await quotaOf(kit, alice)).toBe(0);
    });

    test('is given to a user though the master key that sealed it is lost; to judge it again is refused, and changes nothing', async () => {
      const { kit, alice } = await scene();
      await sendEvent(kit, paid('shop-7'));
      const sealed = createCrypto(Buffer.alloc(32, 7)).seal('["",""]', 'elsewhere');
      await kit.db.transaction((tx) =>
        tx.query.updateTable('payment_inbox').set({ payload_sealed: sealed, provider_ref: '' }).execute(),
      );
      const entry = await newest(kit);
      const path = `/api/payment/inbox/${entry?.id}/replay`;
      const asked = await kit.call({ method: 'POST', path, as: await kit.root(), body: {} });
      expect([asked.status, asked.json.success, asked.json.message]).toEqual([200, false, expect.stringContaining('主密钥')]);
      expect(await newest(kit)).toEqual(entry);
      expect(await give(kit, alice)).toMatchObject({ verdict: 'credited_by_hand', trade_no: 'shop-7' });
      expect(await quotaOf(kit, alice)).toBe(given);
    });

    test('whose own number is lost may be the one that was given for its order’s number: it is not given once more', async () => {
      const { kit, alice } = await scene();
      await sendEvent(kit, paid('shop-7'));
      await give(kit, alice);
      await sendEvent(kit, { ...paid('shop-7'), id: 'evt_2', type: 'checkout.session.async_payment_succeeded' });
      const lost = { payload_sealed: createCrypto(Buffer.alloc(32, 7)).seal('["",""]', 'elsewhere'), provider_ref: '' };
      await kit.db.transaction((tx) =>
        tx.query.updateTable('payment_inbox').set(lost).where('verdict', '=', 'unmatched_order').execute(),
      );
      await expect(give(kit, alice)).rejects.toMatchObject({ code: 'payment_not_open' });
      expect(await quotaOf(kit, alice)).toBe(given);
    });

    test('goes on waiting when it is judged again with another secret, and so does a refund that came first', async () => {
      const { kit, alice } = await scene();
      await sendEvent(kit, refunded('evt_r', 500));
      await sendEvent(kit, paid('shop-7'));
      const rows = await kit.db.read.selectFrom('payment_inbox').select('id').orderBy('id').execute();
      await setUpPayments(kit, { StripeWebhookSecret: 'whsec_new' });
      for (const { id } of rows) await kit.deps.topups.replay(actor, id);
      expect(await verdicts(kit)).toEqual(['noted', 'unmatched_order']);
      await give(kit, alice);
      expect(await verdicts(kit)).toEqual(['refunded', 'credited_by_hand']);
      expect(await quotaOf(kit, alice)).toBe(given - Math.floor(given / 3));
      await proven(kit);
    });

    test('has its number also when it came before numbers were kept', async () => {
      const { kit, alice } = await scene();
      await sendEvent(kit, paid('shop-7'));
      await kit.db.transaction((tx) => tx.query.updateTable('payment_inbox').set({ provider_ref: '' }).execute());
      kit.clock.advanceMs(3_600_000);
      await give(kit, alice);
      await sendEvent(kit, refunded('evt_r', 1_500));
      expect(await quotaOf(kit, alice)).toBe(0);
    });
  });
});
