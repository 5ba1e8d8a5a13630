import { expect, onTestFinished, test, vi } from 'vitest';
import { captureLog } from '../../test/capture-log.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { createJobRunner } from './runner.ts';
import { startTaskPoller } from './task-poller.ts';

test.each([
  [15, 2],
  [0.2, 6],
])('tasks that are due each %s s are looked for at the start and in a second: %s times in all', async (periodSeconds, looks) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const tick = vi.fn(async () => {});
  const job = startTaskPoller({ tick }, createJobRunner({ clock: new FakeClock(0), log: captureLog() }), periodSeconds);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(tick).toHaveBeenCalledTimes(looks);
  await job.stop();
});
