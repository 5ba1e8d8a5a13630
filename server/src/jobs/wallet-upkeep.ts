import type { Topups } from '../billing/index.ts';
import type { Log } from '../platform/log.ts';

const everyMs = 60_000;

/** Closes orders that nobody paid and pays invite rewards that are due, each minute. */
export function startWalletUpkeep({ topups, log }: { topups: Pick<Topups, 'upkeep'>; log: Log }): { stop(): void } {
  let running = false;
  const tick = async () => {
    if (running) return;
    running = true;
    try {
      const { expired, rewarded } = await topups.upkeep();
      if (expired + rewarded > 0) log.info({ expired, rewarded }, 'orders were closed, invite rewards paid');
    } catch (error) {
      log.warn({ err: error }, 'orders and invite rewards could not be looked after; trying again');
    } finally {
      running = false;
    }
  };
  const timer = setInterval(() => void tick(), everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
