import type { Log } from '../platform/log.ts';
import type { Change, ChangeReader } from './changes.ts';

/** Brings committed changes to those who keep compiled or cached copies. */
export interface ChangeFeed {
  /** Looks now instead of at the next tick; called after a local commit. */
  notify(): void;
  on(listener: (changes: readonly Change[]) => void | Promise<void>): void;
  /** Resolves when all changes committed before the call have reached the listeners. */
  catchUp(): Promise<void>;
  /** The latest change that was read: the version of what is compiled from it. */
  seq(): number;
  stop(): void;
}

const pollMs = 1_000;

/** Polls every second whatever else happens (rulings 14); a failed look is repeated at the next tick. */
export function createChangeFeed(reader: ChangeReader, log: Log): ChangeFeed {
  const listeners: ((changes: readonly Change[]) => void | Promise<void>)[] = [];
  let running: Promise<void> | undefined;
  let again: Promise<void> | undefined;

  const look = async () => {
    try {
      const changes = await reader.changesSince();
      if (changes.length > 0) for (const listener of listeners) await listener(changes);
    } catch (error) {
      log.warn({ err: error }, 'could not read changes; trying again');
    }
  };
  /** A look that began before the call may have missed the latest commit: wait for it, then look once more. */
  const catchUp = (): Promise<void> => {
    if (running === undefined) {
      running = look().finally(() => {
        running = undefined;
      });
      return running;
    }
    again ??= running.then(() => {
      again = undefined;
      return catchUp();
    });
    return again;
  };
  const timer = setInterval(() => void catchUp(), pollMs);
  timer.unref();
  return {
    notify: () => void catchUp(),
    on: (listener) => void listeners.push(listener),
    catchUp,
    seq: () => reader.seq(),
    stop: () => clearInterval(timer),
  };
}
