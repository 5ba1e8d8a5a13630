import type { Clock } from '../platform/clock.ts';
import type { Database } from '../storage/database.ts';
import { createCommitter } from './commit.ts';
import { asciiJson, createNoteBook, type SentNote } from './hold-notes.ts';
import { createGroupCommit, type GroupCommit, maxBatch } from './queue.ts';
import type { HoldOwner, HoldRequest, HoldResult, Ledger, SettleResult } from './types.ts';
import { expiredWork } from './works.ts';
import type { Operation } from './works-types.ts';

export interface LedgerParts {
  db: Database;
  clock: Clock;
  /** Told of whom a call was settled for; it must cost nothing and never throw. */
  onSettled?: (userId: number) => void;
  /** Told of a call that the database had forgotten; the same holds. */
  onForgotten?: (call: ForgottenCall) => void;
}

export interface ForgottenCall {
  readonly requestId: string;
  readonly userId: number;
  readonly cost: number;
  readonly collected: number;
  /** False: nobody was charged, since the user was forgotten, too. */
  readonly isCharged: boolean;
}

/** Is looked up in the database. */
const unknownOwner: HoldOwner = { userId: -1, tokenId: -1 };
const maxSweepRounds = 100;

/** The ledger of one process. Several may work on one database. Every method throws LedgerUnavailable when the database is out. */
export function createLedger({ db, clock, onSettled, onForgotten }: LedgerParts): Ledger {
  const notes = createNoteBook();
  const committer = createCommitter({ db, clock, releaseAbandoned: (id) => void release(id).catch(ignore) });
  const queue: GroupCommit = createGroupCommit({ clock, commit: committer.commit });
  const isAlive = async (operation: Operation): Promise<boolean> => (await queue.add(operation)) as boolean;
  const release: Ledger['release'] = (id, { userId, tokenId } = unknownOwner) =>
    isAlive({ kind: 'release', id, userId, tokenId });

  return {
    async hold(request) {
      const note = 'shared' in request.draft ? notes.send(request.draft, request.now) : noNote;
      const result = (await queue.add(holdOperation(request, note))) as HoldResult;
      if (!result.ok) return result;
      notes.stored(note, request.now);
      return result;
    },
    dispatch: (id, { userId, tokenId } = unknownOwner) => isAlive({ kind: 'dispatch', id, userId, tokenId }),
    async checkpoint(id, meteredCost, leaseUntil, { userId, tokenId } = unknownOwner) {
      return isAlive({ kind: 'checkpoint', id, userId, tokenId, meteredCost: amount(meteredCost), leaseUntil });
    },
    async extend(id, extra, { userId, tokenId } = unknownOwner) {
      return isAlive({ kind: 'extend', id, userId, tokenId, extra: amount(extra) });
    },
    async settle({ id, cost, now, draft }) {
      const { userId, tokenId } = draft;
      const operation = { kind: 'settle', id, userId, tokenId, cost: amount(cost), now, draft } as const;
      // Of a streamed answer only the end waits for its charge.
      const result = (await (draft.isStream ? queue.addLater(operation) : queue.add(operation))) as SettleResult;
      onSettled?.(userId);
      if (result.forgotten !== undefined) {
        // With the call went the texts that were written beside it.
        notes.forget();
        const isCharged = result.forgotten === 'charged';
        onForgotten?.({ requestId: id, userId, cost, collected: result.collected, isCharged });
      }
      return result;
    },
    release,
    sweep: (now) => sweep(db, queue, now),
    async flush() {
      await queue.flush();
      await committer.flush();
    },
  };
}

function ignore(): void {}

/** Amounts enter here: whole, safe, not negative. */
function amount(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`Not an amount of quota: ${value}`);
  return value;
}

const noNote: SentNote = { id: '', content: '' };

function holdOperation(request: HoldRequest, note: SentNote): Operation {
  const { id, userId, tokenId, node, now, leaseUntil, draft } = request;
  return {
    kind: 'hold',
    id,
    userId,
    tokenId,
    amount: amount(request.amount),
    floorCost: amount(request.floorCost),
    node,
    now,
    leaseUntil,
    context: 'own' in draft ? draft.own : asciiJson(draft),
    note,
    keeper: request.keeper ?? '',
  };
}

async function sweep(db: Database, queue: GroupCommit, now: number): Promise<number> {
  let closed = 0;
  for (let round = 0; round < maxSweepRounds; round += 1) {
    const expired = await db.run<{ id: string; userId: number; tokenId: number }[]>(expiredWork, { now, limit: maxBatch });
    const results = await Promise.all(expired.map((hold) => queue.add({ kind: 'sweep', ...hold, now })));
    const count = results.filter(Boolean).length;
    closed += count;
    // Others closed the rest, or nothing is left.
    if (expired.length < maxBatch || count === 0) break;
  }
  return closed;
}
