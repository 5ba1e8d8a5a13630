import { role } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { type ApiKit, createApiKit, type KitUser, kitPassword, signIn } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import {
  chargeRefunded,
  hostedOrder,
  notice,
  order,
  sendEvent,
  sessionPaid,
  setUpPayments,
  tell,
} from '../../test/payment-kit.ts';
import { proveLedger } from './reconcile.ts';

const actor = { id: 1, username: 'root', ip: '' };
const dollar = 500_000;
const day = 86_400_000;

/** An agent, whose customer has open orders, a waiting reward and rebate, codes and a payment that waits: one of everything. */
async function family(kit: ApiKit, name: string) {
  const inviter = await kit.user(name);
  const boss = await kit.root();
  await kit.call({ method: 'PUT', path: `/api/agent/${inviter.id}`, as: boss, body: { status: 1 } });
  const code = (await kit.call({ path: '/api/user/aff', as: inviter })).json.data;
  const customer = async (username: string): Promise<KitUser> => {
    const body = { username, password: kitPassword, aff_code: code };
    await kit.call({ method: 'POST', path: '/api/user/register', body });
    return signIn(kit.call, username, kitPassword);
  };
  const [payer, other] = [await customer(`${name}1`), await customer(`${name}2`)];
  const hosted = [await hostedOrder(kit, payer), await hostedOrder(kit, payer)];
  const [form] = [await order(kit, payer), await order(kit, payer)];
  const codes = await kit.deps.redemptions.create(actor, { name, quota: 7, count: 3 });
  const stray = { ...notice({ out_trade_no: `shop-${name}`, type: 'alipay', money: '7.30' }), name };
  await tell(kit, notice(stray));
  const paid = (k: number, fields: object = {}) =>
    sendEvent(
      kit,
      sessionPaid(`evt_${name}${k}`, { ...{ client_reference_id: hosted[k], payment_intent: `pi_${name}${k}` }, ...fields }),
    );
  const refund = (k: number, cents: number) => {
    const fields = { payment_intent: `pi_${name}${k}`, amount_refunded: cents, currency: 'cny' };
    return sendEvent(kit, chargeRefunded(`evt_r${name}${k}${cents}`, fields));
  };
  const whole = { amount_total: 7_300, currency: 'cny' };
  await paid(0, whole);
  return { inviter, payer, other, form, codes, paid: () => paid(1, whole), refund };
}

/** All rows that are somebody's. */
async function rowsOf({ db }: ApiKit, users: readonly KitUser[]): Promise<unknown> {
  const ids = users.map(({ id }) => id);
  const { read } = db;
  const names = users.map(({ name }) => name);
  const orders = await read.selectFrom('topup_order').selectAll().where('user_id', 'in', ids).orderBy('id').execute();
  const told = [...orders.map((each) => each.trade_no), ...names.map((name) => `shop-${name}`)];
  return {
    users: await read
      .selectFrom('users')
      .select(['id', 'aff_count', 'aff_history_quota'])
      .where('id', 'in', ids)
      .orderBy('id')
      .execute(),
    wallets: await read.selectFrom('wallet').selectAll().where('user_id', 'in', ids).orderBy('user_id').execute(),
    orders,
    rewards: await read.selectFrom('invite_reward').selectAll().where('inviter_id', 'in', ids).orderBy('id').execute(),
    dividends: await read.selectFrom('agent_dividend').selectAll().where('agent_id', 'in', ids).orderBy('id').execute(),
    codes: await read.selectFrom('redemption').selectAll().where('name', 'in', names).orderBy('id').execute(),
    payments: await read.selectFrom('payment_inbox').selectAll().where('trade_no', 'in', told).orderBy('id').execute(),
    transfers: await read.selectFrom('transfer').selectAll().where('user_id', 'in', ids).orderBy('id').execute(),
  };
}

onEachEngine((_name, open) => {
  test('whatever happens to the money of some, not a row of others moves that is in the same state', async () => {
    const kit = await createApiKit(await open());
    await setUpPayments(kit, {
      ...{ AgentEnabled: 'true', AgentDefaultRate: '0.1', AgentMatureDays: '3' },
      ...{ QuotaForInviter: '1000', InviteHold: 'first_payment', InviteDailyCap: '2' },
      ...{ InviteRebatePercent: '10', InviteRebateHoldDays: '1', InviteRebateDailyCap: String(dollar) },
    });
    const others = await family(kit, 'zoe');
    const own = await family(kit, 'amy');
    const waiting = async () => {
      const rows = kit.db.read.selectFrom('invite_reward').where('state', '=', 'waiting').orderBy('id');
      const found = await rows.select(['inviter_id', 'kind', 'amount']).execute();
      return found.map(({ inviter_id: id, kind, amount }) => [id === own.inviter.id ? 'amy' : 'zoe', kind, amount]);
    };
    // What a day may bring is each inviter's own.
    expect(await waiting()).toEqual(
      ['zoe', 'amy'].flatMap((name) => [
        [name, 'register', 1_000],
        [name, 'rebate', dollar],
      ]),
    );
    const theirs = [others.inviter, others.payer, others.other];
    const before = await rowsOf(kit, theirs);
    const steps: Readonly<Record<string, () => Promise<unknown>>> = {
      'an order is paid': () => tell(kit, notice(own.form)),
      'another one is, by the hosted page': own.paid,
      'a part of it is given back': () => own.refund(1, 700),
      'an order is taken back': async () => {
        const [newest] = (await kit.deps.topups.orders({ p: 1, page_size: 1, userId: own.payer.id, status: 'paid' })).items;
        await kit.deps.topups.reverse({ orderId: newest?.id ?? 0, actor, role: role.root, reason: 'x' });
      },
      'all of another one is given back': () => own.refund(0, 7_300),
      'a code is redeemed': () =>
        kit.deps.redemptions.redeem({ ...own.payer, username: '', group: '', ip: '' }, own.codes[0] ?? ''),
      'a payment is given by hand': async () => {
        const [entry] = (await kit.deps.topups.unmatched({ p: 1, page_size: 1 })).items;
        await kit.deps.topups.credit(actor, entry?.id ?? 0, { user_id: own.other.id, quota: dollar });
      },
    };
    for (const [what, step] of Object.entries(steps)) {
      const mine = JSON.stringify(await rowsOf(kit, [own.inviter, own.payer, own.other]));
      await step();
      expect(JSON.stringify(await rowsOf(kit, [own.inviter, own.payer, own.other])), what).not.toBe(mine);
      expect(await rowsOf(kit, theirs), what).toEqual(before);
    }
    // What went back counts in no day.
    expect(await waiting()).toEqual([
      ['zoe', 'register', 1_000],
      ['zoe', 'rebate', dollar],
      ['amy', 'rebate', dollar / 10],
    ]);
    expect((await kit.deps.topups.upkeep()).rewarded).toBe(0);
    kit.clock.advanceMs(day);
    expect((await kit.deps.topups.upkeep()).rewarded).toBe(2);
    await others.paid();
    expect(await waiting()).toEqual([
      ['zoe', 'register', 1_000],
      ['zoe', 'rebate', dollar],
    ]);
    expect((await proveLedger({ db: kit.db, clock: kit.clock })).checks.filter(({ ok }) => !ok)).toEqual([]);
  });
});
