import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Database } from '../storage/database.ts';
import { takeLease } from '../storage/leases.ts';
import type { Job, JobRunner } from './runner.ts';

export interface LeaseHolder {
  db: Database;
  clock: Clock;
  /** This process among the nodes. */
  node: string;
  runner: JobRunner;
}

interface LeasedWork {
  /** Of the lease and of the job. */
  name: string;
  everyMs: number;
  /** Longer than a batch takes; a node that died is silent for so long. */
  leaseSeconds: number;
  /** A turn's work at most; what is left waits for the next one. */
  maxBatches: number;
  batch(): Promise<{ done: number; more: boolean }>;
  /** How much one turn did, if anything. */
  tell(done: number): void;
  /** See `Work` of the runner. */
  failed: string;
}

/** Works by batches until nothing is due, every `everyMs`, on one node at a time. */
export function startLeased({ db, clock, node, runner }: LeaseHolder, work: LeasedWork): Job {
  const { name, everyMs, failed } = work;
  const isOurs = () => takeLease(db, { name, node, now: nowSeconds(clock), seconds: work.leaseSeconds });
  return runner.start({
    ...{ name, everyMs, failed },
    async turn(isStopped) {
      let total = 0;
      try {
        for (let batch = 0; batch < work.maxBatches && !isStopped() && (await isOurs()); batch += 1) {
          const { done, more } = await work.batch();
          total += done;
          if (!more) break;
        }
      } finally {
        if (total > 0) work.tell(total);
      }
    },
  });
}
