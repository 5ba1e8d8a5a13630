import { ensureConsole } from '../console-build.ts';
import { runChild } from '../launch/children.mjs';
import type { CommandContext } from './command.ts';

export async function run({ root, args }: CommandContext): Promise<number> {
  await ensureConsole(root);
  return runChild(process.execPath, ['server/src/main.ts', ...args], { cwd: root });
}
