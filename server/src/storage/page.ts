import type { PageOf } from '@tollgate/contract';
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { Schema } from './schema.ts';

/** Totals of pages are counted up to here. */
export const countLimit = 10_000;

/** How many rows there are. Throws DatabaseError. */
export async function countRows<DB, Table extends keyof DB, Row>(rows: SelectQueryBuilder<DB, Table, Row>): Promise<number> {
  const counted = await rows
    .select((count) => count.fn.countAll<number | string>().as('total'))
    .$castTo<{ total: number | string }>()
    .executeTakeFirst();
  return Number(counted?.total ?? 0);
}

/** The same, of so many rows at most: a long table is not read to its end. Throws DatabaseError. */
export const countUpTo = <DB, Table extends keyof DB, Row>(
  read: Kysely<Schema>,
  rows: SelectQueryBuilder<DB, Table, Row>,
  limit: number,
): Promise<number> => countRows(read.selectFrom(rows.select(sql.lit(1).as('one')).limit(limit).as('counted')));

/**
 * One page, counted from 1, and how many rows there are over all: up to `countLimit` and this page's end, whichever is more.
 * `shape` orders and shapes the rows. Throws DatabaseError.
 */
export async function pageOf<DB, Table extends keyof DB, Row, Item>(
  read: Kysely<Schema>,
  rows: SelectQueryBuilder<DB, Table, Row>,
  { p, page_size }: { readonly p: number; readonly page_size: number },
  shape: (page: SelectQueryBuilder<DB, Table, Row>) => Promise<Item[]>,
): Promise<PageOf<Item>> {
  const items = await shape(rows.limit(page_size).offset((p - 1) * page_size));
  const most = Math.max(countLimit, p * page_size);
  // One more tells whether there are more.
  const total = await countUpTo(read, rows, most + 1);
  const page = { items, page: p, page_size, total: Math.min(total, most) };
  return total > most ? { ...page, total_capped: true } : page;
}

/** One page of a list whose answer is its rows alone (decision 0114). */
export interface ListPage {
  /** Counts from 0. */
  p: number;
  page_size: number;
  /** The first row of the next page comes along, so that a full page is known to be the last one. */
  peek?: boolean;
}

/** Which rows of the list these are. */
export const rowsOf = ({ p, page_size: size, peek }: ListPage): { limit: number; offset: number } => ({
  limit: peek ? size + 1 : size,
  offset: p * size,
});
