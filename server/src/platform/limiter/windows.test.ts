import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createWindows } from './windows.ts';

const minute = 60_000;

test('what is older than the window no longer counts, to a sixtieth of it', () => {
  const windows = createWindows();
  const start = 1_000_000 * minute;
  windows.add('a', minute, start, 3);
  windows.add('a', minute, start + 30_000, 2);
  expect(windows.sum('a', minute, start + 59_999)).toBe(5);
  expect(windows.sum('a', minute, start + minute)).toBe(2);
  expect(windows.sum('a', minute, start + 2 * minute)).toBe(0);
  expect(windows.sum('b', minute, start)).toBe(0);
});

test('the wait ends when there is room again', () => {
  const windows = createWindows();
  const start = 1_000_000 * minute;
  for (let k = 0; k < 5; k += 1) windows.add('a', minute, start + k * 1000, 1);
  const now = start + 10_000;
  const wait = windows.waitMs('a', minute, now, 5);
  expect(windows.sum('a', minute, now + wait - 1)).toBe(5);
  expect(windows.sum('a', minute, now + wait)).toBe(4);
});

test('never counts less than what a naive list would within the window less one slice', () => {
  const event = fc.record({ gapMs: fc.nat(20_000), amount: fc.integer({ min: 1, max: 9 }) });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      const windows = createWindows();
      const seen: { atMs: number; amount: number }[] = [];
      let nowMs = 50_000_000;
      for (const { gapMs, amount } of events) {
        nowMs += gapMs;
        windows.add('k', minute, nowMs, amount);
        seen.push({ atMs: nowMs, amount });
        const within = (ms: number) => seen.filter(({ atMs }) => atMs > nowMs - ms).reduce((sum, one) => sum + one.amount, 0);
        const sum = windows.sum('k', minute, nowMs);
        expect(sum).toBeGreaterThanOrEqual(within(minute - 1000));
        expect(sum).toBeLessThanOrEqual(within(minute + 1000));
      }
    }),
  );
});
