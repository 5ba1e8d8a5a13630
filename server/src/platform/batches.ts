const rowsAtATime = 500;
/** Rows with a smaller id than this: all. */
const fromNewest = Number.MAX_SAFE_INTEGER;

/** `before`: only rows with a smaller id. */
export interface RowWindow {
  readonly before: number;
  readonly limit: number;
}

/** All rows, newest first, a few hundred at a time: nothing is read before it is asked for. */
export async function* batchesOf<Row extends { readonly id: number }>(
  read: (window: RowWindow) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let before = fromNewest; ; ) {
    const rows = await read({ before, limit: rowsAtATime });
    if (rows.length > 0) yield rows;
    if (rows.length < rowsAtATime) return;
    before = rows.at(-1)?.id ?? 0;
  }
}
