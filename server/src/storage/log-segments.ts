import type { Work } from './database.ts';

/** Ids of one segment of the log: `segment * logSegmentRows` and up. */
export const logSegmentRows = 16_384;

export function logSegmentOf(id: number): number {
  return Math.floor(id / logSegmentRows);
}

/** To be performed with every change of rows that were written before: what was noted of their segment no longer holds. */
export function* touchLogSegment(segment: number): Work<void> {
  yield {
    sql: 'INSERT INTO log_touch (segment, epoch) VALUES (?, 1) ON CONFLICT (segment) DO UPDATE SET epoch = log_touch.epoch + 1',
    parameters: [segment],
  };
}
