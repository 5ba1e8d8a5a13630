import { type Clock, nowSeconds } from '../../platform/clock.ts';
import type { Database } from '../../storage/database.ts';
import { createHorizon } from '../../storage/horizon.ts';
import { type Booking, bookUsageWork, isElsewhere, leaseSeconds, type SumState } from './book.ts';
import { addNextToMonth, closeNext } from './closed.ts';
import { type FoldedLog, foldLogWork, type Stretch } from './fold-log.ts';

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

const batches = { first: 500, least: 250, most: 2_000 };
/** Owners whose day is closed: with a busy log some thousands of sums each time. */
const ownerBatches = { first: 16, least: 16, most: 256 };
const defaultStepMs = 20;

/** The job's work. A death at any statement of it leaves the sums as they were before the step. */
export function createRollup({ db, clock, node, batch: most = batches.most, stepMs = defaultStepMs }: RollupDeps): Rollup {
  const horizon = createHorizon(db);
  const batch = createStride({ ...batches, most }, stepMs);
  const ownerBatch = createStride(ownerBatches, stepMs);
  const monthBatch = createStride(batches, stepMs);
  let steps = 0;
  const close = async (state: SumState, lease: Booking['lease'], now: number): Promise<RollupStep> => {
    const startedMs = clock.monotonicMs();
    const days = await closeNext(db, state, ownerBatch.size(), now);
    const next = days ?? (await addNextToMonth(db, state, monthBatch.size()));
    if (!next) return 'done';
    await db.run<boolean>(bookUsageWork, { ...next, state, owners: [], rolledTo: state.rolled_to, lease, now } satisfies Booking);
    (days ? ownerBatch : monthBatch).took(clock.monotonicMs() - startedMs);
    return 'more';
  };
  return {
    async step() {
      const settledId = await horizon.settledId();
      const state = await db.read.selectFrom('usage_rollup').selectAll().where('id', '=', 1).executeTakeFirstOrThrow();
      const now = nowSeconds(clock);
      if (isElsewhere(state, node, now)) return 'elsewhere';
      const lease = { node, lease_until: now + leaseSeconds };
      const { closed_to, closed_owner, month_to, month_owner } = state;
      const closed = { closed_to, closed_owner, month_to, month_owner };
      const stretch: Stretch = { after: state.rolled_to, upTo: settledId, limit: batch.size(), closed, turn: steps + 1 };
      const { rows, last, owners, sums } = await db.examine<FoldedLog>(foldLogWork, stretch);
      if (rows === 0) return close(state, lease, now);
      const isFull = rows === batch.size();
      steps += 1;
      const booking: Booking = { state, sums, owners, rolledTo: last, closed, lease, now };
      const startedMs = clock.monotonicMs();
      const booked = await db.run<boolean>(bookUsageWork, booking).finally(() => batch.took(clock.monotonicMs() - startedMs));
      return booked && !isFull ? close({ ...state, rolled_to: last }, lease, now) : 'more';
    },
  };
}

/** How much a step takes on: a slow one makes the next one smaller, a much faster one larger. */
function createStride({ first, least, most }: typeof batches, stepMs: number) {
  let size = Math.min(first, most);
  return {
    size: () => size,
    took(ms: number): void {
      if (ms > stepMs) size = Math.max(Math.min(least, most), Math.floor(size / 2));
      else if (ms < stepMs / 4) size = Math.min(most, size * 2);
    },
  };
}

/** Whether another node looks after the log now; it may look after more of it than the sums. Throws DatabaseError. */
export async function isSummedElsewhere({ read }: Database, node: string, now: number): Promise<boolean> {
  const state = await read.selectFrom('usage_rollup').select(['node', 'lease_until']).where('id', '=', 1).executeTakeFirst();
  return state !== undefined && isElsewhere(state, node, now);
}
