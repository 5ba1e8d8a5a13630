import { expect, test } from 'vitest';
import { newSecret, newTokenKey, randomAlphanumerics, requestId } from './ids.ts';

test('request ids carry UTC time to the nanosecond and eight random characters', () => {
  const clock = { nowMs: () => Date.UTC(2026, 2, 4, 5, 6, 7, 89), monotonicMs: () => 12.000345 };
  expect(requestId(clock)).toMatch(/^20260304050607089000[0-9]{3}[0-9A-Za-z]{8}$/);
  expect(requestId(clock)).not.toBe(requestId(clock));
});

test('random characters are spread evenly over all 62', () => {
  const counts = new Map<string, number>();
  for (const char of randomAlphanumerics(62_000)) counts.set(char, (counts.get(char) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // 1000 expected each; eight standard deviations.
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(256);
});

test('keys and secrets have their lengths and do not repeat', () => {
  expect(newTokenKey()).toMatch(/^[0-9A-Za-z]{48}$/);
  expect(newSecret()).toMatch(/^[\w-]{43}$/);
  expect(new Set(Array.from({ length: 1000 }, newTokenKey)).size).toBe(1000);
});
