import { expect, test } from 'vitest';
import { type ApiKit, createApiKit } from '../../test/api-kit.ts';
import { onEachEngine, onPostgres } from '../../test/engines.ts';
import { lockWaits } from '../../test/held-open.ts';
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
  verdicts,
} from '../../test/payment-kit.ts';
import { transfer } from './accounts.ts';
import { proveLedger } from './reconcile.ts';
import { createOrder } from './topup-orders.ts';

const rounds = Array.from({ length: 10 }, (_, index) => index);
const fifty = Array.from({ length: 50 }, (_, index) => index);
const timeoutMs = 120_000;

onEachEngine((_name, open) => {
  const proven = async ({ db, clock }: ApiKit) => (await proveLedger({ db, clock })).checks.filter((check) => !check.ok);
  const countLogs = async ({ db }: ApiKit, type: number) => {
    const rows = await db.read.selectFrom('log').select('id').where('type', '=', type).execute();
    return rows.length;
  };

  test(
    'fifty redeem one code at once: one gets it, ten times over',
    async () => {
      const kit = await createApiKit(await open());
      const [alice, bob] = [await kit.user('alice'), await kit.user('bob')];
      const maker = { id: 1, username: 'root', ip: '' };
      const keys = await kit.deps.redemptions.create(maker, { name: 'race', quota: 7, count: rounds.length });
      for (const key of keys) {
        const body = { key };
        const answers = await Promise.all(
          fifty.map((index) => kit.call({ method: 'POST', path: '/api/user/topup', body, as: index % 2 === 0 ? alice : bob })),
        );
        // Those whom the limit of failures keeps out got nothing either.
        expect(answers.filter(({ json }) => json.success)).toHaveLength(1);
        kit.clock.advanceMs(3_600_001);
      }
      expect((await quotaOf(kit, alice)) + (await quotaOf(kit, bob))).toBe(7 * rounds.length);
      expect(await countLogs(kit, 1)).toBe(rounds.length);
      expect(await proven(kit)).toEqual([]);
    },
    timeoutMs,
  );

  test('a dozen codes of a campaign at once: each user gets as many as one may, and the codes that are refused stay good', async () => {
    const kit = await createApiKit(await open());
    const users = [await kit.user('alice'), await kit.user('bob')];
    const maker = { id: 1, username: 'root', ip: '' };
    const keys = await kit.deps.redemptions.create(maker, { name: 'race', quota: 7, count: 24, per_user: 2 });
    // Not over the API, which lets one of a user's through after the other.
    const answers = await Promise.allSettled(
      keys.map((key, index) => {
        const { id, name: username } = users[index % 2] as (typeof users)[0];
        return kit.deps.redemptions.redeem({ id, username, group: 'default', ip: '' }, key);
      }),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
    const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    for (const reason of refused) expect(reason).toMatchObject({ code: 'redeem_limit' });
    for (const user of users) expect(await quotaOf(kit, user)).toBe(14);
    const left = kit.db.read.selectFrom('redemption').select('id').where('status', '=', 1).where('used_user_id', '=', 0);
    expect(await left.execute()).toHaveLength(20);
    expect(await proven(kit)).toEqual([]);
  });

  test('a dozen orders of one user at once are as many as may be open', async () => {
    const kit = await createApiKit(await open());
    const { id, name: username } = await kit.user('alice');
    const offer = { provider: 'epay', method: 'alipay', amount: 1, currency: 'cny', cents: 730, quota: 500_000, now: 1_000 };
    const orders = Array.from({ length: 12 }, () => createOrder(kit.db, { id, username, group: 'default', ip: '' }, offer));
    const answers = await Promise.allSettled(orders);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    for (const reason of refused) expect(reason).toMatchObject({ code: 'topup_many_pending' });
  });

  test(
    'fifty notifications of one order at once: one credit and fifty times success, ten times over',
    async () => {
      const kit = await createApiKit(await open());
      await setUpPayments(kit);
      const alice = await kit.user('alice');
      for (const round of rounds) {
        const form = await order(kit, alice, 1);
        const same = notice(form);
        // Every other one differs in what proves nothing, so that they do not meet at one row of the inbox.
        const answers = await Promise.all(
          fifty.map((index) => tell(kit, index % 2 === 0 ? same : notice(form, { name: `other${index}` }))),
        );
        expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['success']));
        expect(await quotaOf(kit, alice)).toBe(500_000 * (round + 1));
      }
      expect(await countLogs(kit, 1)).toBe(rounds.length);
      expect(await proven(kit)).toEqual([]);
    },
    timeoutMs,
  );

  test(
    'fifty transfers of the same invite earnings at once: one moves them, ten times over',
    async () => {
      const kit = await createApiKit(await open());
      const alice = await kit.user('alice');
      for (const round of rounds) {
        const earning = { from: 'invite', to: `user:${alice.id}:affiliate`, amount: 700_000, kind: 'invite' } as const;
        await kit.db.transaction((tx) =>
          tx.perform(transfer({ ...earning, ref: `invite:round${round}`, userId: alice.id, actorId: 0, now: 1, note: '' })),
        );
        const path = '/api/user/aff_transfer';
        const answers = await Promise.all(
          fifty.map(() => kit.call({ method: 'POST', path, body: { quota: 700_000 }, as: alice })),
        );
        expect(answers.filter(({ json }) => json.success)).toHaveLength(1);
        expect(new Set(answers.filter(({ json }) => !json.success).map(({ json }) => json.message))).toEqual(
          new Set(['划转失败 邀请额度不足！']),
        );
        expect(await quotaOf(kit, alice)).toBe(700_000 * (round + 1));
      }
      expect(await countLogs(kit, 4)).toBe(rounds.length);
      expect(await proven(kit)).toEqual([]);
    },
    timeoutMs,
  );

  test(
    'fifty payments of one order at once: one is credited, the others wait, and each is given once, whoever gives it',
    async () => {
      const kit = await createApiKit(await open());
      await setUpPayments(kit);
      const alice = await kit.user('alice');
      const actor = { id: 1, username: 'root', ip: '' };
      const form = await order(kit, alice, 1);
      const answers = await Promise.all(fifty.map((index) => tell(kit, notice(form, { trade_no: `payment${index}` }))));
      expect(answers.filter(({ text }) => text === 'success')).toHaveLength(1);
      expect(await quotaOf(kit, alice)).toBe(500_000);
      const { items, total } = await kit.deps.topups.unmatched({ p: 1, page_size: 100 });
      expect(total).toBe(49);
      const gift = { user_id: alice.id, quota: 9 };
      const gifts = items.flatMap(({ id }) => [id, id, id].map((entry) => kit.deps.topups.credit(actor, entry, gift)));
      const done = await Promise.allSettled(gifts);
      expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(49);
      expect(await quotaOf(kit, alice)).toBe(500_000 + 49 * 9);
      expect(await proven(kit)).toEqual([]);
    },
    timeoutMs,
  );

  test(
    'fifty people credit one unmatched payment at once, to fifty users: one gets it',
    async () => {
      const kit = await createApiKit(await open());
      await setUpPayments(kit);
      const [alice, bob] = [await kit.user('alice'), await kit.user('bob')];
      const actor = { id: 1, username: 'root', ip: '' };
      await tell(kit, notice({ out_trade_no: 'unknown1', type: 'alipay', money: '1.00', name: 'x' }));
      const [entry] = (await kit.deps.topups.unmatched({ p: 1, page_size: 10 })).items;
      const gifts = fifty.map((index) => ({ user_id: index % 2 === 0 ? alice.id : bob.id, quota: 9 }));
      const done = await Promise.allSettled(gifts.map((gift) => kit.deps.topups.credit(actor, entry?.id ?? 0, gift)));
      expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect((await quotaOf(kit, alice)) + (await quotaOf(kit, bob))).toBe(9);
      expect(await proven(kit)).toEqual([]);
    },
    timeoutMs,
  );

  test(
    'a payment credited by hand, or by itself, and its refund at the same moment: it is taken back, ten times over',
    async () => {
      const kit = await createApiKit(await open());
      await setUpPayments(kit);
      const alice = await kit.user('alice');
      const actor = { id: 1, username: 'root', ip: '' };
      for (const round of rounds) {
        const pi = { payment_intent: `pi_${round}`, currency: 'usd' };
        const paid = sessionPaid(`evt_p${round}`, { ...pi, client_reference_id: `shop-${round}`, amount_total: 900 });
        const fields = { ...pi, payment_intent: `pi_own${round}`, amount_total: 7_300, currency: 'cny' };
        const own = sessionPaid(`evt_o${round}`, { ...fields, client_reference_id: await hostedOrder(kit, alice) });
        await sendEvent(kit, paid);
        const [entry] = (await kit.deps.topups.unmatched({ p: 1, page_size: 1 })).items;
        const gift = { user_id: alice.id, quota: 9 };
        await Promise.all([
          kit.deps.topups.credit(actor, entry?.id ?? 0, gift),
          sendEvent(kit, chargeRefunded(`evt_r${round}`, { ...pi, amount_refunded: 900 })),
          sendEvent(kit, chargeRefunded(`evt_s${round}`, { ...fields, amount_refunded: 7_300 })),
          sendEvent(kit, own),
        ]);
        expect(await quotaOf(kit, alice)).toBe(0);
      }
      const told = ['credited', 'credited_by_hand', 'refunded', 'refunded'];
      expect((await verdicts(kit)).sort()).toEqual(rounds.flatMap(() => told).sort());
      expect(await proven(kit)).toEqual([]);
    },
    timeoutMs,
  );

  test('the proof names a code, an order and a reward that have no credit, and what did not go back of one', async () => {
    const kit = await createApiKit(await open());
    await setUpPayments(kit);
    const alice = await kit.user('alice');
    const [key] = await kit.deps.redemptions.create({ id: 1, username: 'root', ip: '' }, { name: 'lost', quota: 7, count: 1 });
    const form = await order(kit, alice, 1);
    const reward = { inviter_id: alice.id, invitee_id: 99, kind: 'register', ref: 'invite:99', amount: 5, due_at: 0 };
    const gone = { reversed: 3, returned: 2 };
    await kit.db.transaction(async (tx) => {
      await tx.query.updateTable('redemption').set({ status: 3 }).execute();
      await tx.query.updateTable('topup_order').set({ state: 'paid' }).execute();
      await tx.query
        .insertInto('invite_reward')
        .values({ ...reward, ...gone, state: 'paid', created_at: 1 })
        .execute();
    });
    expect(key).toBeDefined();
    expect((await proven(kit)).map(({ name, first_difference: first }) => [name, first])).toEqual([
      ['used_codes_credited', 'redemption:1: 0 instead of 7'],
      ['paid_orders_credited', `order:${form.out_trade_no}: 0 instead of 500000`],
      ['rewards_paid', 'reward:1: 0 instead of 5'],
      ['rebates_returned', `user:${alice.id} rebates returned: 0 instead of 2`],
    ]);
  });
});

