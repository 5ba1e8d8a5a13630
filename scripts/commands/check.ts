import { runChecks } from '../check/run.ts';
import type { CommandContext } from './command.ts';

export async function run({ root }: CommandContext): Promise<number> {
  const startedMs = performance.now();
  const results = await runChecks(root);
  const failed = results.filter((result) => !result.ok);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`check: ${results.length - failed.length} of ${results.length} parts hold (${seconds} s)`);
  if (failed.length > 0) console.log(`Refused by: ${failed.map((result) => result.name).join(', ')}`);
  return failed.length === 0 ? 0 : 1;
}
