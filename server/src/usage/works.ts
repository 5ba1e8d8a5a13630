/** The door for what runs in the writer's thread: nothing behind it loads a library, so that the thread starts at once. */
export { bookUsage, bookUsageWork } from './sums/book.ts';
export type { UsageRow } from './sums/fold.ts';
export { reviseSums } from './sums/revise.ts';
