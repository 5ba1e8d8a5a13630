import type { TaskPlatform } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { giveWallet, holdOf, walletOf } from '../../test/ledger-kit.ts';
import { createLedger } from '../billing/index.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../storage/database.ts';
import { createTaskDesk } from './desk.ts';
import { type AskUpstream, createPoller, type PollGroup } from './poller.ts';
import { readTask } from './store.ts';
import type { Task } from './types.ts';

const hourMs = 3_600_000;
const options = () => ({ DisplayInCurrencyEnabled: true, QuotaPerUnit: 500_000 });
const log = { info: () => undefined, warn: () => undefined } as unknown as Log;
let counter = 0;

interface Fields {
  readonly platform?: TaskPlatform;
  readonly channelId?: number;
  readonly keyId?: string;
}

function kitOn(db: Database, ask: AskUpstream) {
  const clock = new FakeClock(1_000_000_000);
  const ledger = createLedger({ db, clock });
  const gate = { db, clock, ledger, options, log };
  const desk = createTaskDesk(gate);
  const usual = { ...gate, ask, node: 'n', periodMs: 15_000, leaseMs: 30_000, submitMs: 120_000, random: () => 0.5 };
  const poller = createPoller({ ...usual, desk });
  const submit = async (fields: Fields = {}) => {
    counter += 1;
    const { platform = 'mj', channelId = 1, keyId = 'k' } = fields;
    const [id, nowMs] = [`poll${counter}`, clock.nowMs()];
    const task = await desk.begin({
      ...{ platform, action: 'IMAGINE', model: 'm', group: 'default', mode: '', input: {}, publicId: id, userId: 1, tokenId: 0 },
      ...{ channelId, keyId, holdId: id, quota: 10, charge: undefined, submitAtMs: nowMs, deadlineAtMs: nowMs + hourMs, nowMs },
      dueAtMs: nowMs,
    });
    await ledger.hold(holdOf(id, 1, 0, 10, { keeper: 'task' }));
    return task.id;
  };
  const accept = async (id: number) =>
    desk.tell(
      (await readTask(db, id)) as Task,
      { kind: 'accepted', upstreamId: `poll${id}`, code: 1 },
      { dueAtMs: clock.nowMs() },
    );
  const begin = async (fields?: Fields) => {
    const id = await submit(fields);
    await accept(id);
    return id;
  };
  return { clock, usual, desk, poller, submit, accept, begin };
}

const silence: AskUpstream = () => Promise.reject(new Error('silence'));
const nothing: AskUpstream = () => Promise.resolve({ kind: 'reports', reports: new Map() });

