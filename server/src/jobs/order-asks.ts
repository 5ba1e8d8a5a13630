import type { Topups } from '../billing/index.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { within } from '../platform/within.ts';
import type { Database } from '../storage/database.ts';
import { takeLease } from '../storage/leases.ts';

const everyMs = 60_000;
/** Longer than a few questions take that are under way at once; a node that died is silent for so long. */
const leaseSeconds = 120;
/** A turn's work at most; what is left waits for the next one. */
const maxBatches = 25;
/** What was asked by then and not answered is asked again later. */
const stopWithinMs = 2_000;

interface Parts {
  topups: Pick<Topups, 'askDue'>;
  db: Database;
  clock: Clock;
  log: Log;
  /** This process among the nodes. */
  node: string;
}

/** Asks payment services about orders nobody told of, each minute, on one node at a time. */
export function startOrderAsks({ topups, db, clock, log, node }: Parts): { tick(): Promise<void>; stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  let stopped = false;
  const isOurs = () => takeLease(db, { name: 'order-asks', node, now: nowSeconds(clock), seconds: leaseSeconds });
  const turn = async () => {
    let total = 0;
    try {
      for (let batch = 0; batch < maxBatches && !stopped && (await isOurs()); batch += 1) {
        const { asked, credited } = await topups.askDue();
        total += credited;
        if (asked === 0) break;
      }
    } catch (error) {
      log.warn({ err: error }, 'payment services could not be asked about orders; trying again');
    }
    if (total > 0) log.warn({ credited: total }, 'orders were paid without a notification that arrived');
  };
  const tick = () => {
    running ??= turn().finally(() => {
      running = undefined;
    });
    return running;
  };
  const timer = setInterval(() => void tick(), everyMs);
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
