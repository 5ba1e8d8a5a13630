import { ensureBuilt } from '../builds.ts';
import type { CommandContext } from './command.ts';

/** Builds what `npm start` runs; with --if-changed only where the sources are not those of the last build. */
export async function run({ root, args }: CommandContext): Promise<number> {
  await ensureBuilt(root, { force: !args.includes('--if-changed') });
  console.log('Built: server/dist, console/dist');
  return 0;
}
