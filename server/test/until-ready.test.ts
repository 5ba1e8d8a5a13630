import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { untilReady } from './until-ready.ts';

function started(script: string) {
  const child = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ready: untilReady('It', child, child.stderr, 'ready for callers') };
}

test('a server is waited for until it says that it is ready', async () => {
  await started('echo ready for callers >&2; cat').ready;
});

test('one that ends at once is told with its words, although the shell around it lives on', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { child, ready } = started('echo the port is taken >&2; cat');
  const told = expect(ready).rejects.toThrow('It did not start: the port is taken');
  await once(child.stderr, 'data');
  await vi.advanceTimersByTimeAsync(60_000);
  await told;
});

test('so is one whose shell ends with it', async () => {
  await expect(started('echo no such option >&2').ready).rejects.toThrow('It did not start: no such option');
});
