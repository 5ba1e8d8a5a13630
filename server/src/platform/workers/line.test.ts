import { expect, test } from 'vitest';
import { runOfTest } from '../../../test/run-of-test.ts';

test('a first process that stands still is waited for once, and asked again when something is heard of it', async () => {
  expect(await runOfTest('silent-first-process.ts')).toEqual(['asked 1\nend 2\n', [0, null]]);
});
