import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Ledger, type Outbox, openOutbox } from './billing/index.ts';
import { EnvironmentError } from './env.ts';
import { replayOutbox } from './jobs/outbox-replay.ts';
import { withLeftOutboxes } from './main-left-outboxes.ts';
import { useDataFolder } from './platform/data-folder.ts';
import type { Log } from './platform/log.ts';

interface Place {
  readonly dataDir: string;
  /** This process's number among the workers of its server, from 1. */
  readonly index: number;
  readonly log: Log;
  /** How long to wait for a process before this one that has not quite ended. */
  readonly lockWithinMs?: number;
}

interface Parts extends Place {
  readonly workers: number;
  readonly ledger: Ledger;
  /** How the lock is given back that `lockOwnOutbox` took. */
  readonly release: () => void;
}

const lookEveryMs = 100;

/** Each process has an outbox of its own; the first one also books what workers left that are no longer started, until that is empty. */
export async function openOwnOutbox(parts: Parts): Promise<Outbox> {
  const { dataDir, index, ledger, log, release } = parts;
  const own = await openOutbox({ path: path.join(dataDir, nameOf(index)), ledger });
  const lock = (file: string) => lockOwn({ dataDir, log, lockWithinMs: 0 }, file);
  const outbox = index === 1 ? withLeftOutboxes(own, { ...parts, lock }) : own;
  await replayOutbox(outbox, log);
  return { ...outbox, close: () => outbox.close().finally(release) };
}

const nameOf = (index: number): string => (index === 1 ? 'outbox' : `outbox-${index}`);

/**
 * The outbox is this process's from here on; returns how it is given back. Throws EnvironmentError when another server has the
 * folder: two would cut off each other's charges.
 */
export async function lockOwnOutbox(place: Place): Promise<() => void> {
  const name = nameOf(place.index);
  useDataFolder(place.dataDir, [name, `${name}.lock`]);
  const release = await lockOwn(place, `${name}.lock`);
  if (release === undefined) throw inUse(place.dataDir);
  return release;
}

/** Returns how it is given back; a process that dies gives it back, too. Undefined = another one has it. Throws when it may not be used. */
async function lockOwn(
  { dataDir, log, lockWithinMs = 10_000 }: Omit<Place, 'index'>,
  name: string,
): Promise<(() => void) | undefined> {
  const { lockFile } = await import('./storage/file-lock.ts');
  try {
    for (let leftMs = lockWithinMs; leftMs >= 0; leftMs -= lookEveryMs) {
      const lock = lockFile(path.join(dataDir, name));
      if (lock !== undefined) return lock.release;
      await delay(lookEveryMs);
    }
    return undefined;
  } catch (error) {
    // Some file systems of other machines know no locks.
    if (!/^SQLITE_(IOERR|PERM)/.test((error as { code?: string }).code ?? '')) throw error;
    log.warn({ err: error, dataDir }, 'DATA_DIR cannot be locked: see that no other server has it');
    return () => undefined;
  }
}

const inUse = (dataDir: string): EnvironmentError =>
  new EnvironmentError([
    `DATA_DIR=${path.resolve(dataDir)} belongs to another server that runs: charges wait there, so each needs a folder of its own`,
  ]);
