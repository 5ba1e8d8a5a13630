import type { ChannelJobResult } from '@tollgate/contract';
import { expect, test, vi } from 'vitest';
import { captureLog } from '../../test/capture-log.ts';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import type { Database } from '../storage/database.ts';
import { createRunBoard } from '../storage/run-board.ts';
import { createRun, type RunPlan } from './channel-runs.ts';

const plan = { pauseSeconds: () => 0, finished: async () => {}, refusal: 'channel_test_running', log: captureLog() } as const;
const resultOf = (id: number): ChannelJobResult => ({ id, name: `channel ${id}`, success: true, message: '' });

test.each(['refused', 'failed'])('who stops while a run begins that is %s does not wait for ever', async (how) => {
  const { promise: verdict, resolve, reject } = Promise.withResolvers<boolean>();
  const board = { begin: () => verdict, tell: async () => true, end: async () => {}, read: async () => undefined };
  const run = createRun<number>({ ...plan, items: async () => [1], each: async (id) => resultOf(id), board });
  const started = run.start().then(
    () => 'started',
    () => 'not started',
  );
  const stopped = run.stop();
  if (how === 'refused') resolve(false);
  else reject(new Error('the database is away'));
  expect(await started).toBe('not started');
  await stopped;
});

onEachEngine((_name, open) => {
  const nodeOn = (db: Database, clock: FakeClock, node: string, each: RunPlan<number>['each']) =>
    createRun<number>({ ...plan, items: async () => [1, 2], each, board: createRunBoard({ db, clock, node, run: 'test' }) });

  test('every node shows the run of the one that does it, refuses a second one, and shows its results afterwards', async () => {
    const [db, clock] = [await open(), new FakeClock(1_800_000_000_000)];
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    const one = nodeOn(db, clock, 'one', async (id) => {
      if (id === 2) await gate;
      return resultOf(id);
    });
    const other = nodeOn(db, clock, 'other', async (id) => resultOf(id));
    expect(await other.state()).toEqual({ running: false, done: 0, total: 0, failed: 0, results: [] });
    await one.start();
    const halfway = { running: true, done: 1, total: 2, failed: 0, results: [resultOf(1)] };
    await expect.poll(() => other.state()).toEqual(halfway);
    await expect(other.start()).rejects.toMatchObject({ code: 'channel_test_running' });
    release();
    const done = { running: false, done: 2, total: 2, failed: 0, results: [resultOf(1), resultOf(2)] };
    await expect.poll(() => other.state()).toEqual(done);
    expect(await one.state()).toEqual(done);
    await other.start();
    await Promise.all([one.stop(), other.stop()]);
  });

  test('of more channels than results are kept all are counted', async () => {
    const [db, clock] = [await open(), new FakeClock(1_800_000_000_000)];
    const finished = vi.fn(async () => {});
    const run = createRun<number>({
      ...{ ...plan, finished, items: async () => Array.from({ length: 1003 }, (_, id) => id) },
      each: async (id) => ({ ...resultOf(id), success: id > 4 }),
      board: createRunBoard({ db, clock, node: 'one', run: 'test' }),
    });
    await run.start();
    await expect.poll(() => run.state()).toMatchObject({ running: false, done: 1003, failed: 5 });
    expect((await run.state()).results).toHaveLength(1000);
    expect(finished).toHaveBeenCalledWith(expect.objectContaining({ done: 1003, failed: 5 }));
  });

  test('the run of a node that is silent for half a minute is over: another may begin, and the first gives up', async () => {
    const [db, clock] = [await open(), new FakeClock(1_800_000_000_000)];
    const frozen = nodeOn(db, clock, 'frozen', (id, signal) => {
      if (id === 1) return Promise.resolve(resultOf(id));
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(resultOf(id)), { once: true }));
    });
    const other = nodeOn(db, clock, 'other', async (id) => resultOf(id));
    await frozen.start();
    await expect.poll(() => other.state()).toMatchObject({ running: true, done: 1 });
    clock.advanceMs(31_000);
    expect(await other.state()).toMatchObject({ running: false, done: 1 });
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    const taken = nodeOn(db, clock, 'third', async (id) => {
      await gate;
      return resultOf(id);
    });
    await taken.start();
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    await expect.poll(() => frozen.state()).toMatchObject({ running: true, done: 0 });
    vi.restoreAllMocks();
    release();
    await Promise.all([frozen.stop(), other.stop(), taken.stop()]);
    expect(await frozen.state()).toMatchObject({ running: false });
  });
});
