import { logType } from '@tollgate/contract';
import type { KyselyPlugin } from 'kysely';
import { expect, test } from 'vitest';
import { captureLog } from '../../test/capture-log.ts';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { draftOf, giveToken, giveWallet, holdOf } from '../../test/ledger-kit.ts';
import { rollAll, rollupOn } from '../../test/usage-kit.ts';
import { createLedger } from '../billing/index.ts';
import type { Database } from '../storage/database.ts';
import { createCleanupRun } from '../usage/index.ts';
import { createSpending } from './spending.ts';

const noon = Date.UTC(2026, 10, 20, 12) / 1000;
const day = 86_400;

async function charge(db: Database, quota: number, createdAt: number, tokenId = 1): Promise<void> {
  await db.transaction((tx) =>
    tx.query
      .insertInto('log')
      .values({
        ...{ created_at: createdAt, type: logType.consume, user_id: 7, username: 'u', token_id: tokenId, token_name: 't' },
        ...{ model_name: 'm', channel_id: 1, group_name: 'default', quota, shortfall: 0, prompt_tokens: 1, completion_tokens: 1 },
        ...{ use_time: 1, is_stream: 0, content: '', other: '{}', request_id: `r${createdAt}-${quota}`, ip: '', receipt: '' },
      })
      .execute(),
  );
}

