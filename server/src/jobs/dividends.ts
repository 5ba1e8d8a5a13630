import type { Agents } from '../agents/index.ts';
import type { Log } from '../platform/log.ts';
import { type LeaseHolder, startLeased } from './leased.ts';
import type { Job } from './runner.ts';

interface Parts extends LeaseHolder {
  agents: Pick<Agents, 'mature'>;
  log: Log;
  everySeconds: number;
}

/** Lets agents' dividends mature, every `everySeconds`, on one node at a time. */
export function startDividends({ agents, log, everySeconds, ...holder }: Parts): Job {
  return startLeased(holder, {
    ...{ name: 'dividends', everyMs: everySeconds * 1000, leaseSeconds: 300, maxBatches: 50 },
    async batch() {
      const { matured, more } = await agents.mature();
      return { done: matured, more };
    },
    tell: (matured) => log.info({ matured }, 'dividends can be withdrawn'),
    failed: 'dividends could not mature; trying again',
  });
}
