import { runSuites } from '../suites.ts';
import type { CommandContext } from './command.ts';

/** The suites of wire, server and e2e with the full figures (TOLLGATE_SOAK=1) instead of the short ones. Takes hours. */
export async function run({ root, args }: CommandContext): Promise<number> {
  process.env.TOLLGATE_SOAK = '1';
  return runSuites({ root, workspaces: ['wire', 'server', 'e2e'], args, checks: false, timeoutMs: 12 * 3_600_000 });
}
