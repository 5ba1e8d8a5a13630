import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { runCli } from '../src/cli.ts';
import { systemClock } from '../src/platform/clock.ts';

/** A folder that is gone after the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a command of the command line in this process. */
export async function runCommand(env: Record<string, string | undefined>, ...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const world = {
    env,
    clock: systemClock,
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
  };
  const exitCode = await runCli(args, world);
  return { exitCode, out: out.join(''), err: err.join(''), json: () => JSON.parse(out.join('')) };
}
