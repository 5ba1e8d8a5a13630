import { nowSeconds } from '../platform/clock.ts';
import { claimDue, cutWaits, type DeliverParts, deliver, giveUpLost, settle } from './deliver.ts';
import { spreadStep } from './spread.ts';

/** Keeps the outbox moving. */
export interface Dispatcher {
  /** Spreads and sends what is due now, within bounds; resolves when that is done. Rejects with what failed of it. */
  tick(): Promise<void>;
}

/** What one worker has in hand takes less time than its lease. */
const batch = 16;
const maxRounds = 10;
const parallel = 8;
const upkeepEveryMs = 60_000;

/** Every node runs one: a delivery is in one node's hands at a time, and a node's death leaves it to the others. */
export function createDispatcher(parts: DeliverParts): Dispatcher {
  let upkeepAtMs = 0;
  const send = async (): Promise<boolean> => {
    const now = nowSeconds(parts.clock);
    const claimed = await claimDue(parts, now, batch);
    const left = [...claimed];
    const delivered: Awaited<ReturnType<typeof deliver>>[] = [];
    const work = async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) delivered.push(await deliver(parts, next));
    };
    // What others have in hand when one fails is written down as well: else it would be sent again.
    const ended = await Promise.allSettled(Array.from({ length: parallel }, work));
    await settle(parts, delivered);
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
    return claimed.length === batch;
  };
  return {
    async tick() {
      const now = nowSeconds(parts.clock);
      if (parts.clock.monotonicMs() >= upkeepAtMs) {
        upkeepAtMs = parts.clock.monotonicMs() + upkeepEveryMs;
        await cutWaits(parts, now);
      }
      await giveUpLost(parts, now);
      for (let round = 0; round < maxRounds; round += 1) if (!(await spreadStep(parts, now))) break;
      for (let round = 0; round < maxRounds; round += 1) if (!(await send())) break;
    },
  };
}