onPostgres((_name, open) => {
  test.each([
    ['by itself', false],
    ['by hand', true],
  ])('a refund that is told while its payment is credited %s waits for the credit and takes it back', async (_how, byHand) => {
    const kit = await createApiKit(await open());
    await setUpPayments(kit);
    const alice = await kit.user('alice');
    const fields = { amount_total: byHand ? 900 : 7_300, currency: 'cny', client_reference_id: await hostedOrder(kit, alice) };
    const paid = () => sendEvent(kit, sessionPaid('evt_p', fields));
    const give = async () => {
      const [entry] = (await kit.deps.topups.unmatched({ p: 1, page_size: 1 })).items;
      await kit.deps.topups.credit({ id: 1, username: 'root', ip: '' }, entry?.id ?? 0, { user_id: alice.id, quota: 9 });
    };
    if (byHand) await paid();
    const { transaction } = kit.db;
    let commit: () => void = () => undefined;
    const mayCommit = new Promise<void>((resolve) => (commit = resolve));
    const isCredited = new Promise<void>((credited) => {
      kit.db.transaction = (body, options) =>
        transaction(async (tx) => {
          const result = await body(tx);
          credited();
          await mayCommit;
          return result;
        }, options);
    });
    const credit = byHand ? give() : paid();
    await isCredited;
    kit.db.transaction = transaction;
    let isTold = false;
    const refund = sendEvent(kit, chargeRefunded('evt_r', { amount_refunded: 7_300, currency: 'cny' })).then(() => {
      isTold = true;
    });
    await expect.poll(async () => isTold || (await lockWaits(kit.db)) > 0).toBe(true);
    commit();
    await Promise.all([credit, refund]);
    expect(await quotaOf(kit, alice)).toBe(0);
    expect(await verdicts(kit)).toEqual([byHand ? 'credited_by_hand' : 'credited', 'refunded']);
    expect((await proveLedger({ db: kit.db, clock: kit.clock })).ok).toBe(true);
  });
});
