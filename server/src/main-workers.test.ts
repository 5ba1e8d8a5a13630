import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

test('a worker whose program is away when it is to be started again ends nobody, and comes when that is back', async () => {
  const file = fileURLToPath(new URL('../test/two-workers.ts', import.meta.url));
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [said, ended] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect(said.trimEnd().split('\n')).toEqual([
    'ready',
    'ready',
    'a worker has ended and is started again',
    'a worker could not be started again; trying again',
    'ready',
  ]);
  expect(ended).toEqual([0, null]);
});
