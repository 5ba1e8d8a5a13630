import type { Log } from '../platform/log.ts';
import type { ChangeFeed } from '../storage/change-feed.ts';
import type { Snapshot } from './snapshot.ts';

/** Holds the present snapshot and replaces it as a whole when something it was compiled from changed. */
export interface Snapshots {
  current(): Snapshot;
}

interface SnapshotsDeps {
  /** Reads and compiles everything; a failure keeps the last good snapshot. */
  readonly compile: () => Promise<Snapshot>;
  /** Told of channels that serve now and did not before. */
  readonly onAppeared: (channelId: number) => void;
  readonly feed: ChangeFeed;
  readonly log: Log;
}

const kinds = new Set(['channel', 'option']);

export async function createSnapshots({ compile, onAppeared, feed, log }: SnapshotsDeps): Promise<Snapshots> {
  let current = await compile();
  feed.on(async (changes) => {
    if (!changes.some(({ kind }) => kinds.has(kind))) return;
    try {
      const before = current;
      const after = await compile();
      for (const id of after.channelIds()) if (before.channel(id) === undefined) onAppeared(id);
      current = after;
    } catch (error) {
      log.error({ err: error }, 'could not compile the new configuration; the last one stays in force');
    }
  });
  return { current: () => current };
}
