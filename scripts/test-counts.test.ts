import { expect, test } from 'vitest';
import { add, fromVitest, none, summary } from './test-counts.ts';

function report(passed: number, failed: readonly string[], pending: number): string {
  const assertionResults = failed.map((fullName) => ({ status: 'failed', fullName, failureMessages: ['1 is not 2\n  at x'] }));
  const testResults = [{ name: '/a/b.test.ts', assertionResults: [...assertionResults, { status: 'passed', fullName: 'fine' }] }];
  return JSON.stringify({ numPassedTests: passed, numPendingTests: pending, numTodoTests: 1, testResults });
}

test('suites add up to one line, failures are named before it', () => {
  const sum = add(fromVitest('wire', report(3, [], 0), 0), fromVitest('server', report(2, ['adds'], 4), 1));
  expect(summary(sum)).toBe('Failed:\n  server: b.test.ts: adds: 1 is not 2\n\n5 passed, 1 failed, 6 skipped');
  expect(summary({ ...none, passed: 5 })).toBe('5 passed, 0 failed');
});

test('a run that fails without a failed test counts as a failure', () => {
  expect(fromVitest('wire', report(3, [], 0), 1).failures).toHaveLength(1);
});

test('a run without a readable report counts as a failure', () => {
  for (const text of ['', 'null', '{"numPassed']) expect(fromVitest('wire', text, 0).failures).toHaveLength(1);
});
