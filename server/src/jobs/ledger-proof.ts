import type { ProofWatch } from '../billing/index.ts';
import type { Log } from '../platform/log.ts';

const everyMs = 60_000;

/** Looks each minute whether the hourly proof of the ledger is due; a difference is told as an error, each time it is found. */
export function startLedgerProof({ watch, log }: { watch: ProofWatch; log: Log }): { tick(): Promise<void>; stop(): void } {
  let running = false;
  const tick = async () => {
    if (running) return;
    running = true;
    try {
      const run = await watch.run();
      if (run === undefined) return;
      if (run.differences.length > 0) log.error({ differences: run.differences }, 'the ledger does not add up');
      else log.info({ receipts: run.receipts }, 'the ledger adds up');
    } catch (error) {
      log.warn({ err: error }, 'the ledger could not be proven; trying again in an hour');
    } finally {
      running = false;
    }
  };
  const timer = setInterval(() => void tick(), everyMs);
  timer.unref();
  return { tick, stop: () => clearInterval(timer) };
}
