import { sql } from 'kysely';
import type { Crypto } from '../platform/crypto.ts';
import type { Transaction, Value, Work } from './database.ts';
import { rowUpdate } from './statements.ts';

type Row = Readonly<Record<string, Value>>;

/** A column in which sealed texts lie, and what they are bound to. */
export interface SealedColumn {
  readonly table: string;
  /** The primary key: one column. */
  readonly key: string;
  readonly column: string;
  /** What else of the row is needed. */
  readonly reads?: readonly string[];
  /** The binding of a row's text; undefined where the text is not a sealed one. */
  readonly binding: (row: Row) => string | undefined;
  /** Where the column holds more than one sealed text: all of them, moved by `move`. */
  readonly within?: (row: Row, move: (sealed: string, binding: string) => string) => string;
}

/** How many texts were moved to the new key, and how many of which table could not be opened and stayed as they were. */
export interface Resealed {
  readonly moved: number;
  readonly unreadable: Readonly<Record<string, number>>;
}

const pageRows = 500;

/** Seals every text anew inside of the caller's transaction, page by page. Throws DatabaseError. */
export async function resealAll(
  tx: Transaction,
  columns: readonly SealedColumn[],
  { from, to }: { from: Crypto; to: Crypto },
): Promise<Resealed> {
  let moved = 0;
  const unreadable: Record<string, number> = {};
  for (const place of columns) {
    const move = (sealed: string, binding: string): string => {
      let plain: string;
      try {
        plain = from.open(sealed, binding);
      } catch {
        unreadable[place.table] = (unreadable[place.table] ?? 0) + 1;
        return sealed;
      }
      moved += 1;
      return to.seal(plain, binding);
    };
    for await (const rows of pagesOf(tx, place)) {
      const changed = rows.flatMap((row): [Value, string][] => {
        const text = String(row[place.column] ?? '');
        const next = place.within?.(row, move) ?? single(place, row, text, move);
        return next === text ? [] : [[row[place.key] ?? null, next]];
      });
      if (changed.length > 0) await tx.perform(writeTexts(place, changed));
    }
  }
  return { moved, unreadable };
}

function single({ binding }: SealedColumn, row: Row, text: string, move: (sealed: string, binding: string) => string): string {
  const bound = text === '' ? undefined : binding(row);
  return bound === undefined ? text : move(text, bound);
}

/** A page at once: a journey to the database for each text takes longer than a transaction may, where there are some hundred thousand. */
function* writeTexts({ table, key, column }: SealedColumn, rows: readonly [Value, string][]): Work<void> {
  const keyType = typeof rows[0]?.[0] === 'number' ? 'int' : 'text';
  yield rowUpdate(
    table,
    [
      ['id', keyType],
      ['sealed', 'text'],
    ],
    `${column} = v.sealed`,
    `${table}.${key} = v.id`,
  )(rows);
}

/** Along the primary key, rows without a text left out. */
async function* pagesOf(
  { query }: Transaction,
  { table, key, column, reads = [] }: SealedColumn,
): AsyncGenerator<readonly Row[]> {
  const columns = sql.join([...new Set([key, column, ...reads])].map((name) => sql.ref(name)));
  let last: Value | undefined;
  for (;;) {
    const after = last === undefined ? sql`` : sql`AND ${sql.ref(key)} > ${last}`;
    const { rows } = await sql<Row>`SELECT ${columns} FROM ${sql.table(table)} WHERE ${sql.ref(column)} <> '' ${after}
      ORDER BY ${sql.ref(key)} LIMIT ${sql.lit(pageRows)}`.execute(query);
    yield rows;
    const end = rows.at(-1);
    if (end === undefined || rows.length < pageRows) return;
    last = end[key];
  }
}
