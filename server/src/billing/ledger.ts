import type { Clock } from '../platform/clock.ts';
import type { Database } from '../storage/database.ts';
import { createCommitter } from './commit.ts';
import { createGroupCommit, type GroupCommit, maxBatch } from './queue.ts';
import type { HoldRequest, HoldResult, Ledger, LogDraft, SettleResult } from './types.ts';
import { expiredWork } from './works.ts';
import type { Operation } from './works-types.ts';

export interface LedgerParts {
  db: Database;
  clock: Clock;
}

interface Owner {
  userId: number;
  tokenId: number;
}

const unknownOwner: Owner = { userId: -1, tokenId: -1 };
/** Owners of open holds; what falls out is looked up in the database. */
const maxOwners = 100_000;
const maxSweepRounds = 100;

/** The ledger of one process. Several may work on one database. Every method throws LedgerUnavailable when the database is out. */
export function createLedger({ db, clock }: LedgerParts): Ledger {
  const owners = new Map<string, Owner>();
  const forget = (id: string): void => void owners.delete(id);
  const committer = createCommitter({ db, clock, releaseAbandoned: (id) => void release(id).catch(ignore) });
  const queue: GroupCommit = createGroupCommit({ clock, commit: committer.commit });
  const on = (id: string): { id: string; userId: number; tokenId: number } => ({ id, ...(owners.get(id) ?? unknownOwner) });
  const remember = (id: string, owner: Owner): void => {
    if (owners.size >= maxOwners) {
      const oldest = owners.keys().next().value;
      if (oldest !== undefined) owners.delete(oldest);
    }
    owners.set(id, owner);
  };
  const alive = async (id: string, operation: Operation): Promise<boolean> => {
    const done = (await queue.add(operation)) as boolean;
    if (!done && operation.kind !== 'extend') forget(id);
    return done;
  };
  const release = (id: string): Promise<boolean> => alive(id, { kind: 'release', ...on(id) }).finally(() => forget(id));

  return {
    async hold(request) {
      const result = (await queue.add(holdOperation(request))) as HoldResult;
      if (result.ok) remember(request.id, { userId: request.userId, tokenId: request.tokenId });
      return result;
    },
    dispatch: (id) => alive(id, { kind: 'dispatch', ...on(id) }),
    async checkpoint(id, meteredCost, leaseUntil) {
      return alive(id, { kind: 'checkpoint', ...on(id), meteredCost: amount(meteredCost), leaseUntil });
    },
    async extend(id, extra) {
      return alive(id, { kind: 'extend', ...on(id), extra: amount(extra) });
    },
    async settle({ id, cost, now, draft }) {
      const { userId, tokenId } = draft;
      const result = (await queue.add({ kind: 'settle', id, userId, tokenId, cost: amount(cost), now, draft })) as SettleResult;
      forget(id);
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

/** JSON with everything beyond ASCII escaped: one such character would double the text on its way to the writer. */
function asciiJson(value: LogDraft): string {
  return JSON.stringify(value).replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function holdOperation(request: HoldRequest): Operation {
  const { id, userId, tokenId, node, now, leaseUntil } = request;
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
    context: asciiJson(request.draft),
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
