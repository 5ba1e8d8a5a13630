import type { ProofWatch } from '../billing/index.ts';
import type { Log } from '../platform/log.ts';
import type { Job, JobRunner } from './runner.ts';

const everyMs = 60_000;
const moreMs = 100;

/**
 * Looks each minute whether the hourly proof of the ledger is due, and reads receipts on when it is not; a difference is told as an
 * error, each time it is found.
 */
export function startLedgerProof({ watch, log, runner }: { watch: ProofWatch; log: Log; runner: JobRunner }): Job {
  const tell = (differences: readonly string[]) => log.error({ differences }, 'the ledger does not add up');
  return runner.start({
    ...{ name: 'ledger-proof', everyMs, failed: 'the ledger could not be proven; trying again' },
    async turn(isStopped) {
      const run = await watch.run(isStopped);
      if (run !== undefined) {
        if (run.differences.length > 0) tell(run.differences);
        else log.info({ receipts: run.receipts }, 'the ledger adds up');
        return moreMs;
      }
      const { difference, more } = await watch.readOn(isStopped);
      if (difference !== undefined) tell([difference]);
      return more ? moreMs : everyMs;
    },
  });
}