onEachEngine((_engine, open) => {
  test.each([
    ['mj', '上游任务超时（超过1小时）'],
    ['suno', '上游任务超时（超过24小时）'],
  ] as const)('%s: without an end at its deadline a task fails, and what was held comes back', async (platform, failReason) => {
    const db = await open();
    await giveWallet(db, 1, 100);
    const { clock, poller, begin } = kitOn(db, silence);
    const id = await begin({ platform });
    await poller.tick();
    expect((await readTask(db, id))?.state.status).toBe('SUBMITTED');
    clock.advanceMs(hourMs);
    await poller.tick();
    expect(await readTask(db, id)).toMatchObject({ state: { status: 'FAILURE', progress: 100, failReason } });
    expect(await walletOf(db, 1)).toMatchObject({ available: 100, held: 0 });
  });

  test('after hours in which nobody looked, one silence of its upstream ends no task: what it made meanwhile is charged', async () => {
    const db = await open();
    await giveWallet(db, 1, 100);
    let answer = silence;
    const { clock, poller, begin } = kitOn(db, (group, timeoutMs) => answer(group, timeoutMs));
    const [made, lost] = [await begin(), await begin()];
    clock.advanceMs(3 * hourMs);
    await poller.tick();
    expect((await readTask(db, made))?.state.status).toBe('SUBMITTED');
    const report = { status: 'SUCCESS', finishAtMs: clock.nowMs() } as const;
    answer = () => Promise.resolve({ kind: 'reports', reports: new Map([[`poll${made}`, report]]) });
    clock.advanceMs(60_000);
    await poller.tick();
    expect((await readTask(db, made))?.state.status).toBe('SUCCESS');
    expect((await readTask(db, lost))?.state.status).toBe('FAILURE');
  });

  test('a clock that is set a day ahead ends no task for an hour, in which it may be set right', async () => {
    const db = await open();
    await giveWallet(db, 1, 100);
    const { clock, poller, begin } = kitOn(db, silence);
    const id = await begin();
    const statusAfter = async (ms: number) => {
      clock.advanceMs(ms);
      await poller.tick();
      return (await readTask(db, id))?.state.status;
    };
    clock.skewMs(24 * hourMs);
    expect([await statusAfter(0), await statusAfter(hourMs / 2)]).toEqual(['SUBMITTED', 'SUBMITTED']);
    clock.skewMs(-24 * hourMs);
    expect(await statusAfter(hourMs / 4)).toBe('SUBMITTED');
    clock.skewMs(24 * hourMs);
    expect(await statusAfter(hourMs / 5)).toBe('SUBMITTED');
    expect(await statusAfter(hourMs)).toBe('FAILURE');
    expect(await walletOf(db, 1)).toMatchObject({ available: 100, held: 0 });
  });

  test('a submit that its upstream confirms while it is given up for unconfirmed goes on', async () => {
    const db = await open();
    await giveWallet(db, 1, 100);
    const { usual, desk, submit, accept } = kitOn(db, silence);
    const id = await submit();
    const slow = createPoller({ ...usual, desk: { tell: (...told) => accept(id).then(() => desk.tell(...told)) } });
    await slow.tick();
    expect(await readTask(db, id)).toMatchObject({ state: { status: 'SUBMITTED', upstreamId: `poll${id}` }, closedAt: 0 });
    const other = await submit();
    await createPoller({ ...usual, desk }).tick();
    const failReason = '任务提交后没有得到上游的确认';
    expect(await readTask(db, other)).toMatchObject({ state: { status: 'FAILURE', failReason } });
    expect(await walletOf(db, 1)).toMatchObject({ held: 10 });
  });

  test('what a clock two days ahead has in hand or put off is looked at soon once the clock was set back', async () => {
    const db = await open();
    await giveWallet(db, 1, 100);
    const asked: number[] = [];
    const { clock, usual, desk, poller, begin } = kitOn(db, (group) => {
      asked.push(...group.tasks.map(({ id }) => id));
      return nothing(group, 0);
    });
    clock.skewMs(48 * hourMs);
    const [putOff, inHand] = [await begin(), await begin()];
    const lease = { lease_owner: 'dead', lease_until_ms: clock.nowMs() + 30_000 };
    await db.transaction(({ query }) => query.updateTable('task').set(lease).where('id', '=', inHand).execute());
    await poller.tick();
    expect(asked.splice(0)).toEqual([putOff]);
    clock.skewMs(-48 * hourMs);
    // No answer that is due may be later than this.
    for (const waitMs of [0, 29_000, 331_000]) {
      clock.advanceMs(waitMs);
      await createPoller({ ...usual, desk }).tick();
    }
    expect(asked.sort()).toEqual([putOff, inHand].sort());
    // Nor does their end lie further ahead than that of any task.
    clock.advanceMs(24 * hourMs);
    await createPoller({ ...usual, desk }).tick();
    expect((await readTask(db, putOff))?.state.status).toBe('FAILURE');
  });

  test('a task whose channel is gone fails, with the channel’s number', async () => {
    const db = await open();
    await giveWallet(db, 1, 100);
    const { poller, begin } = kitOn(db, () => Promise.resolve({ kind: 'gone' }));
    const id = await begin({ channelId: 42 });
    await poller.tick();
    const failReason = '获取渠道信息失败，请联系管理员，渠道ID：42';
    expect(await readTask(db, id)).toMatchObject({ state: { status: 'FAILURE', failReason } });
  });

  test('one call asks about the tasks of one account, at most fifty', async () => {
    const db = await open();
    await giveWallet(db, 1, 10_000);
    const groups: PollGroup[] = [];
    const { poller, begin } = kitOn(db, (group) => {
      groups.push(group);
      return nothing(group, 0);
    });
    for (let k = 0; k < 60; k += 1) await begin();
    await begin({ keyId: 'other' });
    await begin({ channelId: 2 });
    await poller.tick();
    const shapes = groups.map(({ channelId, keyId, tasks }) => `${channelId} ${keyId} ${tasks.length}`).sort();
    expect(shapes).toEqual(['1 k 10', '1 k 50', '1 other 1', '2 k 1']);
  }, 60_000);

  test('who does not answer is asked later and later, up to five minutes', async () => {
    const db = await open();
    await giveWallet(db, 1, 100);
    const askedAtMs: number[] = [];
    const { clock, poller, begin } = kitOn(db, () => {
      askedAtMs.push(clock.nowMs());
      return Promise.reject(new Error('silence'));
    });
    await begin();
    for (let second = 0; second < 1_500; second += 5) {
      await poller.tick();
      clock.advanceMs(5_000);
    }
    const pauses = askedAtMs.slice(1).map((atMs, index) => (atMs - (askedAtMs[index] ?? 0)) / 1_000);
    expect(pauses.slice(0, 6)).toEqual([30, 60, 120, 240, 300, 300]);
  }, 60_000);

  test('after a clock that was hours ahead is set back, tasks go on within minutes; a submit under way is not given up', async () => {
    const db = await open();
    await giveWallet(db, 1, 100);
    const asked: number[] = [];
    const { clock, desk, poller, begin, submit } = kitOn(db, ({ tasks }) => {
      asked.push(...tasks.map(({ id }) => id));
      return nothing({ tasks } as PollGroup, 0);
    });
    clock.skewMs(8 * hourMs);
    const [known, frozen] = [await begin(), await begin()];
    await poller.tick();
    // In the hands of a node that died.
    await db.transaction((tx) =>
      tx.query
        .updateTable('task')
        .set({ lease_owner: 'dead', lease_until_ms: clock.nowMs() + 30_000 })
        .where('id', '=', frozen)
        .execute(),
    );
    const fresh = await submit();
    const keep = async () => {
      const task = await readTask(db, fresh);
      if (task !== undefined) await desk.keep(task, clock.nowMs() + 120_000);
    };
    await keep();
    clock.skewMs(-8 * hourMs);
    asked.length = 0;
    for (let second = 0; second < 430; second += 5) {
      clock.advanceMs(5_000);
      await poller.tick();
      await keep();
    }
    expect(new Set(asked)).toEqual(new Set([known, frozen]));
    expect((await readTask(db, fresh))?.state.status).toBe('');
  });
});
