import { type Actor, recordAudit } from '../audit/index.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import { createChannelsIn, removeChannelIn, updateChannelIn } from '../routing/index.ts';
import { saveOptionsIn } from '../settings/index.ts';
import { longestChangeMs } from '../storage/change-reader.ts';
import type { Database, Transaction, Work } from '../storage/database.ts';
import type { Plan } from './change.ts';
import type { Fault } from './located.ts';
import { type ConfigFile, planFor } from './plan.ts';
import { readPresent } from './present.ts';

/** A file cannot be applied; nothing was changed. */
export class ConfigRefused extends Error {
  readonly faults: readonly Fault[];
  constructor(faults: readonly Fault[]) {
    super(`${faults.length} faults`);
    this.faults = faults;
  }
}

interface ApplyDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly actor: Actor;
}

/**
 * Makes the configuration that of the file, in one transaction; what was done. Of two at once the second sees what the
 * first did. Throws ConfigRefused and DatabaseError.
 */
export async function applyConfig(deps: ApplyDeps, file: ConfigFile, how: { prune: boolean }): Promise<Plan> {
  const { crypto } = file.references;
  // Where there is nothing to do, nobody has to wait for it.
  const { plan } = planFor(await readPresent(deps.db.read, crypto), file, how);
  if (plan.faults.length > 0) throw new ConfigRefused(plan.faults);
  if (plan.changes.length === 0) return plan;
  return deps.db.transaction((tx) => applyIn(tx, deps, file, how), { timeoutMs: longestChangeMs });
}

async function applyIn(tx: Transaction, { clock, actor }: ApplyDeps, file: ConfigFile, how: { prune: boolean }): Promise<Plan> {
  await tx.perform(oneAtATime());
  const { crypto } = file.references;
  const { plan, steps } = planFor(await readPresent(tx.query, crypto), file, how);
  if (plan.faults.length > 0) throw new ConfigRefused(plan.faults);
  if (plan.changes.length === 0) return plan;
  const { remove, update, create, options } = steps;
  const write = { crypto, actor, now: nowSeconds(clock) };
  for (const id of remove) await removeChannelIn(tx, id, write);
  for (const { line, input } of update) await at(line, () => updateChannelIn(tx, input, write));
  for (const { line, input } of create) await at(line, () => createChannelsIn(tx, input, { ...write, mayLackKey: true }));
  if (options.length > 0) await at(0, () => saveOptionsIn(tx, options, { ...write, note: 'config', warn: () => undefined }));
  const detail = { ...countsOf(plan), file: file.digest };
  await tx.perform(recordAudit({ actor, action: 'config.apply', target: 'config', detail, now: write.now }));
  return plan;
}

/** Channels before the end of the audit chain: in the order in which everybody else takes them. */
function* oneAtATime(): Work<void> {
  yield { sql: 'SELECT id FROM channel ORDER BY id', parameters: [], lock: 'wait' };
  yield { sql: 'SELECT seq FROM audit_head WHERE id = 1', parameters: [], lock: 'wait' };
}

/** What our rules have against the whole of something shows only when it is written. */
async function at<T>(line: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PublicError) throw new ConfigRefused([{ line, text: error.message }]);
    throw error;
  }
}

/** How many things were or would be created, changed and deleted. */
export function countsOf({ changes }: Pick<Plan, 'changes'>) {
  const count = (action: string): number => changes.filter((each) => each.action === action).length;
  return { created: count('create'), changed: count('change'), deleted: count('delete') };
}
