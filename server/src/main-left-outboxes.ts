import { rmSync } from 'node:fs';
import path from 'node:path';
import { type Ledger, leftOutboxes, type Outbox, openOutbox, type ReplayResult } from './billing/index.ts';
import type { Log } from './platform/log.ts';

interface Parts {
  readonly dataDir: string;
  readonly workers: number;
  readonly ledger: Ledger;
  readonly log: Log;
  /** Undefined = the process that wrote it has not quite ended. */
  readonly lock: (name: string) => Promise<(() => void) | undefined>;
}

/** The outbox of a process that also books what workers left that are no longer started: all of it counts as its own. */
export function withLeftOutboxes(own: Outbox, parts: Parts): Outbox {
  const { dataDir, workers } = parts;
  const taken = new Map<string, Outbox>();
  const waiting = () => leftOutboxes(dataDir, workers).filter((name) => !taken.has(name));
  let running: Promise<ReplayResult> | undefined;

  const pass = async (): Promise<ReplayResult> => {
    for (const name of waiting()) {
      const outbox = await take(name, parts).catch((error: unknown) => {
        parts.log.warn(
          { err: error, outbox: name },
          'the outbox of a worker that is no longer started cannot be read; trying again',
        );
        return undefined;
      });
      if (outbox !== undefined) taken.set(name, outbox);
    }
    const results = [await own.replay()];
    for (const [name, outbox] of taken) {
      const result = await outbox.replay();
      results.push(result);
      if (result.left > 0) continue;
      taken.delete(name);
      await outbox.close();
      rmSync(path.join(dataDir, name), { force: true });
      parts.log.info({ outbox: name }, 'the outbox of a worker that is no longer started is booked');
    }
    return {
      settled: results.reduce((sum, { settled }) => sum + settled, 0),
      left: results.reduce((sum, { left }) => sum + left, 0) + waiting().length,
      fault: results.find(({ fault }) => fault !== undefined)?.fault,
    };
  };

  return {
    add: own.add,
    replay() {
      running ??= pass().finally(() => {
        running = undefined;
      });
      return running;
    },
    // What cannot be read yet counts as one charge each.
    size: () => [...taken.values()].reduce((sum, outbox) => sum + outbox.size(), own.size() + waiting().length),
    async close() {
      await running?.catch(() => undefined);
      await Promise.all([own, ...taken.values()].map((outbox) => outbox.close()));
    },
  };
}

async function take(name: string, { dataDir, ledger, log, lock }: Parts): Promise<Outbox | undefined> {
  const release = await lock(`${name}.lock`);
  if (release === undefined) return undefined;
  try {
    const outbox = await openOutbox({ path: path.join(dataDir, name), ledger });
    log.warn(
      { outbox: name, charges: outbox.size() },
      'a worker that is no longer started left charges: they are booked from here',
    );
    return { ...outbox, close: () => outbox.close().finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}
