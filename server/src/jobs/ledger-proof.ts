import type { ProofWatch } from '../billing/index.ts';
import type { Log } from '../platform/log.ts';
import type { Job, JobRunner } from './runner.ts';

const everyMs = 60_000;

/** Looks each minute whether the hourly proof of the ledger is due; a difference is told as an error, each time it is found. */
export function startLedgerProof({ watch, log, runner }: { watch: ProofWatch; log: Log; runner: JobRunner }): Job {
  return runner.start({
    ...{ name: 'ledger-proof', everyMs, failed: 'the ledger could not be proven; trying again in an hour' },
    async turn() {
      const run = await watch.run();
      if (run === undefined) return;
      if (run.differences.length > 0) log.error({ differences: run.differences }, 'the ledger does not add up');
      else log.info({ receipts: run.receipts }, 'the ledger adds up');
    },
  });
}
