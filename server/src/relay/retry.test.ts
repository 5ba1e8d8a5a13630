import { expect, test } from 'vitest';
import { createRetryBudget, isRetryable } from './retry.ts';

test('400, 408, 504 and 524 are final; other failures may move to another channel', () => {
  expect([400, 408, 504, 524].map(isRetryable)).toEqual([false, false, false, false]);
  expect([401, 403, 404, 429, 307, 500, 502, 503].every(isRetryable)).toBe(true);
});

test('retries are bounded to 20 or a fifth of the calls in ten seconds', () => {
  let now = 0;
  const budget = createRetryBudget(() => now);
  const taken = () => Array.from({ length: 100 }, () => budget.take()).filter(Boolean).length;
  for (let i = 0; i < 10; i++) budget.countCall();
  expect(taken()).toBe(20);
  now += 10_000;
  for (let i = 0; i < 400; i++) budget.countCall();
  expect(taken()).toBe(80);
});
