import type { Ledger } from '../billing/index.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';

/** Closes expired holds every `everySeconds`, and once at the start: what a crash left open is closed soon after. */
export function startSweeper(parts: { ledger: Ledger; clock: Clock; log: Log; everySeconds: number }): { stop(): void } {
  const { ledger, clock, log, everySeconds } = parts;
  let running = false;
  const sweep = async () => {
    if (running) return;
    running = true;
    try {
      const closed = await ledger.sweep(nowSeconds(clock));
      if (closed > 0) log.info({ closed }, 'expired holds were closed');
    } catch (error) {
      log.warn({ err: error }, 'could not sweep holds; trying again');
    } finally {
      running = false;
    }
  };
  void sweep();
  const timer = setInterval(() => void sweep(), everySeconds * 1000);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
