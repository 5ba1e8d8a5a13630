import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeClock } from '../../test/fake-clock.ts';
import { draftOf, holdOf } from '../../test/ledger-kit.ts';
import type { Database } from '../storage/database.ts';
import { LedgerUnavailable } from './errors.ts';
import { createLedger } from './ledger.ts';
import { maxBatch, maxWaiting } from './queue.ts';
import { type PackedBatch, unpackBatch } from './works-packed.ts';
import type { BatchInput } from './works-types.ts';

/** A database whose commits end when the test says so. */
function stubDatabase(): { db: Database; batches: BatchInput[]; finish(): Promise<void> } {
  const batches: BatchInput[] = [];
  const endings: (() => void)[] = [];
  const run = (_: string, input: unknown): Promise<unknown> => {
    const batch = unpackBatch(input as PackedBatch);
    batches.push(batch);
    const results = batch.operations.map(({ kind }) => (kind === 'hold' ? { ok: true } : true));
    return new Promise((resolve) => endings.push(() => resolve(results)));
  };
  const finish = async (): Promise<void> => {
    endings.shift()?.();
    // The turns of the loop in which the next batch gathers.
    for (let turn = 0; turn < 6; turn += 1) await vi.advanceTimersByTimeAsync(1);
  };
  return { db: { run } as unknown as Database, batches, finish };
}

let clock: FakeClock;

beforeEach(() => {
  vi.useFakeTimers();
  clock = new FakeClock(1_000_000);
});
afterEach(() => {
  vi.useRealTimers();
});

async function advance(ms: number): Promise<void> {
  clock.advanceMs(ms);
  await vi.advanceTimersByTimeAsync(ms);
}

const hold = (index: number) => holdOf(`h${index}`, 1, 0, 1);

test('an idle ledger commits at once; while one commit runs the next batch gathers', async () => {
  const { db, batches, finish } = stubDatabase();
  const ledger = createLedger({ db, clock });
  const first = ledger.hold(hold(0));
  await advance(0);
  expect(batches.map((batch) => batch.operations.length)).toEqual([1]);
  const others = Array.from({ length: maxBatch + 5 }, (_, index) => ledger.hold(hold(index + 1)));
  await finish();
  expect(await first).toEqual({ ok: true });
  await finish();
  await finish();
  await Promise.all(others);
  expect(batches.map((batch) => batch.operations.length)).toEqual([1, maxBatch, 5]);
});

test('holds and settles that queued meanwhile share one transaction', async () => {
  const { db, batches, finish } = stubDatabase();
  const ledger = createLedger({ db, clock });
  void ledger.hold(hold(0));
  await advance(0);
  void ledger.hold(hold(1));
  void ledger.settle({ id: 'h9', cost: 1, now: 1, draft: draftOf('h9', 1, 0) });
  await finish();
  expect(batches[1]?.operations.map(({ kind }) => kind)).toEqual(['hold', 'settle']);
});

test('what the answered callers ask next shares the commit that follows', async () => {
  const { db, batches, finish } = stubDatabase();
  const ledger = createLedger({ db, clock });
  const first = ['a', 'b', 'c'].map((id) => ledger.release(id).then(() => ledger.release(`${id} again`)));
  await advance(0);
  const late = ledger.release('late');
  await finish();
  await finish();
  await Promise.all([...first, late]);
  expect(batches.map((batch) => batch.operations.length)).toEqual([3, 4]);
});

test('new holds are refused when too many wait; closing a hold is not', async () => {
  const { db } = stubDatabase();
  const ledger = createLedger({ db, clock });
  const holds = Array.from({ length: maxWaiting + 1 }, (_, index) => ledger.hold(hold(index)).catch(() => 'refused'));
  await advance(0);
  // The first batch is under way: that many may wait beside it.
  const more = Array.from({ length: maxBatch }, (_, index) => ledger.hold(hold(10_000 + index)).catch(() => 'refused'));
  const refused = ledger.hold(hold(99_999));
  await expect(refused).rejects.toMatchObject({ code: 'billing_unavailable' });
  let closed: unknown;
  ledger.release('x').catch((error: unknown) => {
    closed = error;
  });
  await advance(1);
  expect(closed).toBeUndefined();
  expect(holds.length + more.length).toBe(maxWaiting + 1 + maxBatch);
});

test('a hold that waits longer than 2 s is refused, and newcomers at once', async () => {
  const { db } = stubDatabase();
  const ledger = createLedger({ db, clock });
  const waiting = ledger.hold(hold(0)).catch((error: unknown) => error);
  await advance(1999);
  await advance(10);
  expect(await waiting).toBeInstanceOf(LedgerUnavailable);
  await expect(ledger.hold(hold(1))).rejects.toThrow('too slow');
});

test('a hold that was made after its caller had been refused is given back', async () => {
  const { db, batches, finish } = stubDatabase();
  const ledger = createLedger({ db, clock });
  const waiting = ledger.hold(hold(0)).catch((error: unknown) => error);
  await advance(2100);
  expect(await waiting).toBeInstanceOf(LedgerUnavailable);
  await finish();
  expect(batches[1]?.operations).toMatchObject([{ kind: 'release', id: 'h0' }]);
});

test('a hold that never started before its time-out is never made', async () => {
  const { db, batches, finish } = stubDatabase();
  const ledger = createLedger({ db, clock });
  void ledger.release('a');
  await advance(0);
  const waiting = ledger.hold(hold(0)).catch((error: unknown) => error);
  await advance(2100);
  expect(await waiting).toBeInstanceOf(LedgerUnavailable);
  await finish();
  expect(batches).toHaveLength(1);
});

test('flush waits for what was accepted', async () => {
  const { db, finish } = stubDatabase();
  const ledger = createLedger({ db, clock });
  let flushed = false;
  void ledger.release('a');
  void ledger.flush().then(() => {
    flushed = true;
  });
  await advance(5);
  expect(flushed).toBe(false);
  await finish();
  expect(flushed).toBe(true);
});

test('an amount that is not a whole safe number never reaches the database', async () => {
  const { db, batches } = stubDatabase();
  const ledger = createLedger({ db, clock });
  for (const amount of [-1, 0.5, Number.NaN, 2 ** 53]) {
    await expect(ledger.hold(holdOf('a', 1, 0, amount))).rejects.toThrow(RangeError);
    await expect(ledger.settle({ id: 'a', cost: amount, now: 1, draft: draftOf('a', 1, 0) })).rejects.toThrow(RangeError);
  }
  expect(batches).toEqual([]);
});

test('the charge of a streamed answer goes with the next commit of others, or soon with its own', async () => {
  const { db, batches, finish } = stubDatabase();
  const ledger = createLedger({ db, clock });
  const settle = (id: string) => ledger.settle({ id, cost: 1, now: 1, draft: draftOf(id, 1, 0, { isStream: true }) });
  const first = settle('a');
  await advance(1);
  expect(batches).toEqual([]);
  const held = ledger.hold(hold(1));
  await advance(0);
  await finish();
  await Promise.all([first, held]);
  const second = settle('b');
  await advance(10);
  await finish();
  await second;
  const third = settle('c');
  const flushed = ledger.flush();
  await advance(0);
  await finish();
  await Promise.all([third, flushed]);
  const kinds = batches.map(({ operations }) => operations.map(({ kind }) => kind));
  expect(kinds).toEqual([['settle', 'hold'], ['settle'], ['settle']]);
});
