import { startFlags } from '../../server/src/start-flags.ts';
import { ensureBuilt } from '../builds.ts';
import { runChild } from '../launch/children.mjs';
import type { CommandContext } from './command.ts';

export async function run({ root, args }: CommandContext): Promise<number> {
  await ensureBuilt(root);
  return runChild(process.execPath, [...startFlags, 'server/dist/main.js', ...args], { cwd: root });
}
