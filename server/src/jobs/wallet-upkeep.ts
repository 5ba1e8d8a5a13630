import type { Topups } from '../billing/index.ts';
import type { Log } from '../platform/log.ts';
import type { Job, JobRunner } from './runner.ts';

interface Parts {
  topups: Pick<Topups, 'upkeep'>;
  log: Log;
  runner: JobRunner;
}

const everyMs = 60_000;

/** Closes orders that nobody paid and pays invite rewards that are due, each minute. */
export function startWalletUpkeep({ topups, log, runner }: Parts): Job {
  return runner.start({
    ...{ name: 'wallet-upkeep', everyMs, failed: 'orders and invite rewards could not be looked after; trying again' },
    async turn() {
      const { expired, rewarded } = await topups.upkeep();
      if (expired + rewarded > 0) log.info({ expired, rewarded }, 'orders were closed, invite rewards paid');
    },
  });
}
