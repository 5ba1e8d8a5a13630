import { type Clock, nowSeconds } from '../platform/clock.ts';
import { within } from '../platform/within.ts';
import type { Database } from '../storage/database.ts';
import { takeLease } from '../storage/leases.ts';

export interface LeasedJob {
  /** A turn now; nothing where one is under way. Never rejects. */
  tick(): Promise<void>;
  /** Resolves when the batch under way has ended, or after two seconds. */
  stop(): Promise<void>;
}

export interface LeaseHolder {
  db: Database;
  clock: Clock;
  /** This process among the nodes. */
  node: string;
}

interface Work {
  /** Of the lease. */
  name: string;
  everyMs: number;
  /** Longer than a batch takes; a node that died is silent for so long. */
  leaseSeconds: number;
  /** A turn's work at most; what is left waits for the next one. */
  maxBatches: number;
  batch(): Promise<{ done: number; more: boolean }>;
  /** How much one turn did, if anything. */
  tell(done: number): void;
  fail(error: unknown): void;
}

const stopWithinMs = 2_000;

/** Works by batches until nothing is due, every `everyMs`, on one node at a time. */
export function startLeased({ db, clock, node }: LeaseHolder, work: Work): LeasedJob {
  let running: Promise<void> | undefined;
  let stopped = false;
  const isOurs = () => takeLease(db, { name: work.name, node, now: nowSeconds(clock), seconds: work.leaseSeconds });
  const turn = async () => {
    let total = 0;
    try {
      for (let batch = 0; batch < work.maxBatches && !stopped && (await isOurs()); batch += 1) {
        const { done, more } = await work.batch();
        total += done;
        if (!more) break;
      }
    } catch (error) {
      work.fail(error);
    }
    if (total > 0) work.tell(total);
  };
  const tick = async () => {
    if (running !== undefined) return;
    running = turn();
    await running;
    running = undefined;
  };
  const timer = setInterval(() => void tick(), work.everyMs);
  timer.unref();
  return {
    tick,
    async stop() {
      stopped = true;
      clearInterval(timer);
      await within(Promise.resolve(running), stopWithinMs, () => undefined);
    },
  };
}
