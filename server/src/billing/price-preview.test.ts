import { logType } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { plainPrice } from '../../test/plain-price.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../storage/database.ts';
import { insertTestLog } from '../usage/index.ts';
import { costOf, unitsOfSeconds, withSurcharge } from './price.ts';
import type { PriceBook } from './price-book.ts';
import { previewPrices } from './price-preview.ts';
import { withServiceTier } from './service-tier.ts';
import type { PriceSnapshot, Usage } from './types.ts';

const nowMs = 1_800_000_000_000;
const book: PriceBook = { lookup: () => ({ ...plainPrice, modelRatioNano: 2 * plainPrice.modelRatioNano }) };

/** One row of 10 tokens for every age in seconds. */
async function fill(db: Database, ages: readonly number[], receipt = receiptOf(10)): Promise<void> {
  const rows = ages.map((age, index) => ({
    ...{ created_at: nowMs / 1000 - age, type: logType.consume, user_id: 1, username: 'ann', token_id: 0, token_name: '' },
    ...{
      model_name: 'm',
      channel_id: 0,
      group_name: 'default',
      quota: 10,
      shortfall: 0,
      prompt_tokens: 10,
      completion_tokens: 0,
    },
    ...{ use_time: 0, is_stream: 0, content: '', other: '{}', request_id: `r${index}`, ip: '', receipt },
  }));
  await db.transaction((tx) => tx.query.insertInto('log').values(rows).execute());
}

function receiptOf(prompt: number): string {
  return JSON.stringify({ v: 1, request_id: 'r', price: plainPrice, usage: usageOf(prompt), cost: prompt, hmac: '' });
}

function usageOf(prompt: number): Usage {
  return { prompt, completion: 0, cached: 0, cacheWrite: 0, reasoning: 0, source: 'upstream', anomaly: false };
}

