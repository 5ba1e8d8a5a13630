import type { PricePreview, RevenueRow } from '@tollgate/contract';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Database } from '../storage/database.ts';
import { nano } from './decimal.ts';
import { costOf } from './price.ts';
import { type PriceBook, unpricedRatio } from './price-book.ts';
import { chargesAfter } from './prove-receipts.ts';
import type { StoredReceipt } from './receipts.ts';
import { type TierRatios, tierAgain, withServiceTier } from './service-tier.ts';
import { type ToolPrices, withToolPrices } from './tool-price.ts';

export interface PreviewDeps {
  db: Pick<Database, 'read'>;
  clock: Clock;
}

interface PreviewLimits {
  rows: number;
  timeoutMs: number;
  /** Rows between which other requests are served. */
  slice: number;
}

/** Prices that are no model's own. */
interface Beside {
  readonly tiers?: TierRatios;
  readonly tools?: ToolPrices;
}

const usualLimits: PreviewLimits = { rows: 1_000_000, timeoutMs: 25_000, slice: 500 };
const daySeconds = 86_400;
const shownRows = 200;
const shownUsers = 10;

/**
 * Prices the calls of the last days again, from the usage in their receipts: what each would bring with `book`. A row
 * changes by the difference of the two costs, so that what could not be collected stays uncollected; a row without a
 * receipt or a price keeps its charge. Ends at its limits with what it has.
 */
export async function previewPrices(
  { db, clock }: PreviewDeps,
  { book, days, ...beside }: { book: PriceBook; days: number } & Beside,
  limits: PreviewLimits = usualLimits,
): Promise<Omit<PricePreview, 'inherited'>> {
  const sums = { rows: 0, complete: true, unpriced: 0, now: 0, next: 0 };
  const models = new Map<string, RevenueRow>();
  const users = new Map<number, RevenueRow>();
  const groups = new Map<number, string>();
  const to = nowSeconds(clock);
  const endMs = clock.monotonicMs() + limits.timeoutMs;
  let last = { created_at: to - days * daySeconds, id: 0 };
  for (;;) {
    const rows = await readSlice(db, last, to, limits.slice);
    await learnGroups(db, groups, rows);
    for (const row of rows) {
      const charge = chargeOf(row.receipt, book, beside, groups.get(row.user_id) ?? '');
      const next = charge === undefined ? row.quota : Math.max(0, row.quota + charge.next - charge.now);
      if (charge === undefined) sums.unpriced += 1;
      sums.rows += 1;
      sums.now += row.quota;
      sums.next += next;
      add(models, row.model_name, { name: row.model_name }, row.quota, next);
      add(users, row.user_id, { name: row.username, id: row.user_id }, row.quota, next);
    }
    const end = rows.at(-1);
    if (end === undefined || rows.length < limits.slice) break;
    last = end;
    sums.complete = sums.rows < limits.rows && clock.monotonicMs() < endMs;
    if (!sums.complete) break;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { ...sums, models: largest(models), users: largest(users), ...changed(users) };
}

type Row = Awaited<ReturnType<typeof readSlice>>[number];

const readSlice = (db: PreviewDeps['db'], last: { created_at: number; id: number }, to: number, limit: number) =>
  chargesAfter(db, last, to, limit)
    // Neither: a channel's test, which nobody called and nobody pays.
    .where((row) => row.or([row('quota', '<>', 0), row('receipt', '<>', '')]))
    .select(['id', 'created_at', 'user_id', 'username', 'model_name', 'quota', 'receipt'])
    .execute();

async function learnGroups({ read }: PreviewDeps['db'], groups: Map<number, string>, rows: readonly Row[]): Promise<void> {
  const unknown = [...new Set(rows.map(({ user_id }) => user_id))].filter((id) => !groups.has(id));
  if (unknown.length === 0) return;
  for (const id of unknown) groups.set(id, '');
  const found = await read.selectFrom('users').select(['id', 'group_name']).where('id', 'in', unknown).execute();
  for (const { id, group_name } of found) groups.set(id, group_name);
}

/** Undefined: there is nothing to compute from. */
function chargeOf(
  text: string,
  book: PriceBook,
  { tiers = new Map(), tools = new Map() }: Beside,
  userGroup: string,
): { now: number; next: number } | undefined {
  const receipt = readReceipt(text);
  if (receipt === undefined) return undefined;
  const { price, usage, cost } = receipt;
  const acceptUnpriced = price.modelRatioNano === unpricedRatio * nano;
  const other = book.lookup({ model: price.model, userGroup, usingGroup: price.group, acceptUnpriced });
  if (other === undefined) return undefined;
  // What the backup pool asked for on top stays: it is no price of a model.
  const { surchargeNano } = price;
  const next = withToolPrices(withServiceTier(other, tierAgain(tiers, price)), tools, usage.tools);
  return { now: cost, next: costOf(surchargeNano === undefined ? next : { ...next, surchargeNano }, usage) };
}

function readReceipt(text: string): StoredReceipt | undefined {
  try {
    const receipt = text === '' ? undefined : (JSON.parse(text) as Partial<StoredReceipt>);
    const isWhole = receipt?.price !== undefined && receipt.usage !== undefined && receipt.cost !== undefined;
    return isWhole ? (receipt as StoredReceipt) : undefined;
  } catch {
    return undefined;
  }
}

function add<Key>(rows: Map<Key, RevenueRow>, key: Key, who: Pick<RevenueRow, 'name' | 'id'>, now: number, next: number): void {
  const row = rows.get(key) ?? { ...who, calls: 0, now: 0, next: 0 };
  row.calls += 1;
  row.now += now;
  row.next += next;
  rows.set(key, row);
}

function largest(rows: ReadonlyMap<unknown, RevenueRow>): RevenueRow[] {
  const size = ({ now, next }: RevenueRow) => Math.max(now, next);
  return [...rows.values()].sort((left, right) => size(right) - size(left)).slice(0, shownRows);
}

/** Users who pay less, and users who pay more, the largest difference first. */
function changed(users: ReadonlyMap<number, RevenueRow>): Pick<PricePreview, 'winners' | 'losers'> {
  const saved = ({ now, next }: RevenueRow) => now - next;
  const sorted = [...users.values()].sort((left, right) => saved(right) - saved(left));
  return {
    winners: sorted.slice(0, shownUsers).filter((row) => saved(row) > 0),
    losers: sorted
      .slice(-shownUsers)
      .reverse()
      .filter((row) => saved(row) < 0),
  };
}
