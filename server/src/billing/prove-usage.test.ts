import type { KyselyPlugin } from 'kysely';
import { expect, test } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { giveWallet } from '../../test/ledger-kit.ts';
import { planned } from '../../test/planned.ts';
import type { Database } from '../storage/database.ts';
import { proveUsage } from './prove-usage.ts';

const days = 30;
const daySeconds = 86_400;

/** A user who spent 10 on each of thirty days, one of them without a time. */
async function tellStory(db: Database): Promise<void> {
  await giveWallet(db, 1, 1_000);
  const day = { cube: 3, user_id: 1, username: 'u', token_id: 0, token_name: '', model_name: '', channel_id: 0, group_name: '' };
  const sums = { calls: 1, errors: 0, quota: 10, prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, streams: 0 };
  const starts = Array.from({ length: days }, (_, index) => (index === 0 ? 0 : (20_000 + index) * daySeconds));
  const rows = starts.map((start) => ({ start, latency: '', first_token: '' }));
  await db.transaction(async ({ query }) => {
    await query
      .insertInto('usage_day')
      .values(rows.map((row) => ({ ...day, ...sums, ...row, owner: 0 })))
      .execute();
    await query
      .updateTable('wallet')
      .set({ used_quota: days * 10 })
      .where('user_id', '=', 1)
      .execute();
  });
}

/** What a late charge of 5 changes: the sums of its day, and the wallet. */
async function correct(db: Database, isBooked: boolean): Promise<void> {
  await db.transaction(async ({ query }) => {
    const plus = query.updateTable('usage_day').set((column) => ({ quota: column('quota', '+', 5) }));
    await plus.where('start', '=', 20_003 * daySeconds).execute();
    if (!isBooked) return;
    await query
      .updateTable('wallet')
      .set((column) => ({ used_quota: column('used_quota', '+', 5) }))
      .where('user_id', '=', 1)
      .execute();
  });
}

onEachEngine((_engine, open) => {
  test('what the dashboard sums is added up day by day, and a difference of one long over is told', async () => {
    const db = await open();
    await tellStory(db);
    const { heard, texts } = planned(db);
    expect(await proveUsage(heard)).toBeUndefined();
    const read = texts().filter((text) => text.includes('FROM usage_day') && !text.includes('wallet'));
    expect(read.filter((text) => text.includes('SUM(quota)'))).toHaveLength(days - 2);
    // What has no time stands decades before the rest: only days that have sums are asked.
    expect(read.length).toBeLessThan(3 * days);
    await correct(db, false);
    expect(await proveUsage(db)).toEqual({ what: 'user:1', expected: 300, found: 305 });
  });

  test('a late charge of a day that was added up already is no difference', async () => {
    const db = await open();
    await tellStory(db);
    let daysRead = 0;
    const correcting: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (result.rows.some((row) => 'total' in row)) {
          daysRead += 1;
          if (daysRead === 10) await correct(db, true);
        }
        return result;
      },
    };
    expect(await proveUsage({ read: db.read.withPlugin(correcting) })).toBeUndefined();
    expect(daysRead).toBe(2 * (days - 2));
  });
});
