import type { Insertion } from '../database.ts';
import type { EngineStatement, Render } from '../drive.ts';

/** Few, so that prepared statements are found again. */
const sizes = [64, 16, 4, 1] as const;
const texts = new Map<string, Map<number, string>>();
const maxTexts = 256;

/** A statement as it is; rows in statements of a few fixed sizes. */
export const render: Render = (asked) => ('sql' in asked ? [asked] : insertions(asked));

function insertions(insertion: Insertion): EngineStatement[] {
  const { rows } = insertion;
  const statements: EngineStatement[] = [];
  let start = 0;
  for (const size of sizes) {
    while (rows.length - start >= size) {
      statements.push({ sql: insertText(insertion, size), parameters: rows.slice(start, start + size).flat() });
      start += size;
    }
  }
  return statements;
}

/** The same text is the same object: whoever looks a statement up by it need not read its thousands of characters. */
function insertText({ table, columns, tail }: Insertion, size: number): string {
  const key = `${table} ${columns.length} ${tail}`;
  const known = texts.get(key)?.get(size);
  // A table is always written with the same columns; the check costs less than a wrong statement.
  const names = columns.join(', ');
  if (known?.startsWith(`INSERT INTO ${table} (${names}) `)) return known;
  const one = `(${'?, '.repeat(columns.length - 1)}?)`;
  const text = `INSERT INTO ${table} (${names}) VALUES ${one}${`, ${one}`.repeat(size - 1)} ${tail}`;
  if (texts.size >= maxTexts) texts.clear();
  const bySize = texts.get(key) ?? new Map<number, string>();
  texts.set(key, bySize.set(size, text));
  return text;
}
