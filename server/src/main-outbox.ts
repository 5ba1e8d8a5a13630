import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { type Ledger, type Outbox, openOutbox } from './billing/index.ts';
import { replayOutbox } from './jobs/outbox-replay.ts';
import type { Log } from './platform/log.ts';

interface Parts {
  readonly dataDir: string;
  /** This process's number among the workers of its server, from 1. */
  readonly index: number;
  readonly workers: number;
  readonly ledger: Ledger;
  readonly log: Log;
}

/** Each process has an outbox of its own; the first one also books what workers left that are no longer started. */
export async function openOwnOutbox({ dataDir, index, workers, ledger, log }: Parts): Promise<Outbox> {
  if (index === 1) {
    for (const left of outboxesAbove(dataDir, workers)) {
      const outbox = await openOutbox({ path: left, ledger });
      await replayOutbox(outbox, log);
      await outbox.close();
    }
  }
  const outbox = await openOutbox({ path: path.join(dataDir, index === 1 ? 'outbox' : `outbox-${index}`), ledger });
  await replayOutbox(outbox, log);
  return outbox;
}

function outboxesAbove(dataDir: string, workers: number): string[] {
  if (!existsSync(dataDir)) return [];
  const names = readdirSync(dataDir).filter((name) => Number(/^outbox-(\d+)$/.exec(name)?.[1] ?? 0) > workers);
  return names.map((name) => path.join(dataDir, name));
}
