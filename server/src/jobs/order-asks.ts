import type { Topups } from '../billing/index.ts';
import type { Log } from '../platform/log.ts';
import { type LeaseHolder, startLeased } from './leased.ts';
import type { Job } from './runner.ts';

interface Parts extends LeaseHolder {
  topups: Pick<Topups, 'askDue'>;
  log: Log;
}

/**
 * Asks payment services about orders nobody told of, each minute, on one node at a time. What was asked by the end and not
 * answered is asked again later.
 */
export function startOrderAsks({ topups, log, ...holder }: Parts): Job {
  return startLeased(holder, {
    ...{ name: 'order-asks', everyMs: 60_000, leaseSeconds: 120, maxBatches: 25 },
    async batch() {
      const { asked, credited } = await topups.askDue();
      return { done: credited, more: asked > 0 };
    },
    tell: (credited) => log.warn({ credited }, 'orders were paid without a notification that arrived'),
    failed: 'payment services could not be asked about orders; trying again',
  });
}
