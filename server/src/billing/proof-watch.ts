import { setTimeout as delay } from 'node:timers/promises';
import { sql, type UpdateObject } from 'kysely';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import { type Database, forAnalysis } from '../storage/database.ts';
import { beyondLease, takeLease } from '../storage/leases.ts';
import type { Schema } from '../storage/schema.ts';
import { freshState, lastProof, stateId } from './proof-state.ts';
import { proveReceipts } from './prove-receipts.ts';
import type { Signer } from './receipts.ts';
import { proveBalances } from './reconcile.ts';

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  readonly sign: Signer;
  /** This process among the nodes. */
  readonly node: string;
  /** Of one run, and read on at once. */
  readonly maxReceipts?: number;
  readonly rest?: (ms: number) => Promise<unknown>;
}

/** What one hourly proof found. */
interface ProofRun {
  /** Name of the check and the first row that differs, one line each. */
  readonly differences: readonly string[];
  readonly receipts: number;
}

/** Proves the ledger once an hour, whichever node comes first, and reads receipts on in between. */
export interface ProofWatch {
  /** Undefined: it is not due, or another node does it. Throws DatabaseError. */
  run(isStopped?: () => boolean): Promise<ProofRun | undefined>;
  /**
   * Recomputes the next receipts, on one node at a time; a difference is told once and then left to the hourly proof.
   * Answers whether there are more at once. Throws DatabaseError.
   */
  readOn(isStopped?: () => boolean): Promise<{ readonly difference: string | undefined; readonly more: boolean }>;
}

const everySeconds = 3_600;
/** A proof whose sums take long comes more seldom: never more than this share of the time. */
const restFactor = 500;
/** A slice: how far it came is written once. */
const usualReceipts = 10_000;
/** After each page of receipts nothing is read for so many times as long as it took: a busy machine is asked for less. */
const pageRests = 19;
const longestRestMs = 1_000;
/** Longer than any transaction lives: until then rows with lower ids may still appear. */
const settledSeconds = 600;
/** Longer than a slice takes. */
const leaseSeconds = 600;

const pause = (ms: number) => delay(ms, undefined, { ref: false });

export function createProofWatch(parts: Parts): ProofWatch {
  const { clock, sign, node, maxReceipts = usualReceipts, rest = pause } = parts;
  // It reads all there is: calls do not wait behind that.
  const db = forAnalysis(parts.db);
  /** Up to where receipts are sound, before one that is not. */
  let stuckAt: number | undefined;
  const readReceipts = async (after: number, now: number, isStopped: () => boolean) => {
    let beganMs = clock.monotonicMs();
    const between = async () => {
      await rest(Math.min((clock.monotonicMs() - beganMs) * pageRests, longestRestMs));
      beganMs = clock.monotonicMs();
      return !isStopped();
    };
    // What is later than that was written by a clock that ran ahead.
    const young = { after: now - settledSeconds, to: beyondLease(now, 0) };
    const read = await proveReceipts(db, sign, { after, order: 'oldest', maxRows: maxReceipts, young, between });
    stuckAt = read.difference === undefined ? undefined : read.proven;
    const difference = read.difference && `receipts_recompute: ${read.difference}`;
    return { ...read, difference };
  };
  return {
    async run(isStopped = () => false) {
      const now = nowSeconds(clock);
      const mark = await claim(db, now);
      if (mark === undefined) return undefined;
      const startedMs = clock.monotonicMs();
      const balances = await proveBalances(db);
      const tookSeconds = Math.ceil((clock.monotonicMs() - startedMs) / 1000);
      const receipts = await readReceipts(mark, now, isStopped);
      const differences = balances.filter(({ ok }) => !ok).map(({ name, first_difference }) => `${name}: ${first_difference}`);
      if (receipts.difference !== undefined) differences.push(receipts.difference);
      await writeState(db, {
        ...{ log_id: reached(receipts.proven), checked_at: now, ok: differences.length === 0 ? 1 : 0 },
        difference: shortened(differences[0] ?? ''),
        due_at: now + Math.max(everySeconds, tookSeconds * restFactor),
      });
      return { differences, receipts: receipts.checked };
    },
    async readOn(isStopped = () => false) {
      const now = nowSeconds(clock);
      const nothing = { difference: undefined, more: false };
      const state = await lastProof(db);
      if (state === undefined || state.log_id === stuckAt) return nothing;
      if (!(await takeLease(db, { name: 'receipts-proof', node, now, seconds: leaseSeconds }))) return nothing;
      const { proven, complete, difference } = await readReceipts(state.log_id, now, isStopped);
      if (difference === undefined) await writeState(db, { log_id: reached(proven) });
      else await writeState(db, { log_id: reached(proven), ok: 0, difference: firstDifference(difference) });
      return { difference, more: !complete && difference === undefined };
    },
  };
}

const shortened = (difference: string): string => difference.slice(0, 1000);

/** Another node may have come further meanwhile. */
const reached = (logId: number) => sql<number>`CASE WHEN log_id > ${logId} THEN log_id ELSE ${logId} END`;

/** What the hourly proof found stays what is told. */
const firstDifference = (difference: string) => sql<string>`CASE WHEN ok = 1 THEN ${shortened(difference)} ELSE difference END`;

function writeState(db: Database, values: UpdateObject<Schema, 'proof_state'>): Promise<unknown> {
  return db.transaction((tx) => tx.query.updateTable('proof_state').set(values).where('id', '=', stateId).execute());
}

/** Up to which row receipts were proven; undefined = not due. Who claims it keeps it for an hour, also if it dies. */
function claim(db: Database, now: number): Promise<number | undefined> {
  return db.transaction(async (tx) => {
    await tx.query
      .insertInto('proof_state')
      .values(freshState)
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
