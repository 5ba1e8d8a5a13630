import type { Work } from '../../storage/database.ts';
import { beyondLease } from '../../storage/leases.ts';
import { insertRows } from '../../storage/statements.ts';
import { addUpCharges } from './channels.ts';
import { type Closed, closedColumns } from './cubes.ts';
import { type PackedSums, storeSums } from './store.ts';

/** The work of `bookUsage` among the programs that run where the writer is. */
export const bookUsageWork = 'usage.book';

/** How far the sums reach, and who looks after them. */
export interface SumState extends Closed {
  rolled_to: number;
  revision: number;
  node: string;
  lease_until: number;
}

/** What a step rests on. */
const marks = ['rolled_to', 'revision', ...closedColumns] as const;

export interface Booking {
  /** As it was when the rows were read. */
  state: SumState;
  sums: readonly PackedSums[];
  owners: [username: string, userId: number][];
  rolledTo: number;
  closed: Closed;
  lease: Pick<SumState, 'node' | 'lease_until'>;
  now: number;
}

/** One step of the sums. False when somebody else moved the mark or rewrote rows meanwhile: what was read may be old. */
export function* bookUsage({ state, sums, owners, rolledTo, closed, lease, now }: Booking): Work<boolean> {
  const locked = yield {
    sql: `SELECT ${marks.join(', ')}, node, lease_until FROM usage_rollup WHERE id = 1`,
    parameters: [],
    lock: 'wait',
  };
  const current = locked.rows[0] as unknown as SumState | undefined;
  if (current === undefined || marks.some((mark) => current[mark] !== state[mark])) return false;
  if (isElsewhere(current, lease.node, now)) return false;
  yield* insertRows('usage_owner', ['username', 'user_id'], owners, 'ON CONFLICT (username, user_id) DO NOTHING');
  yield* storeSums(sums);
  yield* addUpCharges();
  yield {
    sql: `UPDATE usage_rollup SET rolled_to = ?, ${closedColumns.map((column) => `${column} = ?`).join(', ')}, node = ?, lease_until = ? WHERE id = 1`,
    parameters: [rolledTo, ...closedColumns.map((column) => closed[column]), lease.node, lease.lease_until],
  };
  return true;
}

/** How long a node may be silent before another takes over. */
export const leaseSeconds = 30;

/** Another node holds the lease. */
export function isElsewhere(state: Pick<SumState, 'node' | 'lease_until'>, node: string, now: number): boolean {
  return state.node !== node && state.lease_until > now && state.lease_until <= beyondLease(now, leaseSeconds);
}
