import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LedgerUnavailable } from './errors.ts';
import { openOutboxFile } from './outbox-file.ts';
import type { Ledger, SettleRequest } from './types.ts';

/** Settles that the database would not take, on disk until it does. */
export interface Outbox {
  /** Durable when it resolves. Throws when the file is full or cannot be written. */
  add(request: SettleRequest): Promise<void>;
  /** Settles what is stored, each once by its hold's id; concurrent calls share one pass. */
  replay(): Promise<ReplayResult>;
  size(): number;
  close(): Promise<void>;
}

export interface ReplayResult {
  /** Lines that are done with: charged now, or their hold was closed before. */
  readonly settled: number;
  /** Lines that stay. */
  readonly left: number;
  /** Why they stay: the first failure of this pass. */
  readonly fault: unknown;
}

export interface OutboxParts {
  /** `DATA_DIR/outbox`. */
  path: string;
  ledger: Pick<Ledger, 'settle'>;
  maxBytes?: number;
}

/** 10,000 open calls with rows of 6 KB; holds that do not fit are left to the sweep. */
const defaultMaxBytes = 64 * 1024 * 1024;
const replayBatch = 64;

/** Opens the outbox and reads what an earlier process left in it. Throws when the file cannot be written. */
export async function openOutbox({ path, ledger, maxBytes = defaultMaxBytes }: OutboxParts): Promise<Outbox> {
  const file = await openOutboxFile(path, maxBytes);
  let running: Promise<ReplayResult> | undefined;

  const pass = async (): Promise<ReplayResult> => {
    const done = new Set<string>();
    let fault: unknown;
    const lines = [...file.lines()];
    for (let start = 0; start < lines.length && !(fault instanceof LedgerUnavailable); start += replayBatch) {
      const batch = lines.slice(start, start + replayBatch);
      const results = await Promise.allSettled(
        batch.map((line, index) => settleLine(ledger, line, () => `Line ${start + index + 1} of ${path}`)),
      );
      for (const [index, line] of batch.entries()) {
        const result = results[index];
        if (result?.status === 'fulfilled') done.add(line);
        else if (fault === undefined || result?.reason instanceof LedgerUnavailable) fault = result?.reason;
      }
    }
    await file.remove(done);
    return { settled: done.size, left: file.lines().length, fault };
  };

  return {
    add: (request) => file.append(JSON.stringify({ v: 1, settle: request })),
    replay() {
      running ??= pass().finally(() => {
        running = undefined;
      });
      return running;
    },
    size: () => file.lines().length,
    close: () => file.close(),
  };
}

/** What stays is money for somebody to look at, and the program ends with a code that says so. `name`: of the line. */
async function settleLine(ledger: Pick<Ledger, 'settle'>, line: string, name: () => string): Promise<void> {
  const request = readLine(line);
  if (request === undefined) {
    throw new Error(`${name()} cannot be read: a newer version wrote it (start that one), or it is damaged. ${wayOut}`);
  }
  await ledger.settle(request).catch((error: unknown) => {
    if (error instanceof LedgerUnavailable) throw error;
    throw new Error(`${name()} (call ${request.id}) is refused by the ledger. ${wayOut}`, { cause: error });
  });
}

const wayOut =
  'Every other line is booked all the same; what to do with this one: docs/runbook.md, "Charges that stay in the outbox"';

function readLine(line: string): SettleRequest | undefined {
  try {
    const { v, settle } = JSON.parse(line) as { v?: unknown; settle?: Partial<SettleRequest> };
    if (v !== 1 || typeof settle !== 'object' || settle === null) return undefined;
    const { id, cost, now, draft } = settle;
    const whole = typeof id === 'string' && Number.isSafeInteger(cost) && Number.isSafeInteger(now) && typeof draft === 'object';
    return whole ? (settle as SettleRequest) : undefined;
  } catch {
    return undefined;
  }
}

/** Names of the outboxes in a data folder that hold something: `outbox`, and `outbox-2` and up of further workers. */
export function filledOutboxes(dataDir: string): string[] {
  const look = (path: string) => statSync(path, { throwIfNoEntry: false });
  if (look(dataDir)?.isDirectory() !== true) return [];
  return readdirSync(dataDir).filter((name) => /^outbox(-\d+)?$/.test(name) && (look(join(dataDir, name))?.size ?? 0) > 0);
}

/** Those of workers beyond the `workers` that are started. */
export function leftOutboxes(dataDir: string, workers: number): string[] {
  return filledOutboxes(dataDir).filter((name) => Number(name.slice('outbox-'.length)) > workers);
}
