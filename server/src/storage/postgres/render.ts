import type { Insertion, Statement } from '../database.ts';
import type { EngineStatement, Render } from '../drive.ts';

const maxTexts = 1024;
/** Of one statement: bounds its message. */
const maxRows = 1024;
const suffixes = { wait: ' FOR UPDATE', skip: ' FOR UPDATE SKIP LOCKED' } as const;
const texts = new Map<string, string>();

type Value = Insertion['rows'][number][number];
type ArrayType = 'bigint' | 'double precision' | 'text';

/**
 * `?` becomes `$1`, `$2`, ...; a locking SELECT gets its FOR UPDATE; rows come as one array for each column, so that the text
 * is the same for any number of them. Statement texts hold no `?` inside literals.
 */
export const render: Render = (asked) => ('sql' in asked ? [translate(asked)] : insertions(asked));

function translate({ sql, parameters, lock }: Statement): EngineStatement {
  const key = lock === undefined ? sql : sql + suffixes[lock];
  let text = texts.get(key);
  if (text === undefined) {
    let index = 0;
    text = key.replaceAll('?', () => {
      index += 1;
      return `$${index}`;
    });
    if (texts.size >= maxTexts) texts.clear();
    texts.set(key, text);
  }
  return { sql: text, parameters };
}

function insertions({ table, columns, rows, tail }: Insertion): EngineStatement[] {
  const statements: EngineStatement[] = [];
  for (let start = 0; start < rows.length; start += maxRows) {
    const part = rows.slice(start, start + maxRows);
    const types = columns.map((_, column) => typeOf(part, column));
    const lists = types.map((type, index) => `CAST($${index + 1} AS ${type}[])`).join(', ');
    statements.push({
      sql: `INSERT INTO ${table} (${columns.join(', ')}) SELECT * FROM unnest(${lists}) ${tail}`,
      parameters: types.map((type, column) => (type === 'text' ? textArray(part, column) : numberArray(part, column))),
    });
  }
  return statements;
}

/** As the values say; a column takes what it can hold of any of these. */
function typeOf(rows: Insertion['rows'], column: number): ArrayType {
  let type: ArrayType = 'bigint';
  for (const row of rows) {
    const value: Value = row[column] ?? null;
    if (typeof value === 'string') return 'text';
    if (value !== null && !Number.isInteger(value)) type = 'double precision';
  }
  return type;
}

function numberArray(rows: Insertion['rows'], column: number): string {
  let list = '';
  for (const row of rows) list += `,${row[column] ?? 'NULL'}`;
  return `{${list.slice(1)}}`;
}

function textArray(rows: Insertion['rows'], column: number): string {
  let list = '';
  for (const row of rows) {
    const value: Value = row[column] ?? null;
    list += value === null ? ',NULL' : `,"${escaped(String(value))}"`;
  }
  return `{${list.slice(1)}}`;
}

function escaped(text: string): string {
  return text.includes('"') || text.includes('\\') ? text.replace(/["\\]/g, '\\$&') : text;
}