onEachEngine((_engine, open) => {
  test('days and months are those of UTC, of one token or of all, with what runs and what just ended', async () => {
    const db = await open();
    const clock = new FakeClock(noon * 1000);
    await charge(db, 1, noon - 30 * day);
    await charge(db, 10, noon - 3 * day);
    await charge(db, 100, noon - 60);
    await charge(db, 1_000, noon - 60, 2);
    const spending = createSpending({ read: db.read, clock, log: captureLog() });
    const token = await spending.of({ userId: 7, tokenId: 1 });
    const user = await spending.of({ userId: 7, tokenId: undefined });
    expect([token.day, token.month, user.day, user.month]).toEqual([100, 110, 1_100, 1_110]);
    token.reserve('c1', 50);
    expect(token.day).toBe(150);
    token.settle('c1', 30);
    expect(token.day).toBe(130);
    expect(await spending.of({ userId: 7, tokenId: 1 })).toBe(token);
    await charge(db, 30, noon);
    await charge(db, 5, noon, 1);
    clock.advanceMs(16_000);
    await spending.of({ userId: 7, tokenId: 1 });
    await expect.poll(() => token.day).toBe(135);
    clock.advanceMs(day * 1000);
    const tomorrow = await spending.of({ userId: 7, tokenId: 1 });
    expect([tomorrow.day, tomorrow.month]).toEqual([0, 145]);
  });

  test('what is held for a task counts on every node until the task is charged or given back', async () => {
    const db = await open();
    const clock = new FakeClock(noon * 1000);
    const ledger = createLedger({ db, clock });
    await giveWallet(db, 7, 10_000);
    const tokenId = await giveToken(db, 7, { remain: 0, unlimited: true });
    const nodes = [0, 1].map(() => createSpending({ read: db.read, clock, log: captureLog() }));
    /** What each node says of the token and of the user once it has read anew. */
    const told = async () => {
      clock.advanceMs(31_000);
      const books = nodes.flatMap((node) => [node.of({ userId: 7, tokenId }), node.of({ userId: 7, tokenId: undefined })]);
      return (await Promise.all(books)).map(({ day, month }) => [day, month]);
    };
    const all = (token: number, user = token) => [token, user, token, user].map((quota) => [quota, quota]);
    expect(await told()).toEqual(all(0));
    await ledger.hold({ ...holdOf('video', 7, tokenId, 450), keeper: 'task' });
    await ledger.hold({ ...holdOf('song', 7, 0, 20), keeper: 'task' });
    await ledger.hold(holdOf('chat', 7, tokenId, 5));
    expect(await told()).toEqual(all(450, 470));
    await ledger.release('song');
    await ledger.settle({ id: 'video', cost: 400, now: noon, draft: draftOf('video', 7, tokenId) });
    expect(await told()).toEqual(all(400));
  });

  test('what is charged while a day and its month are read for the first time counts once in both', async () => {
    const db = await open();
    const clock = new FakeClock(noon * 1000);
    await charge(db, 10, noon - 3 * day);
    await charge(db, 100, noon - 60);
    /** The day waits until the month was read, and for what another node charges then. */
    let monthWasRead: () => void = () => undefined;
    const month = new Promise<void>((resolve) => {
      monthWasRead = resolve;
    });
    const kinds = new WeakMap<object, string>();
    const slow: KyselyPlugin = {
      transformQuery({ node, queryId }) {
        kinds.set(queryId, JSON.stringify(node));
        return node;
      },
      async transformResult({ result, queryId }) {
        const text = kinds.get(queryId) ?? '';
        if (text.includes('"hold"')) {
          await month;
          await charge(db, 30, noon - 1);
        } else if (text.includes('whole')) monthWasRead();
        return result;
      },
    };
    const spending = createSpending({ read: db.read.withPlugin(slow), clock, log: captureLog() });
    const token = await spending.of({ userId: 7, tokenId: 1 });
    expect([token.day, token.month]).toEqual([130, 140]);
  });

  test('what was charged before midnight and booked after it counts in the month', async () => {
    const db = await open();
    const midnight = noon + day / 2;
    const clock = new FakeClock(midnight * 1000);
    const spending = createSpending({ read: db.read, clock, log: captureLog() });
    const token = await spending.of({ userId: 7, tokenId: 1 });
    await charge(db, 30, midnight - 1);
    clock.advanceMs(31_000);
    await spending.of({ userId: 7, tokenId: 1 });
    expect([token.day, token.month]).toEqual([0, 30]);
  });

  test('what is given back of earlier days of the month, and what is booked for them much later, counts ten minutes after', async () => {
    const db = await open();
    const clock = new FakeClock(noon * 1000);
    await charge(db, 40, noon - day);
    const spending = createSpending({ read: db.read, clock, log: captureLog() });
    const month = async () => (await spending.of({ userId: 7, tokenId: 1 })).month;
    expect(await month()).toBe(40);
    await db.transaction((tx) => tx.query.updateTable('log').set({ quota: 10 }).execute());
    await charge(db, 7, noon - 2 * day);
    clock.advanceMs(600_000);
    expect(await month()).toBe(17);
  });

  test('calls that come while the figures are read see each other', async () => {
    const db = await open();
    const clock = new FakeClock(noon * 1000);
    await charge(db, 100, noon - 60);
    const spending = createSpending({ read: db.read, clock, log: captureLog() });
    const books = await Promise.all(Array.from({ length: 20 }, () => spending.of({ userId: 7, tokenId: 1 })));
    for (const [index, book] of books.entries()) book.reserve(`c${index}`, 1);
    expect(books.map(({ day }) => day)).toEqual(Array(20).fill(120));
    clock.advanceMs(day * 1000);
    const tomorrow = await Promise.all(Array.from({ length: 20 }, () => spending.of({ userId: 7, tokenId: 1 })));
    tomorrow[0]?.settle('c0', 5);
    expect(tomorrow.map((book) => book.day)).toEqual(Array(20).fill(24));
  });

  test('what a call over midnight comes to counts for the day on which it ended, at once', async () => {
    const db = await open();
    const clock = new FakeClock(noon * 1000);
    const spending = createSpending({ read: db.read, clock, log: captureLog() });
    const yesterday = await spending.of({ userId: 7, tokenId: 1 });
    for (const call of ['c1', 'c2']) yesterday.reserve(call, 50);
    clock.advanceMs(day * 1000);
    const today = await spending.of({ userId: 7, tokenId: 1 });
    yesterday.settle('c1', 40);
    expect([today.day, today.month]).toEqual([90, 90]);
    clock.advanceMs(day * 1000);
    const tomorrow = await spending.of({ userId: 7, tokenId: 1 });
    yesterday.settle('c2', 30);
    expect(tomorrow.day).toBe(30);
  });

  test('figures of a while ago are read anew before anybody is judged by them', async () => {
    const db = await open();
    const clock = new FakeClock(noon * 1000);
    const spending = createSpending({ read: db.read, clock, log: captureLog() });
    await spending.of({ userId: 7, tokenId: 1 });
    await charge(db, 900, noon);
    clock.advanceMs(3_600_000);
    const both = [spending.of({ userId: 7, tokenId: 1 }), spending.of({ userId: 7, tokenId: 1 })];
    expect((await Promise.all(both)).map((book) => book.day)).toEqual([900, 900]);
  });

  test('figures that cannot be read anew are told with whose they are, and the last ones count', async () => {
    const db = await open();
    const clock = new FakeClock(noon * 1000);
    const log = captureLog();
    const spending = createSpending({ read: db.read, clock, log });
    await charge(db, 900, noon);
    await spending.of({ userId: 7, tokenId: 1 });
    await db.close();
    clock.advanceMs(16_000);
    expect((await spending.of({ userId: 7, tokenId: 1 })).day).toBe(900);
    await expect.poll(() => log.lines.map(({ text }) => text).join()).toMatch(/could not be read anew.*"userId":7,"tokenId":1/);
  });

  test('a clock that is set back keeps no figures: what other nodes charge is seen as before', async () => {
    const db = await open();
    const clock = new FakeClock(noon * 1000);
    const spending = createSpending({ read: db.read, clock, log: captureLog() });
    await spending.of({ userId: 7, tokenId: 1 });
    clock.skewMs(-3_600_000);
    await charge(db, 900, noon - 3_600);
    clock.advanceMs(60_000);
    expect((await spending.of({ userId: 7, tokenId: 1 })).day).toBe(900);
  });

  test('what was charged while the clock ran days ahead counts on its own day, not on every day until then', async () => {
    const db = await open();
    const clock = new FakeClock(noon * 1000);
    await charge(db, 5, noon);
    await charge(db, 700, noon + 2 * day);
    const spending = createSpending({ read: db.read, clock, log: captureLog() });
    const seen = async () => {
      const { day: today, month } = await spending.of({ userId: 7, tokenId: 1 });
      clock.advanceMs(day * 1000);
      return [today, month];
    };
    expect([await seen(), await seen(), await seen()]).toEqual([
      [5, 5],
      [0, 5],
      [700, 705],
    ]);
  });

  test('deleting rows of the running month, and of today, gives nobody his limit back', async () => {
    const db = await open();
    const clock = new FakeClock(noon * 1000);
    const spent = async () => {
      const spending = createSpending({ read: db.read, clock, log: captureLog() });
      const token = await spending.of({ userId: 7, tokenId: 1 });
      const user = await spending.of({ userId: 7, tokenId: undefined });
      return [token.day, token.month, user.day, user.month];
    };
    await charge(db, 10, noon - 3 * day);
    await charge(db, 100, noon - 7_000);
    await charge(db, 1_000, noon - 6_000, 2);
    await rollAll(rollupOn(db));
    await charge(db, 7, noon - 60);
    const before = await spent();
    expect(before).toEqual([107, 117, 1_107, 1_117]);
    const cleanup = createCleanupRun({ db, clock, log: captureLog(), node: 'n1', pauseMs: 0 });
    await cleanup.start(noon, { id: 1, username: 'root', ip: '' });
    await cleanup.wait(60_000);
    expect(await cleanup.state()).toMatchObject({ deleted: 3, failed: false });
    expect(await spent()).toEqual(before);
  });
});
