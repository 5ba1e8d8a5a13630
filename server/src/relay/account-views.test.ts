import { expect, onTestFinished, test, vi } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { seedLog, usageRow } from '../../test/usage-kit.ts';
import type { KeyRecord } from '../identity/index.ts';
import { createMemoryLimiter } from '../platform/limiter/memory.ts';
import type { Options } from '../settings/index.ts';
import { createRollup } from '../usage/index.ts';
import { type AccountViewParts, accountView } from './account-views.ts';

const day = 86_400;
const now = 20_000 * day + 50_000;

onEachEngine((_name, open) => {
  test('what a key used, by day and model: exact at both ends, the same after a cleanup of the log, and not without end', async () => {
    const db = await open();
    const clock = new FakeClock(now * 1000);
    const mine = { user_id: 7, token_id: 3 };
    await seedLog(db, [
      usageRow({ ...mine, created_at: now - 40 * day, quota: 5 }),
      usageRow({ ...mine, created_at: now - day - 1, quota: 1_000 }),
      usageRow({ ...mine, created_at: now - day, quota: 100 }),
      usageRow({ ...mine, created_at: now - 3_700, quota: 20, model_name: 'm2' }),
      usageRow({ ...mine, created_at: now - 10, quota: 3, model_name: 'm2' }),
      usageRow({ ...mine, created_at: now - 10, quota: 0, type: 5 }),
      usageRow({ ...mine, created_at: now, quota: 9_000 }),
      usageRow({ user_id: 7, token_id: 4, created_at: now - 10, quota: 70_000 }),
    ]);
    const questions = createMemoryLimiter({ clock, factor: 1 });
    const parts = { read: db.read, analyse: db.analyse, clock, questions } as unknown as AccountViewParts;
    const ask = async (start: number | string) => {
      const key = { tokenId: 3, user: { id: 7 } } as KeyRecord;
      const query = new URLSearchParams({ start: String(start), end: String(now) });
      const view = await accountView(parts, 'usage', { key, query, options: {} as Options, requestId: undefined });
      return (view as { data: { day: string; model: string; quota: number; requests: number }[] }).data;
    };
    const expected = [
      { day: '2024-10-03', model: 'm1', requests: 1, quota: 100, prompt_tokens: 4, completion_tokens: 6 },
      { day: '2024-10-04', model: 'm2', requests: 2, quota: 23, prompt_tokens: 8, completion_tokens: 12 },
    ];
    expect(await ask(now - day)).toEqual(expected);
    // A time that names no zone is one of UTC, wherever the machine stands.
    vi.stubEnv('TZ', 'Asia/Shanghai');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await ask(new Date((now - day) * 1000).toISOString().slice(0, 19))).toEqual(expected);
    const rollup = createRollup({ db, clock, node: 'n' });
    for (let step = 0; step < 4; step += 1) await rollup.step();
    expect(await ask(now - day)).toEqual(expected);
    // Of whole hours the sums know all that the log knew.
    await db.transaction((tx) =>
      tx.query
        .deleteFrom('log')
        .where('created_at', '<', now - 20 * day)
        .execute(),
    );
    const [old] = await ask(now - 41 * day - (now % 3_600));
    expect(old).toMatchObject({ quota: 5, requests: 1 });
    const refused = async () => {
      for (let asked = 0; ; asked += 1) await ask(now - day).catch((error: unknown) => Promise.reject([asked, error]));
    };
    await expect(refused()).rejects.toMatchObject([26, { status: 429, retryAfterSeconds: 60 }]);
  });

  test('what a key used in all is cents without digits that nobody spent', async () => {
    const db = await open();
    const key = { tokenId: 3, user: { id: 7 } } as KeyRecord;
    const wallet = { user_id: 7, available: 0, held: 0, used_quota: 16, request_count: 1, version: 1 };
    await db.transaction((tx) => tx.query.insertInto('wallet').values(wallet).execute());
    const options = { DisplayTokenStatEnabled: false, DisplayInCurrencyEnabled: true, QuotaPerUnit: 500_000 } as Options;
    const asking = { key, options, query: undefined, requestId: undefined };
    const view = await accountView({ read: db.read } as unknown as AccountViewParts, 'billing-usage', asking);
    expect(view).toEqual({ object: 'list', total_usage: 0.0032 });
  });

  test('what a call cost, and why its answer was cut off where it was', async () => {
    const db = await open();
    const mine = { user_id: 7, token_id: 3, quota: 5, created_at: now };
    await seedLog(db, [
      usageRow({ ...mine, request_id: 'r1', other: '{"usage_source":"counted","cut":true,"cut_by":"timeout"}' }),
      usageRow({ ...mine, request_id: 'r2', other: '{"usage_source":"upstream"}' }),
    ]);
    const key = { tokenId: 3, user: { id: 7 } } as KeyRecord;
    const ask = (requestId: string) =>
      accountView({ read: db.read } as unknown as AccountViewParts, 'cost', {
        ...{ key, requestId, options: {} as Options, query: undefined },
      });
    expect(await ask('r1')).toMatchObject({ object: 'cost', request_id: 'r1', quota: 5, cut: 'timeout' });
    expect(await ask('r2')).toMatchObject({ request_id: 'r2', cut: '' });
    expect(await ask('r2')).not.toHaveProperty('other');
  });

  test('a time with more days and models than one answer holds is refused, and not told in part', async () => {
    const db = await open();
    const mine = { user_id: 7, token_id: 3, quota: 1, created_at: now - 10 };
    for (let from = 0; from <= 10_000; from += 500) {
      const count = Math.min(500, 10_001 - from);
      await seedLog(
        db,
        Array.from({ length: count }, (_, at) => usageRow({ ...mine, model_name: `m${from + at}` })),
      );
    }
    const clock = new FakeClock(now * 1000);
    const questions = createMemoryLimiter({ clock, factor: 1 });
    const parts = { read: db.read, analyse: db.analyse, clock, questions } as unknown as AccountViewParts;
    const asking = { key: { tokenId: 3, user: { id: 7 } } as KeyRecord, options: {} as Options, requestId: undefined };
    await expect(accountView(parts, 'usage', { ...asking, query: undefined })).rejects.toMatchObject({ status: 400 });
  });
});
