import type { KeyRecord } from '../identity/index.ts';
import { type Route, RoutePlan, type Snapshot, type Target } from '../routing/index.ts';
import type { OpenCall } from './open-call.ts';
import type { RelayParts } from './parts.ts';

/** The channels that may answer a key's calls when no ordinary one does (contract 5.7); undefined = there are none. */
export function backupOf(snapshot: Snapshot, key: KeyRecord, model: string): Route | undefined {
  return key.policy?.backup_pool_enabled === true ? snapshot.backup(model) : undefined;
}

/**
 * One target of the call's backup pool, once the call is held for at the pool's price. Undefined: the call has no pool,
 * all of it was tried, or it cannot be paid.
 */
export async function enterBackup(parts: RelayParts, open: OpenCall, seed: number): Promise<Target | undefined> {
  const { call, tried } = open;
  if (call.backup === undefined || open.caller.gone) return undefined;
  const exclude = new Set(tried);
  const { model, backup } = call;
  const plan = new RoutePlan({ routes: [backup], model, seed, exclude, health: parts.watch.health, turns: parts.turns });
  const target = plan.next();
  if (target === undefined || !(await open.raise(call.snapshot.options.BackupPoolRatio, backup))) return undefined;
  return target;
}
