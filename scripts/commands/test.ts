import { runSuites } from '../suites.ts';
import { installMissing } from '../system-packages.ts';
import type { CommandContext } from './command.ts';

/** Everything that a change must pass; ends with one line `N passed, N failed`. */
export async function run({ root, args }: CommandContext): Promise<number> {
  await installMissing();
  return runSuites({
    root,
    workspaces: ['scripts', 'contract', 'wire', 'server', 'console', 'bench', 'e2e'],
    args,
    checks: true,
    timeoutMs: 50 * 60_000,
  });
}