onEachEngine((_name, open) => {
  test('each row of the range counts once, whatever the slices; older ones do not', async () => {
    const db = await open();
    await fill(db, [0, 0, 0, 1, 1, 2, 50, 86_399, 86_401]);
    for (const slice of [1, 2, 3, 100]) {
      const report = await previewPrices(
        { db, clock: new FakeClock(nowMs) },
        { book, days: 1 },
        { rows: 1000, timeoutMs: 1000, slice },
      );
      expect(report).toMatchObject({ rows: 8, complete: true, now: 80, next: 160 });
    }
  });

  test('tests of channels are no calls that keep a charge', async () => {
    const db = await open();
    await fill(db, [1, 2]);
    const test = {
      userId: 1,
      username: 'root',
      channelId: 1,
      model: 'm',
      group: 'default',
      promptTokens: 1,
      completionTokens: 1,
    };
    await db.transaction((tx) => insertTestLog(tx, { ...test, useTime: 0, wouldCost: 4, now: nowMs / 1000 - 1 }));
    const limits = { rows: 1000, timeoutMs: 1000, slice: 10 };
    const report = await previewPrices({ db, clock: new FakeClock(nowMs) }, { book, days: 1 }, limits);
    expect(report).toMatchObject({ rows: 2, unpriced: 0, now: 20 });
  });

  test('ends at its most rows and at its time with what it has, and says so', async () => {
    const db = await open();
    await fill(db, [0, 1, 2, 3, 4, 5]);
    const clock = new FakeClock(nowMs);
    const bounded = await previewPrices({ db, clock }, { book, days: 1 }, { rows: 4, timeoutMs: 1000, slice: 2 });
    expect(bounded).toMatchObject({ rows: 4, complete: false, now: 40 });
    let ms = 0;
    const hurrying: Clock = { ...clock, nowMs: () => nowMs, monotonicMs: () => (ms += 600) };
    const late = await previewPrices({ db, clock: hurrying }, { book, days: 1 }, { rows: 1000, timeoutMs: 1000, slice: 2 });
    expect(late).toMatchObject({ rows: 4, complete: false });
  });

  test('with the present prices nothing changes, to the unit: what the backup pool took on top and measured seconds included', async () => {
    const db = await open();
    const secondPrice: PriceSnapshot = { ...plainPrice, kind: 'call', callPriceNano: 100_000, perSecond: true };
    const present: PriceBook = { lookup: ({ model }) => (model === 'seconds' ? secondPrice : plainPrice) };
    const rows = [
      { price: withSurcharge(plainPrice, 1.5), usage: usageOf(333) },
      {
        price: { ...withSurcharge(secondPrice, 2.25), model: 'seconds' },
        usage: { ...usageOf(0), unitsNano: unitsOfSeconds(12.5) },
      },
    ];
    for (const { price, usage } of rows) {
      const cost = costOf(price, usage);
      await fill(db, [1], JSON.stringify({ v: 1, request_id: 'r', price, usage, cost, hmac: '' }));
      await db.transaction((tx) => tx.query.updateTable('log').set({ quota: cost }).where('quota', '=', 10).execute());
    }
    const limits = { rows: 1000, timeoutMs: 1000, slice: 10 };
    const report = await previewPrices({ db, clock: new FakeClock(nowMs) }, { book: present, days: 1 }, limits);
    // 333 * 1.5 = 499.5; 0.0001 * 500,000 * 12.5 * 2.25 = 1406.25
    expect(report).toMatchObject({ rows: 2, complete: true, unpriced: 0, now: 500 + 1406, next: 500 + 1406 });
  });

  test('calls that were served in a dearer way are priced by what that costs now', async () => {
    const db = await open();
    const price = withServiceTier(plainPrice, { name: 'priority', ratioNano: 2_000_000_000 });
    const usage = usageOf(5);
    await fill(db, [1], JSON.stringify({ v: 1, request_id: 'r', price, usage, cost: 10, hmac: '' }));
    const present: PriceBook = { lookup: () => plainPrice };
    const limits = { rows: 1000, timeoutMs: 1000, slice: 10 };
    const clock = new FakeClock(nowMs);
    const kept = await previewPrices({ db, clock }, { book: present, days: 1 }, limits);
    expect(kept).toMatchObject({ now: 10, next: 10 });
    const tiers = new Map([['*', new Map([['priority', 3]])]]);
    expect(await previewPrices({ db, clock }, { book: present, tiers, days: 1 }, limits)).toMatchObject({ now: 10, next: 15 });
  });

  test('uses of hosted tools are priced by what they cost now, whether they cost anything then or not', async () => {
    const db = await open();
    const usage = { ...usageOf(10), tools: { web_search: 2 } };
    await fill(db, [1], JSON.stringify({ v: 1, request_id: 'r', price: plainPrice, usage, cost: 10, hmac: '' }));
    const present: PriceBook = { lookup: () => plainPrice };
    const limits = { rows: 1000, timeoutMs: 1000, slice: 10 };
    const clock = new FakeClock(nowMs);
    expect(await previewPrices({ db, clock }, { book: present, days: 1 }, limits)).toMatchObject({ now: 10, next: 10 });
    const tools = new Map([['*', new Map([['web_search', 0.1]])]]);
    // 2 * 0.1 / 1000 * 500,000
    expect(await previewPrices({ db, clock }, { book: present, tools, days: 1 }, limits)).toMatchObject({ now: 10, next: 110 });
  });

  test('a row without a readable receipt or a price keeps its charge', async () => {
    const db = await open();
    await fill(db, [1], '');
    await fill(db, [2], '{"v":1');
    await fill(db, [2], '{"v":1}');
    const clock = new FakeClock(nowMs);
    const limits = { rows: 1000, timeoutMs: 1000, slice: 10 };
    expect(await previewPrices({ db, clock }, { book, days: 1 }, limits)).toMatchObject({ unpriced: 3, now: 30, next: 30 });
    await fill(db, [3]);
    const none: PriceBook = { lookup: () => undefined };
    expect(await previewPrices({ db, clock }, { book: none, days: 1 }, limits)).toMatchObject({ unpriced: 4, now: 40, next: 40 });
  });
});
