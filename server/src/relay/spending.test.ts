import { logType } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { captureLog } from '../../test/capture-log.ts';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { rollAll, rollupOn } from '../../test/usage-kit.ts';
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
