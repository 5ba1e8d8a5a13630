import { ensureConsole } from '../console-build.ts';
import type { CommandContext } from './command.ts';

/** The server runs from its sources, so that the console is all there is to build. */
export async function run({ root }: CommandContext): Promise<number> {
  await ensureConsole(root, { force: true });
  console.log('Built: console/dist');
  return 0;
}
