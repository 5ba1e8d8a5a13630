import type { Log } from '../platform/log.ts';
import type { ChangeFeed } from '../storage/change-feed.ts';
import type { Snapshot } from './snapshot.ts';

/** Holds the present snapshot and replaces it as a whole when something it was compiled from changed. */
export interface Snapshots {
  current(): Snapshot;
}

const kinds = new Set(['channel', 'option']);

/** `compile` reads and compiles everything; a failure keeps the last good snapshot. */
export async function createSnapshots(compile: () => Promise<Snapshot>, feed: ChangeFeed, log: Log): Promise<Snapshots> {
  let current = await compile();
  feed.on(async (changes) => {
    if (!changes.some(({ kind }) => kinds.has(kind))) return;
    try {
      current = await compile();
    } catch (error) {
      log.error({ err: error }, 'could not compile the new configuration; the last one stays in force');
    }
  });
  return { current: () => current };
}
