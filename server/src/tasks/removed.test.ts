import { drawingQuery, taskQuery } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { createLedger } from '../billing/index.ts';
import { blankUser } from '../identity/registration.ts';
import type { Log } from '../platform/log.ts';
import { createTaskDesk } from './desk.ts';
import { createTaskLists, type TaskScope } from './read.ts';
import { createTaskExpiry } from './store.ts';
import type { Task } from './types.ts';

const log = { warn: () => undefined } as unknown as Log;

onEachEngine((_name, open) => {
  test('what its owner removed is gone from the owner’s lists; for the books its row stays, without words and pictures', async () => {
    const db = await open();
    const clock = new FakeClock(1_000_000_000);
    const money = () => ({ DisplayInCurrencyEnabled: true, QuotaPerUnit: 500_000 });
    const desk = createTaskDesk({ db, clock, ledger: createLedger({ db, clock }), options: money, log });
    const lists = createTaskLists({ db, options: () => ({ MjForwardUrlEnabled: true, ServerAddress: '' }) });
    const nowMs = clock.nowMs();
    const begun = await desk.begin({
      ...{ platform: 'video', action: 'GENERATE', model: 'sora-2', group: 'default', mode: '', publicId: 'p1' },
      ...{ userId: 7, tokenId: 0, channelId: 1, keyId: 'k', holdId: 'req1', quota: 700, charge: undefined },
      input: { prompt: 'private words', seconds: 8, size: '1280x720' },
      ...{ submitAtMs: nowMs, deadlineAtMs: nowMs + 60_000, nowMs, dueAtMs: nowMs + 60_000 },
    });
    await desk.tell(begun, { kind: 'accepted', upstreamId: 'v1', code: 1 }, { dueAtMs: nowMs });
    const said = { status: 'SUCCESS', data: '{"prompt":"private words"}' } as const;
    const ended = (await desk.tell(begun, { kind: 'report', report: said }, { dueAtMs: nowMs })) as Task;
    const query = { ...taskQuery.parse({}), page_size: 10 };
    const own = { kind: 'own', userId: 7 } as const;
    expect(await lists.tasks(own, query)).toMatchObject([{ task_id: 'v1', properties: { input: 'private words' } }]);

    await desk.hide(ended);
    expect([await lists.tasks(own, query), await desk.find({ userId: 7, platform: 'video' }, ['v1'])]).toEqual([[], []]);
    const kept = await db.read.selectFrom('task').selectAll().execute();
    expect(kept).toMatchObject([{ quota: 700, input: '{"seconds":8,"size":"1280x720"}', data: '' }]);
    expect(await lists.tasks({ kind: 'all' }, query)).toMatchObject([{ task_id: 'v1', status: 'SUCCESS', data: null }]);
  });

  test('what is older than tasks are kept is gone alike, once it has ended; what is younger, or waits, stays', async () => {
    const db = await open();
    const daySeconds = 86_400;
    const clock = new FakeClock(1_800_000_000_000);
    const money = () => ({ DisplayInCurrencyEnabled: true, QuotaPerUnit: 500_000 });
    const desk = createTaskDesk({ db, clock, ledger: createLedger({ db, clock }), options: money, log });
    const now = clock.nowMs() / 1000;
    for (const [publicId, days] of Object.entries({ old: 9, waiting: 8, also: 7, young: 1 })) {
      const nowMs = (now - days * daySeconds) * 1000;
      const { id } = await desk.begin({
        ...{ platform: 'mj', action: 'IMAGINE', model: 'mj_imagine', group: 'default', mode: '', publicId },
        ...{ userId: 7, tokenId: 0, channelId: 1, keyId: 'k', holdId: publicId, quota: 7, charge: undefined },
        ...{ input: { prompt: 'private words', size: '1' }, submitAtMs: nowMs, deadlineAtMs: nowMs, nowMs, dueAtMs: nowMs },
      });
      const ended = { data: '{"imageUrl":"x"}', status: 'SUCCESS', ...(publicId !== 'waiting' && { due_at_ms: null }) };
      await db.transaction((tx) => tx.query.updateTable('task').set(ended).where('id', '=', id).execute());
    }
    let days = 0;
    const expiry = createTaskExpiry({ db, clock, days: () => days });
    const kept = async () => {
      const rows = await db.read.selectFrom('task').select(['public_id', 'input', 'data', 'hidden']).orderBy('id').execute();
      const gone = rows.filter(({ hidden }) => hidden === 1);
      for (const { input, data } of gone) expect([input, data]).toEqual(['{"size":"1"}', '']);
      return rows.filter(({ hidden }) => hidden === 0).map(({ public_id }) => public_id);
    };
    await expiry.expire(10);
    expect(await kept()).toEqual(['old', 'waiting', 'also', 'young']);
    days = 5;
    // A clock that is set months ahead may be set right again.
    clock.skewMs(100 * 86_400_000);
    await expiry.expire(10);
    clock.skewMs(-100 * 86_400_000);
    await expiry.expire(10);
    expect(await kept()).toEqual(['waiting', 'young']);
    await db.transaction((tx) => tx.query.updateTable('task').set({ due_at_ms: null }).execute());
    expect([await expiry.expire(1), await expiry.expire(10), await expiry.expire(10)]).toEqual([1, 1, 0]);
    expect(await kept()).toEqual(['young']);
  });

  test('a range of seconds holds what was submitted within its last one', async () => {
    const db = await open();
    const clock = new FakeClock(1_000_000_700);
    const money = () => ({ DisplayInCurrencyEnabled: true, QuotaPerUnit: 500_000 });
    const desk = createTaskDesk({ db, clock, ledger: createLedger({ db, clock }), options: money, log });
    const lists = createTaskLists({ db, options: () => ({ MjForwardUrlEnabled: true, ServerAddress: '' }) });
    const nowMs = clock.nowMs();
    for (const platform of ['suno', 'mj'] as const)
      await desk.begin({
        ...{ platform, action: 'MUSIC', model: 'suno_music', group: 'default', mode: '', publicId: platform },
        ...{ userId: 7, tokenId: 0, channelId: 1, keyId: 'k', holdId: platform, quota: 0, charge: undefined },
        ...{ input: {}, submitAtMs: nowMs, deadlineAtMs: nowMs + 60_000, nowMs, dueAtMs: nowMs + 60_000 },
      });
    const everybody = { kind: 'all' } as const;
    const tasks = (range: object, scope: TaskScope = everybody) =>
      lists.tasks(scope, { ...taskQuery.parse(range), page_size: 10 });
    expect(await tasks({ start_timestamp: 1_000_000, end_timestamp: 1_000_000 })).toMatchObject([{ submit_time: 1_000_000 }]);
    expect(await tasks({ end_timestamp: 999_999 })).toEqual([]);
    expect(await tasks({})).toMatchObject([{ user_id: 7, channel_id: 1, username: '' }]);
    const alice = { ...blankUser(0), id: 7, username: 'alice', display_name: '', aff_code: 'a7', password_hash: '' };
    await db.transaction(({ query }) => query.insertInto('users').values(alice).execute());
    expect(await tasks({})).toMatchObject([{ user_id: 7, channel_id: 1, username: 'alice' }]);
    expect(await tasks({}, { kind: 'own', userId: 7 })).toMatchObject([{ user_id: 7, channel_id: 0, username: '' }]);
    expect(await tasks({ username: 'alice' })).toMatchObject([{ user_id: 7 }]);
    expect(await tasks({ username: 'alice', channel_id: 2 })).toEqual([]);
    expect(await tasks({ username: 'nobody' })).toEqual([]);
    const drawings = (end_timestamp: number) =>
      lists.drawings(everybody, { ...drawingQuery.parse({ end_timestamp }), page_size: 10 });
    expect([await drawings(nowMs), await drawings(nowMs - 1)]).toMatchObject([[{ submit_time: nowMs }], []]);
  });

  test('whoever asks for many tasks at once is answered all of them, and a full page that peeks tells of the next', async () => {
    const db = await open();
    const clock = new FakeClock(1_000_000_000);
    const money = () => ({ DisplayInCurrencyEnabled: true, QuotaPerUnit: 500_000 });
    const desk = createTaskDesk({ db, clock, ledger: createLedger({ db, clock }), options: money, log });
    const nowMs = clock.nowMs();
    for (let count = 0; count < 150; count += 1) {
      const task = await desk.begin({
        ...{ platform: 'mj', action: 'IMAGINE', model: 'mj_imagine', group: 'default', mode: '', publicId: `p${count}` },
        ...{ userId: 7, tokenId: 0, channelId: 1, keyId: 'k', holdId: `req${count}`, quota: 0, charge: undefined },
        ...{ input: {}, submitAtMs: nowMs, deadlineAtMs: nowMs + 60_000, nowMs, dueAtMs: nowMs + 60_000 },
      });
      await desk.tell(task, { kind: 'accepted', upstreamId: `u${count}`, code: 1 }, { dueAtMs: nowMs });
    }
    const names = Array.from({ length: 150 }, (_, count) => `u${count}`);
    const found = await desk.find({ userId: 7, platform: 'mj' }, ['none', ...names]);
    expect(found.map(({ state }) => state.upstreamId)).toEqual(names.toReversed());
    const lists = createTaskLists({ db, options: () => ({ MjForwardUrlEnabled: true, ServerAddress: '' }) });
    const rows = async (page: object) => (await lists.drawings({ kind: 'all' }, { ...drawingQuery.parse({}), ...page })).length;
    expect([await rows({ page_size: 75 }), await rows({ page_size: 75, peek: true })]).toEqual([75, 76]);
    expect(await rows({ page_size: 75, p: 1, peek: true })).toBe(75);
  });

  test('a drawing that is asked for again is shown with all that was told of it, as long as that is the same one', async () => {
    const db = await open();
    const clock = new FakeClock(1_000_000_000);
    const money = () => ({ DisplayInCurrencyEnabled: true, QuotaPerUnit: 500_000 });
    const desk = createTaskDesk({ db, clock, ledger: createLedger({ db, clock }), options: money, log });
    const nowMs = clock.nowMs();
    const submitted = async (publicId: string, channelId: number, code: number) => {
      const task = await desk.begin({
        ...{ platform: 'mj', action: 'UPSCALE', model: 'mj_upscale', group: 'default', mode: '', publicId },
        ...{ userId: 7, tokenId: 0, channelId, keyId: 'k', holdId: publicId, quota: 0, charge: undefined },
        ...{ input: {}, submitAtMs: nowMs, deadlineAtMs: nowMs + 60_000, nowMs, dueAtMs: nowMs + 60_000 },
      });
      const report = { status: 'SUCCESS', data: `{"of":"${publicId}"}` } as const;
      await desk.tell(task, { kind: 'accepted', upstreamId: 'u1', code, report }, { dueAtMs: nowMs });
    };
    const shown = async () => (await desk.find({ userId: 7, platform: 'mj' }, ['u1'])).map(({ publicId }) => publicId);
    await submitted('first', 1, 1);
    await submitted('again', 1, 21);
    await submitted('once more', 1, 21);
    expect(await shown()).toEqual(['first']);
    await submitted('of another channel', 2, 21);
    expect(await shown()).toEqual(['of another channel']);
    await submitted('new', 1, 1);
    expect(await shown()).toEqual(['new']);
  });
});
