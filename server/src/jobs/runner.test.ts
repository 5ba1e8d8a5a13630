import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { captureLog } from '../../test/capture-log.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { createJobRunner } from './runner.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

function setUp() {
  const clock = new FakeClock(1_800_000_000_000);
  const log = captureLog();
  return { clock, log, runner: createJobRunner({ clock, log }) };
}

/** What a turn waits for. */
function gate() {
  let open = (): void => undefined;
  const passed = new Promise<undefined>((resolve) => {
    open = () => resolve(undefined);
  });
  return { passed, open };
}

test('turns come one after the other: first, then as often as asked for or as a turn says itself', async () => {
  const { runner } = setUp();
  const turn = vi.fn(async (): Promise<number | undefined> => undefined);
  const job = runner.start({ name: 'one', everyMs: 1_000, firstMs: 50, turn, failed: 'no' });
  await vi.advanceTimersByTimeAsync(49);
  expect(turn).toHaveBeenCalledTimes(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(turn).toHaveBeenCalledTimes(1);
  turn.mockResolvedValueOnce(10);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(turn).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(10);
  expect(turn).toHaveBeenCalledTimes(3);
  await job.stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(turn).toHaveBeenCalledTimes(3);
});

test('never two turns at once: who asks for one gets that under way, and the next waits for its end', async () => {
  const { runner } = setUp();
  const { passed, open } = gate();
  const turn = vi.fn(() => passed);
  const job = runner.start({ name: 'one', everyMs: 1_000, turn, failed: 'no' });
  await vi.advanceTimersByTimeAsync(5_000);
  const asked = [job.tick(), job.tick()];
  expect(turn).toHaveBeenCalledTimes(1);
  open();
  await Promise.all(asked);
  await vi.advanceTimersByTimeAsync(999);
  expect(turn).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(turn).toHaveBeenCalledTimes(2);
  await job.stop();
});

test('F-34: a turn that throws is told and tried again, and the beats say since when none ended well', async () => {
  const { clock, log, runner } = setUp();
  const startedAt = clock.nowMs() / 1_000;
  const turn = vi.fn(async (): Promise<undefined> => undefined);
  const job = runner.start({ name: 'one', everyMs: 1_000, turn, failed: 'holds could not be swept' });
  expect(runner.beats()).toEqual([{ name: 'one', everySeconds: 1, endedAt: startedAt }]);
  turn.mockRejectedValue(new Error('no database'));
  clock.advanceMs(3_000);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(turn).toHaveBeenCalledTimes(3);
  expect(log.lines).toHaveLength(3);
  expect(log.lines[0]).toMatchObject({ level: 'warn', text: expect.stringMatching(/holds could not be swept.*no database/s) });
  expect(runner.beats()).toMatchObject([{ endedAt: startedAt }]);
  turn.mockResolvedValue(undefined);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(runner.beats()).toMatchObject([{ endedAt: startedAt + 3 }]);
  await job.stop();
});

test('the end waits for the turn under way, but not for ever, and tells it so', async () => {
  const { runner } = setUp();
  const { passed } = gate();
  let isStopped = () => false;
  const job = runner.start({
    ...{ name: 'one', everyMs: 1_000, stopWithinMs: 500, failed: 'no' },
    turn(told) {
      isStopped = told;
      return passed;
    },
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isStopped()).toBe(false);
  const ended = vi.fn();
  const end = job.stop().then(ended);
  expect(isStopped()).toBe(true);
  await vi.advanceTimersByTimeAsync(499);
  expect(ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await end;
});
