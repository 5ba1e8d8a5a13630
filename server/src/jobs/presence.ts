import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../storage/database.ts';
import { announceNode, databaseNowMs, leaveNodes } from '../storage/presence.ts';

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly node: string;
  readonly version: string;
}

const everyMs = 20_000;

/** Says every 20 seconds that this node lives, so that the doctor sees how many there are and whether they agree. */
export function startPresence({ db, clock, log, node, version }: Parts): { beat(): Promise<void>; stop(): Promise<void> } {
  let beating: Promise<void> | undefined;
  const say = async () => {
    try {
      const nowMs = await databaseNowMs(db);
      const aheadMs = Math.round(clock.nowMs() - nowMs);
      await announceNode(db, { name: node, version, aheadMs }, Math.floor(nowMs / 1000));
    } catch (error) {
      log.debug({ err: error }, 'could not say that this node lives');
    }
  };
  const beat = (): Promise<void> => {
    beating ??= say().finally(() => {
      beating = undefined;
    });
    return beating;
  };
  void beat();
  const timer = setInterval(() => void beat(), everyMs);
  timer.unref();
  return {
    beat,
    async stop() {
      clearInterval(timer);
      await beating;
      await leaveNodes(db, node).catch(() => undefined);
    },
  };
}
