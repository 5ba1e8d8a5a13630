import { type LedgerProof, logType } from '@tollgate/contract';
import type { Database } from '../storage/database.ts';
import { refundedOf, type Signer, type StoredReceipt, verifyReceipt } from './receipts.ts';

/** A charged row of the log, as far as its receipt tells of it. */
interface ReceiptRow {
  readonly id: number;
  readonly request_id: string;
  readonly quota: number;
  readonly shortfall: number;
  /** JSON text; a sweep leaves its mark in it. */
  readonly other: string;
  readonly receipt: string;
}

/** Why a receipt is not accepted; `unlike_row` = sound in itself, but it tells of another call or amount. */
export type ReceiptFault = Exclude<ReturnType<typeof verifyReceipt>, 'ok'> | 'missing' | 'unlike_row';

/** Closed by a sweep: the receipt tells of the call as it was let in, not of the charge. */
export function isSwept({ other }: Pick<ReceiptRow, 'other'>): boolean {
  return other.includes('"swept":true');
}

/** Whoever closed a dead process's call had no key at hand: then the arithmetic alone is judged. */
const unsignedEnd = ',"hmac":""}';

/** What the row's receipt must be signed with. */
export function signerOf(row: Pick<ReceiptRow, 'other' | 'receipt'>, sign: Signer): Signer {
  return isSwept(row) && row.receipt.endsWith(unsignedEnd) ? () => '' : sign;
}

/** Undefined: the receipt is ours, its arithmetic holds, and it tells of this row. */
export function receiptFault(row: ReceiptRow, sign: Signer): ReceiptFault | undefined {
  const { receipt } = row;
  if (receipt === '') return 'missing';
  const verdict = verifyReceipt(receipt, signerOf(row, sign));
  if (verdict !== 'ok') return verdict;
  const { request_id, cost } = JSON.parse(receipt) as StoredReceipt;
  const same = request_id === row.request_id && (isSwept(row) || cost === chargedFor(row));
  return same ? undefined : 'unlike_row';
}

/** What was charged for, however little of it could be collected or is left. */
const chargedFor = ({ quota, shortfall, other }: ReceiptRow): number => quota + refundedOf(other) + shortfall;

interface ReceiptWindow {
  /** Rows after this one; 0 = all. */
  readonly after: number;
  readonly order: 'newest' | 'oldest';
  readonly maxRows: number;
  /** Of all types, in the order `oldest`: rows that were written between these times are left for the next time: their neighbours may still be on their way. */
  readonly young?: { readonly after: number; readonly to: number };
  /** Waited for between two pages; false = enough for now. */
  readonly between?: () => Promise<boolean>;
}

interface ReceiptsProof {
  readonly checked: number;
  /** All rows of the window were looked at. */
  readonly complete: boolean;
  /** The highest row that was found sound with all before it; `after` when there is none. For the order `oldest`. */
  readonly proven: number;
  readonly difference?: string;
}

/** Recomputed at once: calls wait so long. */
const pageRows = 100;
const goOn = () => Promise.resolve(true);

/** Recomputes receipts page by page until the first that is not sound. Rows that were brought here without one are passed over. */
export async function proveReceipts(db: Pick<Database, 'read'>, sign: Signer, window: ReceiptWindow): Promise<ReceiptsProof> {
  const { after, order, maxRows, young, between = goOn } = window;
  let checked = 0;
  let looked = 0;
  let proven = after;
  let range = { above: after, below: Number.MAX_SAFE_INTEGER };
  while (looked < maxRows) {
    const page = await readPage(db, range, order);
    // Those after a young one wait with it, however old they say they are: what is passed over is never looked at again.
    const end = young ? page.findIndex(({ created_at }) => created_at > young.after && created_at <= young.to) : -1;
    const rows = end < 0 ? page : page.slice(0, end);
    for (const row of rows) {
      const isCharge = row.type === logType.consume;
      const fault = !isCharge || row.receipt === '' ? undefined : receiptFault(row, sign);
      if (fault !== undefined) return { checked, complete: false, proven, difference: `log:${row.id}: ${describe(row, fault)}` };
      if (isCharge) checked += 1;
      proven = Math.max(proven, row.id);
    }
    looked += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageRows) return { checked, complete: true, proven };
    range = order === 'newest' ? { ...range, below: last.id } : { ...range, above: last.id };
    if (looked < maxRows && !(await between())) break;
  }
  return { checked, complete: false, proven };
}

function describe(row: ReceiptRow, fault: ReceiptFault): string {
  if (fault !== 'unlike_row') return fault;
  const { cost } = JSON.parse(row.receipt) as StoredReceipt;
  return cost === chargedFor(row) ? 'the receipt of another call' : `${chargedFor(row)} instead of ${cost}`;
}

/** The charges up to a time (unix seconds) that come after this one in the index on created_at; whoever asks names the columns. */
export function chargesAfter(
  { read }: Pick<Database, 'read'>,
  last: { created_at: number; id: number },
  to: number,
  limit: number,
) {
  return read
    .selectFrom('log')
    .where('type', '=', logType.consume)
    .where('created_at', '>=', last.created_at)
    .where('created_at', '<=', to)
    .where((where) => where.or([where('created_at', '>', last.created_at), where('id', '>', last.id)]))
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit);
}

/** Which of these requests were charged here: rows of the log that an import brought have no transfer of their own. */
export async function bookedCalls({ read }: Pick<Database, 'read'>, requests: readonly string[]): Promise<ReadonlySet<string>> {
  if (requests.length === 0) return new Set();
  const rows = await read
    .selectFrom('transfer')
    .select('ref')
    .where('ref', 'in', requests)
    .where('kind', '=', 'charge')
    .execute();
  return new Set(rows.map(({ ref }) => ref));
}

function readPage(
  { read }: Pick<Database, 'read'>,
  { above, below }: { above: number; below: number },
  order: ReceiptWindow['order'],
): Promise<(ReceiptRow & { readonly type: number; readonly created_at: number })[]> {
  return (
    read
      .selectFrom('log')
      .select(['id', 'type', 'request_id', 'quota', 'shortfall', 'other', 'receipt', 'created_at'])
      // Who reads on passes the others, too: they would be looked through again each time.
      .$if(order === 'newest', (query) => query.where('type', '=', logType.consume))
      .where('id', '>', above)
      .where('id', '<', below)
      .orderBy('id', order === 'newest' ? 'desc' : 'asc')
      .limit(pageRows)
      .execute()
  );
}

/** As a line of the proof. */
export function receiptsVerdict({ checked, complete, difference }: ReceiptsProof, isAll: boolean): LedgerProof['checks'][number] {
  const which = complete
    ? isAll
      ? `all ${checked} charges`
      : `${checked} charges since the last hourly proof`
    : `the newest ${checked} charges`;
  const detail = `${which} recompute from their receipts`;
  const name = 'receipts_recompute';
  return difference === undefined ? { name, ok: true, detail } : { name, ok: false, detail, first_difference: difference };
}
