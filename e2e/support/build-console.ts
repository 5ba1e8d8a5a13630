import path from 'node:path';
import { ensureConsole } from '../../scripts/console-build.ts';

/** Whole-product tests see the console as it is now, also in a fresh clone. */
export async function setup(): Promise<void> {
  await ensureConsole(path.resolve(import.meta.dirname, '../..'));
}
