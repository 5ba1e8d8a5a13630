import type { Column } from './columns.ts';

const names = new Intl.Collator('en', { numeric: true });

/** The rows in the order that was asked for; what is equal keeps its place, and so does all where no column has that id. */
export function sortRows<T>(rows: T[], columns: readonly Column<T>[], by = ''): T[] {
  const down = by.startsWith('-');
  const keyOf = columns.find(({ id }) => id === (down ? by.slice(1) : by))?.sortBy;
  if (!keyOf) return rows;
  const keyed = rows.map((row) => ({ row, key: keyOf(row) }));
  keyed.sort(({ key: [rank, value] }, { key: [otherRank, other] }) => {
    const order = typeof value === 'number' ? value - Number(other) : names.compare(value, String(other));
    return rank - otherRank || (down ? -order : order);
  });
  return keyed.map(({ row }) => row);
}
