import { mkdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureBuilt } from '../builds.ts';
import { runChild } from '../launch/children.mjs';
import type { CommandContext } from './command.ts';

/** Pictures of every page of the console for review, on a screen and on a phone, light and dark; or of the pages that are named. */
export async function run({ root, args }: CommandContext): Promise<number> {
  await ensureBuilt(root);
  const folder = path.resolve(process.env.LOOK_DIR ?? path.join(os.tmpdir(), 'tollgate-look'));
  mkdirSync(folder, { recursive: true });
  const env = { ...process.env, LOOK_DIR: folder };
  const code = await runChild(process.execPath, ['test/look.mjs', ...args], { cwd: path.join(root, 'console'), env });
  console.log(`Pictures: ${folder}`);
  return code;
}
