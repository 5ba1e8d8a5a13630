import type { PageOf } from '@tollgate/contract';
import type { SelectQueryBuilder } from 'kysely';

/** How many rows there are. Throws DatabaseError. */
export async function countRows<DB, Table extends keyof DB, Row>(rows: SelectQueryBuilder<DB, Table, Row>): Promise<number> {
  const counted = await rows
    .select((count) => count.fn.countAll<number | string>().as('total'))
    .$castTo<{ total: number | string }>()
    .executeTakeFirst();
  return Number(counted?.total ?? 0);
}

/** One page, counted from 1, and how many rows there are over all; `read` orders and shapes them. Throws DatabaseError. */
export async function pageOf<DB, Table extends keyof DB, Row, Item>(
  rows: SelectQueryBuilder<DB, Table, Row>,
  { p, page_size }: { readonly p: number; readonly page_size: number },
  read: (page: SelectQueryBuilder<DB, Table, Row>) => Promise<Item[]>,
): Promise<PageOf<Item>> {
  const items = await read(rows.limit(page_size).offset((p - 1) * page_size));
  return { items, page: p, page_size, total: await countRows(rows) };
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
