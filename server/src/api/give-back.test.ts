import { errors, role } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { createApiKit, type KitUser } from '../../test/api-kit.ts';
import { defaultOptions } from '../../test/channel-rows.ts';
import { onEachEngine } from '../../test/engines.ts';
import { draftOf, giveToken, grant, holdOf, tokenOf, walletOf } from '../../test/ledger-kit.ts';
import { insertLogs } from '../../test/log-kit.ts';
import { plainPrice } from '../../test/plain-price.ts';
import { usageOf } from '../../test/receipt-kit.ts';
import { costOf, createLedger, giveBack as giveBackCharge, proveLedger, transfer, writeReceipt } from '../billing/index.ts';
import { createCrypto } from '../platform/crypto.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { deleteOldLogs } from '../usage/cleanup/cleanup.ts';
import { createRollup } from '../usage/index.ts';

const reason = 'the upstream answered nonsense';
const crypto = createCrypto(Buffer.alloc(32, 7));
const sign = (text: string) => crypto.hmac('receipt', text);
const usage = usageOf(100, 20);
const cost = costOf(plainPrice, usage);

onEachEngine((engine, open) => {
  const start = async () => {
    const kit = await createApiKit(await open());
    const { db, clock } = kit;
    const [admin, alice] = [await kit.user('admin', role.admin), await kit.user('alice')];
    await db.transaction((tx) => tx.perform(transfer(grant(alice.id, 10 * cost, 'grant:test'))));
    const tokenId = await giveToken(db, alice.id, { remain: 5 * cost, unlimited: false });
    const ledger = createLedger({ db, clock });
    const draft = (id: string, user: KitUser, token: number) => {
      const receipt = writeReceipt(id, plainPrice, usage, cost, sign);
      return draftOf(id, user.id, token, { username: user.name, channelId: 4, receipt, other: '{"frt":5}' });
    };
    const hold = (id: string, user = alice, token = tokenId) =>
      ledger.hold(holdOf(id, user.id, token, 2 * cost, { floorCost: 1, draft: draft(id, user, token) }));
    const settle = (id: string, user = alice, token = tokenId) =>
      ledger.settle({ id, cost, now: 1001, draft: draft(id, user, token) });
    const charge = async (id: string, user = alice, token = tokenId) => {
      await hold(id, user, token);
      await settle(id, user, token);
      return rowOf(id);
    };
    const rowOf = async (id: string) =>
      (await db.read.selectFrom('log').select('id').where('request_id', '=', id).executeTakeFirstOrThrow()).id;
    const giveBack = async (log: number, refunded: number, as = admin, why = reason) =>
      (await kit.call({ method: 'POST', path: `/api/log/${log}/refund`, body: { refunded, reason: why }, as })).json;
    const read = async (path: string, as = alice) => (await kit.call({ path, as })).json.data;
    const faults = async () => (await proveLedger({ db, clock, sign })).checks.filter((check) => !check.ok);
    const roll = async () => {
      const rollup = createRollup({ db, clock, node: 'a', batch: 2 });
      for (let quiet = 0; quiet < 3; ) quiet = (await rollup.step()) === 'done' ? quiet + 1 : 0;
    };
    return { kit, db, admin, alice, tokenId, ledger, charge, hold, settle, rowOf, giveBack, read, faults, roll };
  };

  test('a part and then the rest of a charge come back to user and token, and out of all that is summed, before and behind the sums', async () => {
    for (const isSummed of [false, true]) {
      const { db, alice, tokenId, charge, giveBack, read, faults, roll } = await start();
      const log = await charge('call-1');
      await charge('call-2');
      if (isSummed) await roll();
      expect(await giveBack(log, 40)).toMatchObject({ success: true, data: { charged: cost, refunded: 40 } });
      expect(await read(`/api/log/${log}/receipt`)).toMatchObject({
        cost,
        collected: cost,
        refunded: 40,
        shortfall: 0,
        state: 'ok',
      });
      expect(await giveBack(log, cost)).toMatchObject({ success: true, data: { charged: cost, refunded: cost } });
      expect(await walletOf(db, alice.id)).toMatchObject({ available: 9 * cost, used: cost, count: 2 });
      expect(await tokenOf(db, tokenId)).toMatchObject({ remain: 4 * cost, used: cost, held: 0 });
      expect((await read('/api/log/self/stat')).quota).toBe(cost);
      expect((await read('/api/log/self?type=2')).items.map(({ quota }: { quota: number }) => quota)).toEqual([cost, 0]);
      const channel = db.read.selectFrom('channel_charge').select('quota').where('channel_id', '=', 4);
      expect(await channel.where('quota', '<', 0).orderBy('id').execute()).toEqual([{ quota: -40 }, { quota: 40 - cost }]);
      const moved = await db.read.selectFrom('transfer').selectAll().where('kind', '=', 'refund').orderBy('id').execute();
      expect(moved.map((row) => [row.from_account, row.to_account, row.amount, row.ref, row.note])).toEqual([
        ['revenue', `user:${alice.id}`, 40, 'call-1:refund:40', reason],
        ['revenue', `user:${alice.id}`, cost - 40, `call-1:refund:${cost}`, reason],
      ]);
      await roll();
      expect(await faults()).toEqual([]);
    }
  });

  test('what an unlimited token may spend is not more for it: no call took anything of that', async () => {
    const { db, alice, charge, giveBack, faults } = await start();
    const unlimited = await giveToken(db, alice.id, { remain: 7, unlimited: true });
    expect(await giveBack(await charge('call-1', alice, unlimited), 40)).toMatchObject({ success: true });
    expect(await tokenOf(db, unlimited)).toMatchObject({ remain: 7, used: cost - 40, held: 0 });
    expect(await walletOf(db, alice.id)).toMatchObject({ available: 9 * cost + 40, used: cost - 40 });
    expect(await faults()).toEqual([]);
  });

  test('the user reads it in the log with its reason, and the audit log has who did it', async () => {
    const { db, admin, alice, charge, giveBack, read } = await start();
    const log = await charge('call-1');
    await giveBack(log, 40);
    const [told] = (await read('/api/log/self?type=3')).items;
    expect(told.content).toBe(`管理员退还调用费用 ＄0.000080 额度，请求ID call-1，原因：${reason}`);
    const audit = await db.read.selectFrom('audit').selectAll().where('action', '=', 'log.refund').execute();
    expect(audit.map(({ actor_id, target, detail }) => [actor_id, target, JSON.parse(detail)])).toEqual([
      [
        admin.id,
        `user:${alice.id}`,
        { log, call: 'call-1', model: 'gpt-4o-mini', quota: 40, refunded: 40, charged: cost, reason },
      ],
    ]);
  });

  test('the same wish twice, and twenty of them at once, give back once; never more than was charged, never less than before', async () => {
    const { db, alice, charge, giveBack, faults } = await start();
    const log = await charge('call-1');
    const answers = await Promise.all(Array.from({ length: 20 }, () => giveBack(log, 40)));
    expect(answers.every(({ success, data }) => success && data.refunded === 40)).toBe(true);
    for (const refunded of [39, cost + 1]) {
      const { success, message } = await giveBack(log, refunded);
      expect([success, message]).toEqual([false, `该调用收取 ${cost} 点额度，已退还 40：退还总额须在两者之间`]);
    }
    expect(await giveBack(log, 50, undefined, ' ')).toMatchObject({ success: false, message: errors.refund_reason_missing.zh });
    expect(await walletOf(db, alice.id)).toMatchObject({ available: 9 * cost + 40, used: cost - 40 });
    expect(await faults()).toEqual([]);
  });

  test('nobody gives back to themselves or to those of their level, but root', async () => {
    const { kit, db, admin, charge, giveBack } = await start();
    const root = await kit.root();
    for (const { id } of [admin, root]) await db.transaction((tx) => tx.perform(transfer(grant(id, 9 * cost, `grant:${id}`))));
    const [own, roots] = [await charge('own', admin, 0), await charge('roots', root, 0)];
    for (const log of [own, roots]) expect((await giveBack(log, 1)).message).toBe(errors.user_level_write.zh);
    for (const log of [own, roots]) expect((await giveBack(log, 1, root)).success).toBe(true);
  });

  test('an account that is gone gets nothing back: nobody could spend it', async () => {
    const { db, alice, charge, giveBack } = await start();
    const log = await charge('call-1');
    await db.transaction(({ query }) => query.updateTable('users').set({ deleted_at: 1 }).where('id', '=', alice.id).execute());
    expect((await giveBack(log, 1)).message).toBe(errors.user_not_found.zh);
    expect(await walletOf(db, alice.id)).toMatchObject({ available: 9 * cost, used: cost });
  });

  test('what was not charged here is not given back: a row from elsewhere, one that charged nothing, one that is no charge', async () => {
    const { db, alice, giveBack } = await start();
    const row = { user_id: alice.id, username: 'alice', quota: 10 };
    await insertLogs(db, [
      { ...row, type: 2, request_id: 'brought', receipt: '' },
      { ...row, type: 3, request_id: '' },
    ]);
    for (const { id } of await db.read.selectFrom('log').select('id').execute()) {
      expect((await giveBack(id, 1)).message).toBe(errors.request_not_found.zh);
    }
  });

  test('a call that a sweep closed and that was given back is not charged by its late end', async () => {
    const { db, alice, ledger, hold, settle, rowOf, giveBack, faults } = await start();
    await hold('late');
    await ledger.dispatch('late');
    await ledger.sweep(5000);
    expect((await giveBack(await rowOf('late'), 1)).success).toBe(true);
    expect(await settle('late')).toMatchObject({ closed: false, correction: 0 });
    expect(await walletOf(db, alice.id)).toMatchObject({ available: 10 * cost, used: 0 });
    expect(await faults()).toEqual([]);
  });

  if (engine === 'postgres') {
    test('a row that a cleanup deletes meanwhile gives nothing back: its sum is in the books', async () => {
      const { db, kit, admin, alice, charge, faults, roll } = await start();
      const logId = await charge('call-1');
      await roll();
      let performed = 0;
      const transaction: Database['transaction'] = (body, options) =>
        db.transaction((tx) => {
          const perform: Transaction['perform'] = async (work) => {
            performed += 1;
            // The movement is made, the sums are next.
            if (performed === 3) expect(await deleteOldLogs(db, 2000)).toBe(1);
            return tx.perform(work);
          };
          return body({ ...tx, perform });
        }, options);
      const changes = { notify: () => undefined };
      const deps = { db: { ...db, transaction }, clock: kit.clock, changes, options: () => defaultOptions };
      const actor = { id: admin.id, username: admin.name, ip: '' };
      const given = giveBackCharge(deps, { logId, refunded: 40, reason, actor, role: role.admin });
      await expect(given).rejects.toMatchObject({ code: 'request_not_found' });
      expect(performed).toBe(3);
      expect(await walletOf(db, alice.id)).toMatchObject({ available: 9 * cost, used: cost });
      expect(await faults()).toEqual([]);
    });
  }
});
