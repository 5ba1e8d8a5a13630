import { bookedCalls, chargesAfter, isSwept, type ReceiptFault, receiptFault, type Signer } from '../billing/index.ts';
import { readMasterKey } from '../platform/master-key.ts';
import type { Database } from '../storage/database.ts';
import { openCrypto } from '../storage/master.ts';
import { lookedAt } from './database.ts';
import { type CliWorld, type Outcome, UsageError } from './outcome.ts';

interface Verdict {
  checked: number;
  /** Rows closed by a sweep: their receipt tells of the call as it was let in, not of the charge. */
  swept: number;
  /** Charged rows of another product's log, which has no receipts; not among those that were checked. */
  brought: number;
  faults: number;
  /** The first ones. */
  examples: { log_id: number; request_id: string; fault: ReceiptFault }[];
}

const pageSize = 1000;
const maxExamples = 20;
const columns = ['id', 'created_at', 'request_id', 'quota', 'shortfall', 'other', 'receipt'] as const;

/** Recomputes every receipt of the range and checks its signature. Changes nothing. */
export async function verifyReceipts(world: CliWorld, options: { from?: string; to?: string }): Promise<Outcome> {
  const range = { from: readTime(options.from, 'start') ?? 0, to: readTime(options.to, 'end') ?? Number.MAX_SAFE_INTEGER };
  return lookedAt(world, async (db, env) => {
    const crypto = await openCrypto(db, await readMasterKey(env));
    const verdict = await verifyRange(db, range, (text) => crypto.hmac('receipt', text));
    return { exitCode: verdict.faults > 0 ? 1 : 0, text: describe(verdict), json: { ok: verdict.faults === 0, ...verdict } };
  });
}

const dayMs = 86_400_000;

/** Unix seconds from a UTC day (whole, so as an end its last second), a time in ISO 8601, or unix seconds. */
function readTime(text: string | undefined, side: 'start' | 'end'): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{9,11}$/.test(text)) return Number(text);
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const isZoned = /(Z|[+-]\d{2}:\d{2})$/i.test(text);
  const ms = isDay || /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(isDay || isZoned ? text : `${text}Z`) : Number.NaN;
  if (Number.isNaN(ms)) throw new UsageError(`${text} is not a time: use 2025-01-31, 2025-01-31T08:00:00Z or unix seconds`);
  return Math.floor(ms / 1000) + (isDay && side === 'end' ? dayMs / 1000 - 1 : 0);
}

async function verifyRange(db: Database, range: { from: number; to: number }, sign: Signer): Promise<Verdict> {
  const verdict: Verdict = { checked: 0, swept: 0, brought: 0, faults: 0, examples: [] };
  let last = { created_at: range.from, id: 0 };
  for (;;) {
    const rows = await chargesAfter(db, last, range.to, pageSize).select(columns).execute();
    const bare = rows.flatMap(({ receipt, request_id }) => (receipt === '' ? [request_id] : []));
    const booked = await bookedCalls(db, bare);
    for (const row of rows) {
      if (row.receipt === '' && !booked.has(row.request_id)) {
        // What charged nothing, as the test of a channel, is no charge.
        if (row.quota + row.shortfall > 0) verdict.brought += 1;
        continue;
      }
      const fault = receiptFault(row, sign);
      verdict.checked += 1;
      if (isSwept(row)) verdict.swept += 1;
      if (fault === undefined) continue;
      verdict.faults += 1;
      if (verdict.examples.length < maxExamples) verdict.examples.push({ log_id: row.id, request_id: row.request_id, fault });
    }
    const end = rows.at(-1);
    if (end === undefined || rows.length < pageSize) return verdict;
    last = end;
  }
}

function describe({ checked, swept, brought, faults, examples }: Verdict): string {
  const sweptText = swept === 0 ? '' : ` (${swept} of calls that a sweep closed: signature and arithmetic only)`;
  const broughtText = brought === 0 ? [] : [`${brought} charges came with an import and have none.`];
  if (faults === 0) return [`${checked} receipts are sound${sweptText}.`, ...broughtText].join('\n');
  const lines = examples.map((each) => `  log ${each.log_id}, request ${each.request_id}: ${each.fault}`);
  const more = faults > examples.length ? [`  and ${faults - examples.length} more`] : [];
  return [`${faults} of ${checked} receipts are not sound${sweptText}:`, ...lines, ...more, ...broughtText].join('\n');
}
