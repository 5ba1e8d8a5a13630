import type { Work } from '../../storage/database.ts';
import { insertRows } from '../../storage/statements.ts';
import type { Growth } from './fold.ts';
import { storeGrowth } from './store.ts';

/** The work of `bookUsage` among the programs that run where the writer is. */
export const bookUsageWork = 'usage.book';

/** How far the sums reach, and who looks after them. */
export interface SumState {
  rolled_to: number;
  revision: number;
  node: string;
  lease_until: number;
}

export interface Booking {
  /** As it was when the rows were read. */
  state: SumState;
  growth: Growth;
  owners: [username: string, userId: number][];
  rolledTo: number;
  lease: Pick<SumState, 'node' | 'lease_until'>;
  now: number;
}

/** One step of the sums. False when somebody else moved the mark or rewrote rows meanwhile: what was read may be old. */
export function* bookUsage({ state, growth, owners, rolledTo, lease, now }: Booking): Work<boolean> {
  const locked = yield {
    sql: 'SELECT rolled_to, revision, node, lease_until FROM usage_rollup WHERE id = 1',
    parameters: [],
    lock: 'wait',
  };
  const current = locked.rows[0] as unknown as SumState | undefined;
  if (current?.rolled_to !== state.rolled_to || current.revision !== state.revision) return false;
  if (isElsewhere(current, lease.node, now)) return false;
  yield* insertRows('usage_owner', ['username', 'user_id'], owners, 'ON CONFLICT (username, user_id) DO NOTHING');
  yield* storeGrowth(growth);
  yield {
    sql: 'UPDATE usage_rollup SET rolled_to = ?, node = ?, lease_until = ? WHERE id = 1',
    parameters: [rolledTo, lease.node, lease.lease_until],
  };
  return true;
}

/** Another node holds the lease. */
export function isElsewhere(state: Pick<SumState, 'node' | 'lease_until'>, node: string, now: number): boolean {
  return state.node !== node && state.lease_until > now;
}
