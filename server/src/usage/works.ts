/** The door for what runs in the database's threads: nothing behind it loads a library, so that they start at once. */
export { logColumns } from './log/columns.ts';
export { postSegment, postSegmentWork } from './postings/post-segment.ts';
export { bookUsage, bookUsageWork } from './sums/book.ts';
export type { UsageRow } from './sums/fold.ts';
export { foldLog, foldLogWork } from './sums/fold-log.ts';
export { reviseSums } from './sums/revise.ts';
