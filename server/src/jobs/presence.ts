import { type Clock, toSeconds } from '../platform/clock.ts';
import type { Database } from '../storage/database.ts';
import { announceNode, databaseNowMs, leaveNodes } from '../storage/presence.ts';
import type { Job, JobRunner } from './runner.ts';

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  readonly runner: JobRunner;
  readonly node: string;
  readonly isWorker: boolean;
  readonly version: string;
  /** See `PresentNode`. */
  readonly behindMs: () => number;
  readonly charges: () => number;
}

const everyMs = 20_000;

/** Says every 20 seconds that this process lives, so that the doctor sees how many there are, whether they agree and how far each is. */
export function startPresence({ db, clock, runner, node, isWorker, version, behindMs, charges }: Parts): Job {
  const job = runner.start({
    ...{ name: 'presence', everyMs, firstMs: 0, failed: 'could not say that this node lives; trying again' },
    async turn() {
      const nowMs = await databaseNowMs(db);
      const aheadMs = Math.round(clock.nowMs() - nowMs);
      const lag = { behindMs: Math.round(behindMs()), charges: charges() };
      await announceNode(db, { name: node, isWorker, version, aheadMs, ...lag }, toSeconds(nowMs));
    },
  });
  return {
    ...job,
    async stop() {
      await job.stop();
      await leaveNodes(db, node).catch(() => undefined);
    },
  };
}
