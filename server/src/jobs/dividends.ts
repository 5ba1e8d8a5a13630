import type { Agents } from '../agents/index.ts';
import type { Log } from '../platform/log.ts';
import { type LeasedJob, type LeaseHolder, startLeased } from './leased.ts';

interface Parts extends LeaseHolder {
  agents: Pick<Agents, 'mature'>;
  log: Log;
  everySeconds: number;
}

/** Lets agents' dividends mature, every `everySeconds`, on one node at a time. */
export function startDividends({ agents, log, everySeconds, ...holder }: Parts): LeasedJob {
  return startLeased(holder, {
    ...{ name: 'dividends', everyMs: everySeconds * 1000, leaseSeconds: 300, maxBatches: 50 },
    async batch() {
      const { matured, more } = await agents.mature();
      return { done: matured, more };
    },
    tell: (matured) => log.info({ matured }, 'dividends can be withdrawn'),
    fail: (error) => log.warn({ err: error }, 'dividends could not mature; trying again'),
  });
}
