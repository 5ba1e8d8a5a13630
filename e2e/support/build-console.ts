import { execFileSync } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const timeoutMs = 120_000;

/** Whole-product tests see the console as it is now, also in a fresh clone. */
export function setup(): void {
  execFileSync(process.execPath, ['scripts/run.mjs', 'build'], { cwd: root, stdio: 'inherit', timeout: timeoutMs });
}
