import { type Clock, nowSeconds } from '../../platform/clock.ts';
import type { Database } from '../../storage/database.ts';
import { createHorizon } from '../../storage/horizon.ts';
import { type Booking, bookUsageWork, isElsewhere, type SumState } from './book.ts';
import { closeNext } from './closed.ts';
import { foldRows, type UsageRow, usageColumns } from './fold.ts';
import { withSomeDurations } from './known.ts';
import { packSums } from './store.ts';

export interface RollupDeps {
  db: Database;
  clock: Clock;
  /** Tells the nodes apart: one of them does the work, another takes over when it is silent. */
  node: string;
  /** Rows per step at most (default 2,000). */
  batch?: number;
  /** How long a step may keep the writer (default 20): where calls wait for it. */
  stepMs?: number;
}

/** `done`: nothing is left for now. `more`: call again soon. `elsewhere`: another node does it. */
export type RollupStep = 'done' | 'more' | 'elsewhere';

export interface Rollup {
  /** Adds the next rows of the log to the sums, in one transaction with the mark that they are there. Throws DatabaseError. */
  step(): Promise<RollupStep>;
}

const firstBatch = 500;
const leastBatch = 250;
const defaultBatch = 2_000;
const defaultStepMs = 20;
const leaseSeconds = 30;
/** When a day is closed: some thousands of sums at most. */
const ownersPerStep = 16;

/** The job's work. A death at any statement of it leaves the sums as they were before the step. */
export function createRollup({ db, clock, node, batch: most = defaultBatch, stepMs = defaultStepMs }: RollupDeps): Rollup {
  const horizon = createHorizon(db, 'log');
  let batch = Math.min(firstBatch, most);
  let steps = 0;
  // A slow step makes the next one smaller, a much faster one larger.
  const adapt = (tookMs: number): void => {
    if (tookMs > stepMs) batch = Math.max(Math.min(leastBatch, most), Math.floor(batch / 2));
    else if (tookMs < stepMs / 4) batch = Math.min(most, batch * 2);
  };
  const close = async (state: SumState, lease: Booking['lease'], now: number): Promise<RollupStep> => {
    const next = await closeNext(db, state, ownersPerStep, now);
    if (!next) return 'done';
    await db.run<boolean>(bookUsageWork, { ...next, state, owners: [], rolledTo: state.rolled_to, lease, now } satisfies Booking);
    return 'more';
  };
  return {
    async step() {
      const settledId = await horizon.settledId();
      const state = await db.read.selectFrom('usage_rollup').selectAll().where('id', '=', 1).executeTakeFirstOrThrow();
      const now = nowSeconds(clock);
      if (isElsewhere(state, node, now)) return 'elsewhere';
      const rows = await rowsAfter(db, state.rolled_to, settledId, batch);
      const last = rows.at(-1);
      const lease = { node, lease_until: now + leaseSeconds };
      const closed = { closed_to: state.closed_to, closed_owner: state.closed_owner };
      if (!last) return close(state, lease, now);
      const isFull = rows.length === batch;
      steps += 1;
      const sums = packSums(await withSomeDurations(db, foldRows(rows, 1, closed), steps));
      const booking: Booking = { state, sums, owners: ownersOf(rows), rolledTo: last.id, closed, lease, now };
      const startedMs = clock.monotonicMs();
      const booked = await db.run<boolean>(bookUsageWork, booking).finally(() => adapt(clock.monotonicMs() - startedMs));
      return booked && !isFull ? close({ ...state, rolled_to: last.id }, lease, now) : 'more';
    },
  };
}

/** Whether another node looks after the log now; it may look after more of it than the sums. Throws DatabaseError. */
export async function isSummedElsewhere({ read }: Database, node: string, now: number): Promise<boolean> {
  const state = await read.selectFrom('usage_rollup').select(['node', 'lease_until']).where('id', '=', 1).executeTakeFirst();
  return state !== undefined && isElsewhere(state, node, now);
}

function rowsAfter(db: Database, rolledTo: number, settledId: number, limit: number): Promise<(UsageRow & { id: number })[]> {
  return db.read
    .selectFrom('log')
    .select(['id', ...usageColumns])
    .where('id', '>', rolledTo)
    .where('id', '<=', settledId)
    .orderBy('id')
    .limit(limit)
    .execute();
}

function ownersOf(rows: readonly UsageRow[]): [username: string, userId: number][] {
  return [
    ...new Map(rows.map(({ username, user_id }) => [`${user_id} ${username}`, [username, user_id] as [string, number]])).values(),
  ];
}
