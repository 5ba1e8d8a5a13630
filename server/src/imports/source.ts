/** A row as the source's engine gives it. */
export type Row = Readonly<Record<string, unknown>>;

/** Below every id, and within what a column of 32 bits holds: PostgreSQL compares with nothing else. */
export const belowAllIds = -2_147_483_648;

/** Another product's database at one moment; nothing is ever written to it. */
export interface Source {
  /** Table -> its columns. */
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>;
  /** Rows whose `key` is above `after`, along it. */
  page(
    table: string,
    page: { readonly key: string; readonly after: number | bigint | string; readonly limit: number },
  ): Promise<Row[]>;
  count(table: string): Promise<number>;
  /** Of a column of numbers; 0 when there is no row. */
  greatest(table: string, column: string): Promise<number>;
  close(): Promise<void>;
}
