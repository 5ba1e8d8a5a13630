import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lockFile } from './file-lock.ts';

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'x.lock');
}

test('a file is locked once, until it is released', () => {
  const path = place();
  const first = lockFile(path);
  expect([first, lockFile(path)]).toEqual([expect.anything(), undefined]);
  first?.release();
  const second = lockFile(path);
  expect(second).toBeDefined();
  second?.release();
});

test('what a process had locked is free when it was killed', async () => {
  const path = place();
  const program = `
    const { lockFile } = await import(${JSON.stringify(new URL('./file-lock.ts', import.meta.url).href)});
    globalThis.kept = lockFile(${JSON.stringify(path)});
    process.stdout.write('locked');
    setInterval(() => undefined, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  expect(lockFile(path)).toBeUndefined();
  child.kill('SIGKILL');
  await once(child, 'exit');
  const own = lockFile(path);
  expect(own).toBeDefined();
  own?.release();
});

test('what cannot be locked at all is told', () => {
  expect(() => lockFile(join(place(), 'no', 'folder'))).toThrow();
});
