import { existsSync } from 'node:fs';
import path from 'node:path';
import { ensureBuilt } from '../builds.ts';
import { runChild } from '../launch/children.mjs';
import type { CommandContext } from './command.ts';

const entry = 'bench/src/main.ts';

/** The load run of `bench/`, next to nginx in the same run. Arguments are passed on. */
export async function run({ root, args }: CommandContext): Promise<number> {
  if (!existsSync(path.join(root, entry))) throw new Error(`${entry} does not exist`);
  await ensureBuilt(root);
  return runChild(process.execPath, [entry, ...args], { cwd: root });
}
