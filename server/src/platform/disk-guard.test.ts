import type { statfs } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { captureLog } from '../../test/capture-log.ts';
import { reservedBytes, watchDisk } from './disk-guard.ts';

const mebibyte = 1 << 20;
const gibibyte = 1024 * mebibyte;
const usual = { megabytes: 256, percent: 5 };

test('the reserve is the larger of the two, a share of a large disk at most 2 GiB, and nothing where both are 0', () => {
  expect(reservedBytes(usual, gibibyte)).toBe(256 * mebibyte);
  expect(reservedBytes(usual, 20 * gibibyte)).toBe(gibibyte);
  expect(reservedBytes(usual, 4000 * gibibyte)).toBe(2 * gibibyte);
  expect(reservedBytes({ megabytes: 0, percent: 0 }, gibibyte)).toBe(0);
});

test('nobody is let in while the disk is nearly full, nor by turns while its space goes up and down around the bound', async () => {
  vi.useFakeTimers();
  try {
    let free: number | Error = 255;
    const look = (async () => {
      if (free instanceof Error) throw free;
      return { bsize: mebibyte, blocks: 1024, bavail: free };
    }) as unknown as typeof statfs;
    const guard = await watchDisk({ folder: '/data', reserve: usual, log: captureLog(), look, everyMs: 1_000 });
    const seen = [guard.hasSpace()];
    for (const next of [300, 320, 300, new Error('EIO'), 255, new Error('EIO'), 300, 400]) {
      free = next;
      await vi.advanceTimersByTimeAsync(1_000);
      seen.push(guard.hasSpace());
    }
    expect(seen).toEqual([false, false, true, true, true, false, false, false, true]);
    guard.stop();
    free = 0;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(guard.hasSpace()).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
