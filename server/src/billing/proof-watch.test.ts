import { logType } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { draftOf, giveToken, giveWallet, holdOf } from '../../test/ledger-kit.ts';
import { plainLog } from '../../test/log-kit.ts';
import { plainPrice } from '../../test/plain-price.ts';
import { sign } from '../../test/receipt-kit.ts';
import type { Database } from '../storage/database.ts';
import { createLedger } from './ledger.ts';
import { unprovenSince } from './proof-state.ts';
import { createProofWatch } from './proof-watch.ts';
import { writeReceipt } from './receipts.ts';
import { proveLedger } from './reconcile.ts';

const nowSeconds = 1_800_000_000;
const usage = { prompt: 10, completion: 20, cached: 0, cacheWrite: 0, reasoning: 0, source: 'upstream', anomaly: false } as const;

/** Charged calls of cost 30 with their receipts; returns their rows. */
async function giveCalls(db: Database, clock: FakeClock, names: readonly string[], now = nowSeconds): Promise<number[]> {
  const ledger = createLedger({ db, clock });
  for (const id of names) {
    const draft = draftOf(id, 1, 0, { receipt: writeReceipt(id, plainPrice, usage, 30, sign) });
    await ledger.hold(holdOf(id, 1, 0, 100, { now, leaseUntil: now + 120, floorCost: 10, draft }));
    await ledger.settle({ id, cost: 30, now, draft });
  }
  const rows = await db.read
    .selectFrom('log')
    .select('id')
    .where('request_id', 'in', [...names])
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

async function edit(db: Database, id: number, change: (receipt: string) => string): Promise<string> {
  const { receipt } = await db.read.selectFrom('log').select('receipt').where('id', '=', id).executeTakeFirstOrThrow();
  await db.transaction((tx) =>
    tx.query
      .updateTable('log')
      .set({ receipt: change(receipt) })
      .where('id', '=', id)
      .execute(),
  );
  return receipt;
}

const mark = async (db: Database) => (await db.read.selectFrom('proof_state').selectAll().executeTakeFirst())?.log_id;

onEachEngine((_name, open) => {
  test('no call waits behind it: whatever it reads, it reads where analyses do', async () => {
    const db = await open();
    const clock = new FakeClock(nowSeconds * 1000);
    await giveWallet(db, 1, 1000);
    await giveCalls(db, clock, ['a'], nowSeconds - 1000);
    const read = new Proxy(db.read, {
      get() {
        throw new Error('calls read here');
      },
    });
    expect(await createProofWatch({ db: { ...db, read }, clock, sign, node: 'a' }).run()).toEqual({
      differences: [],
      receipts: 1,
    });
  });

  test('of all nodes one proves the ledger, once an hour', async () => {
    const db = await open();
    const clock = new FakeClock(nowSeconds * 1000);
    await giveWallet(db, 1, 1000);
    await giveCalls(db, clock, ['a', 'b'], nowSeconds - 1000);
    const nodes = Array.from({ length: 10 }, (_, index) => createProofWatch({ db, clock, sign, node: `node${index}` }));
    const once = async () => (await Promise.all(nodes.map((node) => node.run()))).filter((run) => run !== undefined);
    expect(await once()).toEqual([{ differences: [], receipts: 2 }]);
    clock.advanceMs(3_599_000);
    expect(await once()).toEqual([]);
    clock.advanceMs(1000);
    expect(await once()).toEqual([{ differences: [], receipts: 0 }]);
    expect(await proveLedger({ db, clock, sign })).toMatchObject({ ok: true, hourly: { ok: true, difference: '' } });
  });

  test('only what is sound and old enough counts as proven; one flipped byte is found each hour until it is mended', async () => {
    const db = await open();
    const clock = new FakeClock(nowSeconds * 1000);
    await giveWallet(db, 1, 1000);
    const [first = 0, second = 0] = await giveCalls(db, clock, ['a', 'b', 'c'], nowSeconds - 1000);
    const [young = 0] = await giveCalls(db, clock, ['d'], nowSeconds - 10);
    const watch = createProofWatch({ db, clock, sign, node: 'a' });
    const flipped = await edit(db, second, (receipt) => receipt.replace('"prompt":10', '"prompt":11'));
    for (let hour = 0; hour < 2; hour += 1) {
      expect((await watch.run())?.differences).toEqual([`receipts_recompute: log:${second}: forged`]);
      expect(await mark(db)).toBe(first);
      const proof = await proveLedger({ db, clock, sign });
      expect(proof.checks.at(-1)).toMatchObject({ ok: false, first_difference: `log:${second}: forged` });
      expect(proof.hourly).toMatchObject({ ok: false, difference: `receipts_recompute: log:${second}: forged` });
      clock.advanceMs(3_600_000);
    }
    await edit(db, second, () => flipped);
    expect(await watch.run()).toEqual({ differences: [], receipts: 3 });
    expect(await mark(db)).toBe(young);
    // What was proven is not looked at again, except when all of it is asked for.
    await edit(db, first, (receipt) => receipt.replace('"cost":30', '"cost":31'));
    expect((await proveLedger({ db, clock, sign })).checks.at(-1)).toMatchObject({
      ok: true,
      detail: expect.stringContaining('0 charges'),
    });
    expect((await proveLedger({ db, clock, sign, receipts: 'all' })).checks.at(-1)).toMatchObject({ ok: false });
  });

  test('more receipts than one run reads are read on by one node, a slice at a time with rests in between, until none is left', async () => {
    const db = await open();
    const clock = new FakeClock(nowSeconds * 1000);
    await giveWallet(db, 1, 100_000);
    const names = Array.from({ length: 650 }, (_, index) => `call${index}`);
    const rows = await giveCalls(db, clock, names, nowSeconds - 1000);
    const rests: number[] = [];
    const rest = async (ms: number) => void rests.push(ms);
    // Of pages of 100.
    const [one, other] = ['a', 'b'].map((node) => createProofWatch({ db, clock, sign, node, maxReceipts: 200, rest }));
    if (one === undefined || other === undefined) throw new Error('two nodes');
    expect(await one.run()).toEqual({ differences: [], receipts: 200 });
    expect(await unprovenSince(db)).toBe(nowSeconds - 1000);
    const nothing = { difference: undefined, more: false };
    expect(await one.readOn()).toEqual({ ...nothing, more: true });
    expect(await mark(db)).toBe(rows[399]);
    expect(await other.readOn()).toEqual(nothing);
    expect(await mark(db)).toBe(rows[399]);
    expect(await one.readOn(() => true)).toEqual({ ...nothing, more: true });
    expect(await mark(db)).toBe(rows[499]);
    expect(await one.readOn()).toEqual(nothing);
    expect(await mark(db)).toBe(rows.at(-1));
    expect(await unprovenSince(db)).toBeUndefined();
    expect(rests).toHaveLength(4);
    // The one that read has died.
    const [last = 0] = await giveCalls(db, clock, ['last'], nowSeconds);
    clock.advanceMs(700_000);
    expect(await other.readOn()).toEqual(nothing);
    expect(await mark(db)).toBe(last);
  });

  test('what else is in the log is passed, and not looked through again each time', async () => {
    const db = await open();
    const clock = new FakeClock(nowSeconds * 1000);
    const rows = Array.from({ length: 250 }, () => ({ ...plainLog, type: logType.error, created_at: nowSeconds - 1000 }));
    await db.transaction((tx) => tx.query.insertInto('log').values(rows).execute());
    const watch = createProofWatch({ db, clock, sign, node: 'a', maxReceipts: 100 });
    expect(await watch.run()).toEqual({ differences: [], receipts: 0 });
    expect(await unprovenSince(db)).toBe(nowSeconds - 1000);
    expect(await watch.readOn()).toEqual({ difference: undefined, more: true });
    expect(await watch.readOn()).toEqual({ difference: undefined, more: false });
    expect(await unprovenSince(db)).toBeUndefined();
  });

  test('a difference that is found between two proofs turns the proof red, and is told once until the next one', async () => {
    const db = await open();
    const clock = new FakeClock(nowSeconds * 1000);
    await giveWallet(db, 1, 1000);
    const watch = createProofWatch({ db, clock, sign, node: 'a' });
    await watch.run();
    const [first = 0, second = 0] = await giveCalls(db, clock, ['a', 'b'], nowSeconds - 1000);
    const flipped = await edit(db, second, (receipt) => receipt.replace('"prompt":10', '"prompt":11'));
    const difference = `receipts_recompute: log:${second}: forged`;
    expect(await watch.readOn()).toEqual({ difference, more: false });
    expect(await mark(db)).toBe(first);
    expect(await watch.readOn()).toEqual({ difference: undefined, more: false });
    expect((await proveLedger({ db, clock, sign })).hourly).toMatchObject({ ok: false, difference });
    clock.advanceMs(3_600_000);
    expect((await watch.run())?.differences).toEqual([difference]);
    expect(await watch.readOn()).toEqual({ difference: undefined, more: false });
    await edit(db, second, () => flipped);
    clock.advanceMs(3_600_000);
    expect(await watch.run()).toEqual({ differences: [], receipts: 1 });
    expect((await proveLedger({ db, clock, sign })).hourly).toMatchObject({ ok: true });
  });

  test('a row that is still young is not passed over for an older one that was booked after it', async () => {
    const db = await open();
    const clock = new FakeClock(nowSeconds * 1000);
    await giveWallet(db, 1, 1000);
    const [young = 0] = await giveCalls(db, clock, ['young'], nowSeconds - 10);
    const [late = 0] = await giveCalls(db, clock, ['from an outbox'], nowSeconds - 5_000);
    expect(late).toBeGreaterThan(young);
    const watch = createProofWatch({ db, clock, sign, node: 'a' });
    expect(await watch.run()).toEqual({ differences: [], receipts: 0 });
    await edit(db, young, (receipt) => receipt.replace('"prompt":10', '"prompt":11'));
    clock.advanceMs(3_600_000);
    expect((await watch.run())?.differences).toEqual([`receipts_recompute: log:${young}: forged`]);
  });

  test('a row by a clock that ran a day ahead keeps none after it from being proven', async () => {
    const db = await open();
    const clock = new FakeClock(nowSeconds * 1000);
    await giveWallet(db, 1, 1000);
    await giveCalls(db, clock, ['ahead'], nowSeconds + 86_400);
    const [after = 0] = await giveCalls(db, clock, ['after'], nowSeconds - 1000);
    expect(await createProofWatch({ db, clock, sign, node: 'a' }).run()).toEqual({ differences: [], receipts: 2 });
    expect(await mark(db)).toBe(after);
  });

  test('a proof by a clock that ran a day ahead keeps none of the hours from theirs once the clock was set back', async () => {
    const db = await open();
    const clock = new FakeClock((nowSeconds + 86_400) * 1000);
    const watch = createProofWatch({ db, clock, sign, node: 'a' });
    expect(await watch.run()).toBeDefined();
    clock.skewMs(-86_400_000);
    expect(await watch.run()).toBeDefined();
    expect(await watch.run()).toBeUndefined();
    clock.advanceMs(3_600_000);
    expect(await watch.run()).toBeDefined();
  });

  test('a row whose charge differs from its receipt, and one with the receipt of another call, are named', async () => {
    const db = await open();
    const clock = new FakeClock(nowSeconds * 1000);
    await giveWallet(db, 1, 1000);
    const [first = 0, second = 0] = await giveCalls(db, clock, ['a', 'b']);
    const theirs = await edit(db, first, (receipt) => receipt);
    const own = await edit(db, second, () => theirs);
    const difference = async () => (await proveLedger({ db, clock, sign })).checks.at(-1)?.first_difference;
    expect(await difference()).toBe(`log:${second}: the receipt of another call`);
    await edit(db, second, () => own);
    await db.transaction((tx) => tx.query.updateTable('log').set({ quota: 29 }).where('id', '=', first).execute());
    expect(await difference()).toBe(`log:${first}: 29 instead of 30`);
  });

  test('what a sweep charged for a dead process is proven too, although nobody could sign it', async () => {
    const db = await open();
    const clock = new FakeClock(nowSeconds * 1000);
    await giveWallet(db, 1, 1000);
    const tokenId = await giveToken(db, 1, { remain: 0, unlimited: true });
    const ledger = createLedger({ db, clock });
    const draft = draftOf('dead', 1, tokenId, { receipt: writeReceipt('dead', plainPrice, usage, 30, () => '') });
    await ledger.hold(holdOf('dead', 1, tokenId, 100, { now: nowSeconds, leaseUntil: nowSeconds + 1, floorCost: 10, draft }));
    await ledger.dispatch('dead');
    await ledger.sweep(nowSeconds + 2);
    const row = await db.read.selectFrom('log').select(['id', 'quota']).executeTakeFirstOrThrow();
    expect(row.quota).toBe(10);
    expect((await proveLedger({ db, clock, sign })).ok).toBe(true);
    await edit(db, row.id, (receipt) => receipt.replace('"cost":30', '"cost":3'));
    expect((await proveLedger({ db, clock, sign })).checks.at(-1)?.first_difference).toBe(`log:${row.id}: wrong_cost`);
  });
});
