import type { ImportKind, ImportMode } from '@tollgate/contract';
import type { OpeningTotals } from '../billing/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Crypto } from '../platform/crypto.ts';
import type { Settings } from '../settings/index.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { type KeyedMark, type Mark, marksOf, readMarks } from './marks.ts';
import type { Product } from './product.ts';
import type { Tally } from './report.ts';
import { belowAllIds, type Row, type Source } from './source.ts';
import { idOf } from './values.ts';

/** How far a run is; `found`: rows of that kind at the source. */
export interface Progress {
  readonly kind: ImportKind;
  readonly done: number;
  readonly found: number;
}

/** A token's key as digests: as it is there, and as it was when it came; undefined = it came with this run. */
export interface TokenKey {
  readonly id: number;
  readonly there: string;
  readonly brought: string | undefined;
}

/** What a run works on. In a dry run nothing is written, and `db` may be absent. */
export interface Run {
  readonly source: Source;
  readonly product: Product;
  readonly mode: ImportMode;
  readonly db: Database | undefined;
  readonly settings: Settings | undefined;
  readonly crypto: Crypto;
  readonly clock: Clock;
  readonly tally: Tally;
  readonly before: { -readonly [Sum in keyof OpeningTotals | 'debts']: bigint };
  /** The source's id -> who it is here; in a dry run 0 for those who would be new. */
  readonly users: Map<string, { readonly id: number; readonly username: string }>;
  readonly tokens: Map<string, number>;
  readonly channels: Map<string, number>;
  readonly tokenKeys: TokenKey[];
  /** Digests of keys that a dry run would have brought by now. */
  readonly foreseen: Set<string>;
  readonly progress: (progress: Progress) => void;
}

/** With what the refs of this source's transfers begin. */
export function refPrefix({ product }: Pick<Run, 'product'>): string {
  return `import:${product}:`;
}

export const pageRows = 200;

/** Every row of a table along its id, page by page. */
export async function* pagesOf(
  run: Pick<Run, 'source' | 'tally' | 'progress'>,
  kind: ImportKind,
  table: string,
): AsyncGenerator<readonly Row[]> {
  if (!run.source.tables.has(table)) return;
  const found = await run.source.count(table);
  let after: number | bigint = belowAllIds;
  while (true) {
    const rows = await run.source.page(table, { key: 'id', after, limit: pageRows });
    const last = rows.at(-1);
    if (last === undefined) return;
    run.tally.counts[kind].found += rows.length;
    yield rows;
    run.progress({ kind, done: run.tally.counts[kind].found, found });
    if (rows.length < pageRows) return;
    after = idOf(last);
  }
}

/** The marks of these rows, which are met. */
export function marksMet(
  { product, db }: Pick<Run, 'product' | 'db'>,
  kind: string,
  rows: readonly { readonly key: string }[],
  met: Set<string>,
): Promise<ReadonlyMap<string, Mark>> {
  const keys = rows.map(({ key }) => key);
  for (const key of keys) met.add(key);
  return readMarks(db?.read, product, kind, keys);
}

/** The marks whose rows are no longer in the table: some of the products delete rows. An empty database tells nothing. */
export async function* vanished(
  { source, product, db, users }: Pick<Run, 'source' | 'product' | 'db' | 'users'>,
  { table, kind, met }: { table: string; kind: string; met: ReadonlySet<string> },
): AsyncGenerator<readonly KeyedMark[]> {
  if (db === undefined || !source.tables.has(table) || users.size === 0) return;
  for await (const marks of marksOf(db.read, product, kind)) {
    const gone = marks.filter(({ key }) => !met.has(key));
    if (gone.length > 0) yield gone;
  }
}

/** In a dry run, which writes nothing: whether a row before this one would have brought the key. It is remembered. */
export function isForeseen({ foreseen }: Pick<Run, 'foreseen'>, tx: Transaction | undefined, digest: string): boolean {
  if (tx !== undefined) return false;
  const isKnown = foreseen.has(digest);
  foreseen.add(digest);
  return isKnown;
}

const transactionMs = 60_000;

/** Runs after the commit: what a body that ran twice counted twice would be wrong. */
export type Later = (effect: () => void) => void;

/** Brings the items of one page in one transaction; in a dry run without any. */
export async function bringPage<Item>(
  { mode, db }: Pick<Run, 'mode' | 'db'>,
  items: readonly Item[],
  bring: (item: Item, tx: Transaction | undefined, later: Later) => Promise<void>,
): Promise<void> {
  const pass = async (tx: Transaction | undefined): Promise<(() => void)[]> => {
    const effects: (() => void)[] = [];
    for (const item of items) await bring(item, tx, (effect) => void effects.push(effect));
    return effects;
  };
  const isDry = mode === 'dry-run' || db === undefined;
  const effects = isDry ? await pass(undefined) : await db.transaction(pass, { timeoutMs: transactionMs });
  for (const effect of effects) effect();
}
