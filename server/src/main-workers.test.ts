import { expect, test } from 'vitest';
import { runOfTest } from '../test/run-of-test.ts';

test('a worker that stands still is ended, and another comes in its place', async () => {
  expect(await runOfTest('frozen-worker.ts')).toEqual(['SIGKILL\n', [0, null]]);
});

test('a worker whose program is away when it is to be started again ends nobody, and comes when that is back', async () => {
  const [said, ended] = await runOfTest('two-workers.ts');
  expect(said.trimEnd().split('\n')).toEqual([
    'ready',
    'ready',
    'a worker has ended and is started again',
    'a worker could not be started again; trying again',
    'ready',
  ]);
  expect(ended).toEqual([0, null]);
});
