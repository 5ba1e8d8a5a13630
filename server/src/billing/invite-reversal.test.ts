import { role } from '@tollgate/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ApiKit, createApiKit, type KitUser, kitPassword, signIn } from '../../test/api-kit.ts';
import { onEachEngine, onPostgres } from '../../test/engines.ts';
import { lockWaits } from '../../test/held-open.ts';
import { chargeRefunded, hostedOrder, sendEvent, sessionPaid, setUpPayments } from '../../test/payment-kit.ts';
import { recordAudit } from '../audit/index.ts';
import { PublicError } from '../platform/errors.ts';
import type { Transaction } from '../storage/database.ts';
import { availableOf, transfer } from './accounts.ts';
import { proveLedger } from './reconcile.ts';

/** Of an order of ten dollars, which costs 73.00. */
const rebate = 500_000;
const whole = 7_300;
const root = { id: 1, username: 'root', ip: '' };

/** An inviter, whom an invited user pays for, and what the payment service tells. */
async function scene(kit: ApiKit, options: Record<string, string> = {}) {
  const all = { InviteRebatePercent: '10', InviteRebateHoldDays: '0', QuotaForInviter: '0', QuotaPerUnit: '500000', ...options };
  await setUpPayments(kit, all);
  const alice = await kit.user('alice');
  const code = (await kit.call({ path: '/api/user/aff', as: alice })).json.data;
  const invite = async (name: string): Promise<KitUser> => {
    const body = { username: name, password: kitPassword, aff_code: code };
    await kit.call({ method: 'POST', path: '/api/user/register', body });
    return signIn(kit.call, name, kitPassword);
  };
  const bob = await invite('bob');
  let payments = 0;
  const pay = async () => {
    payments += 1;
    kit.clock.advanceMs(31 * 60_000);
    const tradeNo = await hostedOrder(kit, await signIn(kit.call, 'bob', kitPassword));
    const fields = { client_reference_id: tradeNo, amount_total: whole, currency: 'cny', payment_intent: `pi_${payments}` };
    await sendEvent(kit, sessionPaid(`evt_${payments}`, fields));
    return payments;
  };
  const refund = (payment: number, cents: number) => {
    const fields = { payment_intent: `pi_${payment}`, amount_refunded: cents, currency: 'cny' };
    return sendEvent(kit, chargeRefunded(`evt_${payment}_${cents}`, fields));
  };
  const reverse = async (payment: number) => {
    const order = await kit.db.read
      .selectFrom('topup_order')
      .select('id')
      .where('provider_ref', '=', `pi_${payment}`)
      .executeTakeFirst();
    return kit.deps.topups.reverse({ orderId: order?.id ?? 0, actor: root, role: role.root, reason: 'x' });
  };
  const info = () => kit.deps.invites.info(alice.id, code);
  const move = async (quota: number) => {
    const as = await signIn(kit.call, 'alice', kitPassword);
    return (await kit.call({ method: 'POST', path: '/api/user/aff_transfer', body: { quota }, as })).json.success as boolean;
  };
  const walletOf = async ({ id }: KitUser) => {
    const row = kit.db.read.selectFrom('wallet').select('available').where('user_id', '=', id);
    return Number((await row.executeTakeFirstOrThrow()).available);
  };
  const proven = async () => expect(await proveLedger({ db: kit.db, clock: kit.clock })).toMatchObject({ ok: true });
  return { alice, bob, pay, refund, reverse, info, move, walletOf, proven };
}

