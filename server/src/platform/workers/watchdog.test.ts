import { expect, test } from 'vitest';
import { createWatchdog } from './watchdog.ts';

test('a worker that answers none of twelve pings is ended, once; one answer is enough to live', () => {
  const ended: number[] = [];
  const watchdog = createWatchdog({ workers: () => [1, 2], ping: () => undefined, end: (worker) => void ended.push(worker) });
  for (let look = 0; look < 12; look += 1) watchdog.look();
  expect(ended).toEqual([]);
  watchdog.alive(2);
  watchdog.look();
  expect(ended).toEqual([1]);
  for (let look = 0; look < 11; look += 1) watchdog.look();
  expect(ended).toEqual([1]);
  watchdog.look();
  expect(ended).toEqual([1, 2]);
});
