import { execFileSync } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const timeoutMs = 120_000;

/** Whole-product tests see server and console as they are now, also in a fresh clone. */
export function setup(): void {
  execFileSync(process.execPath, ['scripts/run.mjs', 'build', '--if-changed'], {
    cwd: root,
    stdio: 'inherit',
    timeout: timeoutMs,
  });
}