onEachEngine((_name, open) => {
  describe('a rebate that was paid, of a payment that is given back', () => {
    test('is taken of later earnings however many there are, before any of them is moved', async () => {
      const kit = await createApiKit(await open());
      const { alice, bob, info, move, proven } = await scene(kit);
      const account = `user:${alice.id}`;
      const book = { userId: alice.id, actorId: 0, now: 1, note: '' };
      const reward = async (tx: Transaction, ref: string, amount: number, reversed: number) => {
        const row = { inviter_id: alice.id, invitee_id: bob.id, kind: 'rebate', ref, amount, reversed, state: 'paid' };
        await tx.query
          .insertInto('invite_reward')
          .values({ ...row, due_at: 0, created_at: 1 })
          .execute();
        const to = `${account}:affiliate`;
        await tx.perform(transfer({ ...book, from: 'invite', to, amount, kind: 'invite', ref }));
      };
      await kit.db.transaction(async (tx) => {
        for (let count = 0; count < 150; count += 1) await reward(tx, `rebate:${count}`, rebate / 50, rebate / 50);
        const moved = { from: `${account}:affiliate`, to: account, amount: 3 * rebate, kind: 'affiliate', ref: 'moved' } as const;
        await tx.perform(transfer({ ...book, ...moved }));
        await reward(tx, 'rebate:later', 4 * rebate, 0);
      });
      expect(await info()).toMatchObject({ quota: 4 * rebate, owed_quota: 3 * rebate });
      expect(await move(2 * rebate)).toBe(false);
      expect(await move(rebate)).toBe(true);
      expect(await info()).toMatchObject({ quota: 0, owed_quota: 0 });
      await proven();
    });

    test('goes back out of the earnings, in parts as the payment does, and the inviter is told', async () => {
      const kit = await createApiKit(await open());
      const { pay, refund, info, alice, proven } = await scene(kit);
      const payment = await pay();
      await refund(payment, whole / 4);
      await refund(payment, whole / 4);
      expect(await info()).toMatchObject({ quota: (rebate * 3) / 4, owed_quota: 0, history_quota: rebate });
      await refund(payment, whole);
      expect(await info()).toMatchObject({ quota: 0, owed_quota: 0 });
      const page = await kit.deps.invites.rewards(alice.id, { p: 1, page_size: 5, state: '' });
      expect(page.items).toMatchObject([{ kind: 'rebate', state: 'paid', amount: rebate, reversed: rebate }]);
      const as = await signIn(kit.call, 'alice', kitPassword);
      const logs = (await kit.call({ path: '/api/log/self?type=4', as })).json.data.items;
      expect(logs[0].content).toBe('好友充值已退款，扣回邀请返利 ＄0.750000 额度');
      await proven();
    });

    test('that was moved to the balance is owed: later earnings pay for it, the balance is left alone', async () => {
      const kit = await createApiKit(await open());
      const { pay, refund, info, move, walletOf, alice, proven } = await scene(kit);
      const payment = await pay();
      expect(await move(rebate)).toBe(true);
      await refund(payment, whole);
      expect([await info(), await walletOf(alice)]).toMatchObject([{ quota: 0, owed_quota: rebate }, rebate]);
      await proven();
      await pay();
      expect(await info()).toMatchObject({ quota: 0, owed_quota: 0, history_quota: 2 * rebate });
      expect(await move(rebate)).toBe(false);
      await pay();
      expect([await move(rebate), await walletOf(alice)]).toEqual([true, 2 * rebate]);
      await proven();
    });

    test('of several that are owed, one earning pays the oldest as far as it reaches, and the payment comes in whole', async () => {
      const kit = await createApiKit(await open());
      const { pay, refund, info, move, walletOf, bob, proven } = await scene(kit);
      const payments = [await pay(), await pay()];
      expect(await move(2 * rebate)).toBe(true);
      for (const payment of payments) await refund(payment, whole);
      expect([await info(), await walletOf(bob)]).toMatchObject([{ quota: 0, owed_quota: 2 * rebate }, 0]);
      await pay();
      expect([await info(), await walletOf(bob)]).toMatchObject([{ quota: 0, owed_quota: rebate }, 10 * rebate]);
      await proven();
    });

    test('is owed by its own inviter: what another one earns, and what goes back of that, has nothing to do with it', async () => {
      const kit = await createApiKit(await open());
      const { pay, refund, info, alice, bob, proven } = await scene(kit);
      const { id } = await kit.user('zoe');
      const row = { inviter_id: id, invitee_id: bob.id, kind: 'rebate', ref: 'rebate:zoe', amount: rebate, reversed: rebate };
      const [account, book] = [`user:${id}`, { userId: id, actorId: 0, now: 1, note: '' }];
      await kit.db.transaction(async (tx) => {
        await tx.query
          .insertInto('invite_reward')
          .values({ ...row, state: 'paid', due_at: 0, created_at: 1 })
          .execute();
        for (const [from, to, kind, ref] of [
          ['invite', `${account}:affiliate`, 'invite', row.ref],
          [`${account}:affiliate`, account, 'affiliate', 'moved'],
        ] as const)
          await tx.perform(transfer({ ...book, from, to, amount: rebate, kind, ref }));
      });
      await refund(await pay(), whole / 4);
      expect(await info()).toMatchObject({ quota: (rebate * 3) / 4, owed_quota: 0 });
      const ofRewards = kit.db.read.selectFrom('invite_reward').select(['inviter_id', 'reversed', 'returned']).orderBy('id');
      expect(await ofRewards.execute()).toEqual([
        { inviter_id: id, reversed: rebate, returned: 0 },
        { inviter_id: alice.id, reversed: rebate / 4, returned: rebate / 4 },
      ]);
      await proven();
    });

    test('by an administrator, too, who finds it in the audit log', async () => {
      const kit = await createApiKit(await open());
      const { pay, reverse, info, move } = await scene(kit);
      const [, second] = [await pay(), await pay()];
      await move(rebate + rebate / 2);
      await reverse(second);
      expect(await info()).toMatchObject({ quota: 0, owed_quota: rebate / 2 });
      const row = kit.db.read.selectFrom('audit').select('detail').where('action', '=', 'payment.reverse');
      expect(JSON.parse(String((await row.executeTakeFirst())?.detail))).toMatchObject({
        rebate: rebate / 2,
        rebate_owed: rebate / 2,
      });
    });

    test('that still waits is paid for what stays of the payment, and not at all when nothing does', async () => {
      const kit = await createApiKit(await open());
      const { pay, refund, info, proven } = await scene(kit, { InviteRebateHoldDays: '2' });
      const [first, second, third] = [await pay(), await pay(), await pay()];
      await refund(first, whole / 2);
      await refund(second, whole);
      await refund(third, whole - 1);
      const left = rebate / 2 + Math.floor(rebate / whole);
      expect(await info()).toMatchObject({ quota: 0, waiting_quota: left, owed_quota: 0 });
      await proven();
      // Nothing of what waits is owed: what is earned meanwhile does not pay for it.
      await setUpPayments(kit, { InviteRebateHoldDays: '0' });
      await pay();
      expect(await info()).toMatchObject({ quota: rebate, waiting_quota: left, owed_quota: 0 });
      await proven();
      kit.clock.advanceMs(3 * 86_400_000);
      await kit.deps.topups.upkeep();
      expect(await info()).toMatchObject({ quota: rebate + left, waiting_quota: 0, owed_quota: 0 });
      await proven();
    });

    test('while it is moved: one of both takes it', async () => {
      const kit = await createApiKit(await open());
      const { pay, refund, info, move, walletOf, alice, proven } = await scene(kit);
      for (let round = 1; round <= 4; round += 1) {
        const payment = await pay();
        await Promise.all([move(rebate), refund(payment, whole), move(rebate), refund(payment, whole / 2)]);
        const { quota, owed_quota: owed } = await info();
        expect(await walletOf(alice)).toBe(quota + owed);
        await proven();
      }
    });

    test('whatever happens in whatever order, what the inviter has is the share of what stays paid', async () => {
      const kit = await createApiKit(await open());
      const { pay, refund, reverse, info, move, walletOf, alice, proven } = await scene(kit);
      const back = new Map<number, number>();
      const step = fc.record({
        kind: fc.constantFrom('pay', 'refund', 'reverse', 'move'),
        pick: fc.nat(9),
        share: fc.integer({ min: 1, max: whole }),
      });
      const play = async ({ kind, pick, share }: { kind: string; pick: number; share: number }) => {
        const payment = (pick % Math.max(1, back.size)) + 1;
        if (kind === 'pay' || back.size === 0) back.set(await pay(), 0);
        else if (kind === 'move') await move(rebate);
        else if (kind === 'refund') {
          await refund(payment, share);
          back.set(payment, Math.max(share, back.get(payment) ?? 0));
        } else {
          await reverse(payment).catch((error: unknown) => {
            if (!(error instanceof PublicError)) throw error;
          });
          back.set(payment, whole);
        }
      };
      const holds = async () => {
        const kept = [...back.values()].map((part) => Math.floor((rebate * (whole - part)) / whole));
        const { quota, owed_quota: owed } = await info();
        expect(quota).toBeGreaterThanOrEqual(0);
        expect(quota === 0 || owed === 0).toBe(true);
        expect((await walletOf(alice)) + quota - owed).toBe(kept.reduce((sum, part) => sum + part, 0));
      };
      const runs = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        for (const one of steps) {
          await play(one);
          await holds();
        }
        await proven();
      });
      await fc.assert(runs, { numRuns: 6, endOnFailure: true });
    }, 60_000);
  });
});

onPostgres((_name, open) => {
  test('a payment that was refunded before it came waits for no wallet behind the lock of the audit log', async () => {
    const db = await open();
    let repeated = 0;
    const transaction: typeof db.transaction = (body, options) => {
      let attempts = 0;
      return db.transaction((tx) => {
        attempts += 1;
        if (attempts > 1) repeated += 1;
        return body(tx);
      }, options);
    };
    const kit = await createApiKit({ ...db, transaction });
    const { alice, pay, refund, info, proven } = await scene(kit);
    await refund(1, whole);
    let paying: Promise<unknown> | undefined;
    await kit.db.transaction(async (tx) => {
      await tx.perform(availableOf(alice.id));
      paying ??= pay();
      await expect.poll(() => lockWaits(db)).toBeGreaterThan(0);
      await tx.perform(recordAudit({ actor: root, action: 'denied', target: 'x', now: 1 }));
    });
    await paying;
    expect(repeated).toBe(0);
    expect(await info()).toMatchObject({ quota: 0, owed_quota: 0 });
    await proven();
  });
});
