import type { Agents } from '../agents/index.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../storage/database.ts';
import { takeLease } from '../storage/leases.ts';

/** Longer than a batch takes; a node that died is silent for so long. */
const leaseSeconds = 300;
/** A turn's work at most; what is left waits for the next one. */
const maxBatches = 50;

interface Parts {
  agents: Pick<Agents, 'mature'>;
  db: Database;
  clock: Clock;
  log: Log;
  /** This process among the nodes. */
  node: string;
  everySeconds: number;
}

/** Lets agents' dividends mature, every `everySeconds`, on one node at a time. */
export function startDividends({ agents, db, clock, log, node, everySeconds }: Parts): { tick(): Promise<void>; stop(): void } {
  let running = false;
  const isOurs = () => takeLease(db, { name: 'dividends', node, now: nowSeconds(clock), seconds: leaseSeconds });
  const tick = async () => {
    if (running) return;
    running = true;
    try {
      let total = 0;
      for (let batch = 0; batch < maxBatches && (await isOurs()); batch += 1) {
        const { matured, more } = await agents.mature();
        total += matured;
        if (!more) break;
      }
      if (total > 0) log.info({ matured: total }, 'dividends can be withdrawn');
    } catch (error) {
      log.warn({ err: error }, 'dividends could not mature; trying again');
    } finally {
      running = false;
    }
  };
  const timer = setInterval(() => void tick(), everySeconds * 1000);
  timer.unref();
  return { tick, stop: () => clearInterval(timer) };
}
