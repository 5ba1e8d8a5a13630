import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { DatabaseError } from '../errors.ts';

/** A file that is given up when the disk is full, so that holds can still be closed. */
export interface Ballast {
  /** Repeats what found the disk full once, with the ballast's room. */
  relieving<T>(attempt: () => Promise<T>): Promise<T>;
  close(): void;
}

const ballastBytes = 1 << 20;
/** So much must be free before a part of it is taken for the next time. */
const plentyBytes = 64 * ballastBytes;
const renewEveryMs = 60_000;

export function createBallast(path: string): Ballast {
  let timer: NodeJS.Timeout | undefined;
  const renewLater = (): void => {
    timer ??= setInterval(() => {
      if (!hasPlenty(path) || !keep(path)) return;
      clearInterval(timer);
      timer = undefined;
    }, renewEveryMs).unref();
  };
  if (!keep(path)) renewLater();
  return {
    async relieving(attempt) {
      try {
        return await attempt();
      } catch (error) {
        const isFull = error instanceof DatabaseError && error.code === 'SQLITE_FULL';
        if (!isFull || !existsSync(path)) throw error;
        rmSync(path, { force: true });
        renewLater();
        return attempt();
      }
    },
    close: () => clearInterval(timer),
  };
}

function keep(path: string): boolean {
  try {
    if (!existsSync(path)) writeFileSync(path, Buffer.alloc(ballastBytes, 1), { mode: 0o600 });
    return true;
  } catch {
    rmSync(path, { force: true });
    return false;
  }
}

function hasPlenty(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(`${path}/..`);
    return bavail * bsize >= plentyBytes;
  } catch {
    return false;
  }
}
