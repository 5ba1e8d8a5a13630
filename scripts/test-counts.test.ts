import { expect, test } from 'vitest';
import { add, fromVitest, summaryLine } from './test-counts.ts';

const report = (passed: number, failed: number, pending: number): string =>
  JSON.stringify({ numPassedTests: passed, numFailedTests: failed, numPendingTests: pending, numTodoTests: 1 });

test('suites add up to one line, skipped tests are named', () => {
  expect(summaryLine(add(fromVitest(report(3, 0, 0), 0), fromVitest(report(2, 1, 4), 1)))).toBe('5 passed, 1 failed, 6 skipped');
  expect(summaryLine({ passed: 5, failed: 0, skipped: 0 })).toBe('5 passed, 0 failed');
});

test('a run that fails without a failed test counts as a failure', () => {
  expect(fromVitest(report(3, 0, 0), 1).failed).toBe(1);
});

test('a run without a readable report counts as a failure', () => {
  expect([fromVitest('', 0), fromVitest('null', 0), fromVitest('{"numPassed', 0)].map(({ failed }) => failed)).toEqual([1, 1, 1]);
});
