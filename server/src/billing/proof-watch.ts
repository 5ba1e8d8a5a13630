import { sql } from 'kysely';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import { type Database, forAnalysis } from '../storage/database.ts';
import { beyondLease } from '../storage/leases.ts';
import { stateId } from './proof-state.ts';
import { proveReceipts } from './prove-receipts.ts';
import type { Signer } from './receipts.ts';
import { proveBalances } from './reconcile.ts';

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  readonly sign: Signer;
}

/** What one hourly proof found. */
interface ProofRun {
  /** Name of the check and the first row that differs, one line each. */
  readonly differences: readonly string[];
  readonly receipts: number;
}

/** Proves the ledger once an hour, whichever node comes first. */
export interface ProofWatch {
  /** Undefined: it is not due, or another node does it. Throws DatabaseError. */
  run(): Promise<ProofRun | undefined>;
}

const everySeconds = 3_600;
/** A proof that takes long comes more seldom: never more than this share of the time. */
const restFactor = 500;
const maxReceipts = 200_000;
/** Longer than any transaction lives: until then rows with lower ids may still appear. */
const settledSeconds = 600;

export function createProofWatch({ db: database, clock, sign }: Parts): ProofWatch {
  // It reads all there is: calls do not wait behind that.
  const db = forAnalysis(database);
  return {
    async run() {
      const now = nowSeconds(clock);
      const mark = await claim(db, now);
      if (mark === undefined) return undefined;
      const startedMs = clock.monotonicMs();
      const balances = await proveBalances(db);
      const window = { after: mark, order: 'oldest', maxRows: maxReceipts, until: now - settledSeconds } as const;
      const receipts = await proveReceipts(db, sign, window);
      const tookSeconds = Math.ceil((clock.monotonicMs() - startedMs) / 1000);
      const differences = balances.filter(({ ok }) => !ok).map(({ name, first_difference }) => `${name}: ${first_difference}`);
      if (receipts.difference !== undefined) differences.push(`receipts_recompute: ${receipts.difference}`);
      const found = { log_id: receipts.proven, checked_at: now, ok: differences.length === 0 ? 1 : 0 };
      await db.transaction((tx) =>
        tx.query
          .updateTable('proof_state')
          .set({
            ...found,
            difference: (differences[0] ?? '').slice(0, 1000),
            due_at: now + Math.max(everySeconds, tookSeconds * restFactor),
          })
          .where('id', '=', stateId)
          .execute(),
      );
      return { differences, receipts: receipts.checked };
    },
  };
}

/** Up to which row receipts were proven; undefined = not due. Who claims it keeps it for an hour, also if it dies. */
function claim(db: Database, now: number): Promise<number | undefined> {
  return db.transaction(async (tx) => {
    const fresh = { id: stateId, due_at: 0, log_id: 0, checked_at: 0, ok: 1, difference: '' };
    await tx.query
      .insertInto('proof_state')
      .values(fresh)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
    const row = await tx.query
      .updateTable('proof_state')
      .set({ due_at: now + everySeconds, checked_at: sql<number>`CASE WHEN checked_at > ${now} THEN ${now} ELSE checked_at END` })
      .where('id', '=', stateId)
      // The last one was by a clock that ran ahead and was set back since.
      .where((state) => state.or([state('due_at', '<=', now), state('checked_at', '>', beyondLease(now, 0))]))
      .returning('log_id')
      .executeTakeFirst();
    return row?.log_id;
  });
}
