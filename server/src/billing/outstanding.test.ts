import { expect, test } from 'vitest';
import { onEachEngine, onSqlite } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { planned } from '../../test/planned.ts';
import { blankUser } from '../identity/registration.ts';
import { openWallet, transfer } from './accounts.ts';
import { ledgerSources, ledgerState } from './outstanding.ts';

onEachEngine((_name, open) => {
  test('what is owed is what users have, hold and earned, what codes are worth, and what agents wait for', async () => {
    const db = await open();
    const clock = new FakeClock(1_800_000_000_000);
    expect(await ledgerState(db, clock)).toEqual({ available: 0, held: 0, users: 0, codes: 0, codes_quota: 0 });
    expect(await ledgerSources(db)).toEqual({ sources: [], affiliate: 0, agents: 0 });
    const now = 1_800_000_000;
    const person = (id: number, deleted_at: number | null = null) => ({
      ...{ ...blankUser(now), id, username: `u${id}`, display_name: '', aff_code: `a${id}`, password_hash: '', deleted_at },
    });
    await db.transaction(async (tx) => {
      await tx.query
        .insertInto('users')
        .values([person(7), person(8), person(9), person(10, now)])
        .execute();
      for (const id of [7, 8, 9, 10]) await tx.perform(openWallet(id));
      const move = async (from: string, to: string, amount: number, kind: 'payment' | 'refund' | 'dividend') => {
        const userId = Number(/\d+/.exec(`${from}${to}`)?.[0] ?? 0);
        const ref = `${from}>${to}`;
        expect(await tx.perform(transfer({ from, to, amount, kind, ref, userId, actorId: 0, now, note: '' }))).toBe(true);
      };
      await move('payment', 'user:7', 1000, 'payment');
      await move('user:7', 'payment', 100, 'payment');
      await move('grant', 'user:8', 30, 'payment');
      await move('grant', 'user:10', 5, 'payment');
      await move('invite', 'user:8:affiliate', 20, 'payment');
      await move('user:8:affiliate', 'user:8', 8, 'payment');
      await move('user:7', 'revenue', 200, 'refund');
      await move('dividend', 'agent:7:pending', 90, 'dividend');
      await move('agent:7:pending', 'agent:7', 50, 'dividend');
      await move('agent:7', 'payout', 10, 'dividend');
      await tx.query.updateTable('wallet').set({ available: 640, held: 60 }).where('user_id', '=', 7).execute();
      const code = (id: number, status: number, deleted_at: number | null = null, expires_at = 0) => ({
        ...{
          user_id: 1,
          key_hmac: `h${id}`,
          key_sealed: '',
          status,
          name: '',
          quota: 100,
          created_at: now,
          deleted_at,
          expires_at,
        },
      });
      await tx.query
        .insertInto('redemption')
        .values([code(1, 1), code(2, 1), code(3, 2), code(4, 3), code(5, 1, now), code(6, 1, null, now)])
        .execute();
      await tx.query
        .insertInto('proof_state')
        .values({ id: 1, due_at: now, log_id: 0, checked_at: now, ok: 0, difference: 'a: b' })
        .execute();
    });
    expect(await ledgerState(db, clock)).toEqual({
      hourly: { checked_at: now, ok: false, difference: 'a: b' },
      // A deleted user is owed nothing.
      ...{ available: 678, held: 60, users: 2, codes: 2, codes_quota: 200 },
    });
    expect(await ledgerSources(db)).toEqual({
      ...{ affiliate: 12, agents: 80 },
      sources: [
        { account: 'payment', amount: 900 },
        { account: 'grant', amount: 35 },
        { account: 'invite', amount: 20 },
      ],
    });
  });

  test('sums that have left the exact whole numbers are shown all the same', async () => {
    const db = await open();
    const amount = 1_000_000_000_000_000;
    const now = 1_800_000_000;
    await db.transaction(async (tx) => {
      for (let id = 101; id <= 110; id += 1) {
        const facts = { user_id: 1, key_hmac: `h${id}`, key_sealed: '', status: 1, name: '', quota: amount, created_at: now };
        await tx.query
          .insertInto('redemption')
          .values({ ...facts, deleted_at: null })
          .execute();
        await tx.perform(openWallet(id));
        const move = { from: 'grant', to: `user:${id}`, amount, kind: 'payment', ref: `r${id}`, userId: id } as const;
        await tx.perform(transfer({ ...move, actorId: 0, now, note: '' }));
      }
    });
    expect(await ledgerState(db, new FakeClock(now * 1000))).toMatchObject({ codes: 10, codes_quota: 10 * amount });
    expect(await ledgerSources(db)).toMatchObject({ sources: [{ account: 'grant', amount: 10 * amount }] });
  });
});

onSqlite((_name, open) => {
  test('where quota came from is read in an index that has all of it', async () => {
    const { heard, plansOf } = planned(await open());
    const plans = await plansOf(ledgerSources(heard));
    expect(plans.match(/(?:SCAN|SEARCH) transfer.*/g)).toEqual(
      Array(2).fill('SCAN transfer USING COVERING INDEX transfer_sides'),
    );
  });
});
