import type { Insertion, Statement } from '../database.ts';
import type { EngineStatement, Render } from '../drive.ts';
import { toPostgres } from './types.ts';

const maxTexts = 1024;
/** Of one statement: bounds its message. */
const maxRows = 1024;
const suffixes = { wait: ' FOR UPDATE', skip: ' FOR UPDATE SKIP LOCKED' } as const;
const texts = new Map<string, string>();

type Value = Insertion['rows'][number][number];

/**
 * `?` becomes `$1`, `$2`, ...; a locking SELECT gets its FOR UPDATE; rows come as one list for each column, so that the text
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
    const lists = columns.map((_, column) => listOf(rows.slice(start, start + maxRows).map((row) => row[column] ?? null)));
    const sources = lists.map(({ from }, index) => from(`$${index + 1}`)).join(', ');
    statements.push({
      sql: `INSERT INTO ${table} (${columns.join(', ')}) SELECT * FROM ROWS FROM (${sources}) ${tail}`,
      parameters: lists.map(({ text }) => text),
    });
  }
  return statements;
}

interface List {
  /** How the parameter becomes rows. A column takes what it can hold of any of these types. */
  readonly from: (parameter: string) => string;
  readonly text: string;
}

const numbersFrom = (type: string) => (parameter: string) => `unnest(CAST(${parameter} AS ${type}[]))`;
const integersFrom = numbersFrom('bigint');
const floatsFrom = numbersFrom('double precision');
/** Written faster than a text array, whose quotes have to be escaped. */
const textsFrom = (parameter: string) => `json_array_elements_text(CAST(${parameter} AS json))`;

function listOf(values: readonly Value[]): List {
  if (values.some((value) => typeof value === 'string')) return { from: textsFrom, text: jsonOf(values) };
  const from = values.every((value) => value === null || Number.isInteger(value)) ? integersFrom : floatsFrom;
  return { from, text: `{${values.map((value) => value ?? 'NULL').join(',')}}` };
}

/** Neither NUL nor half a character can be stored; both are what JSON writes as an escape that PostgreSQL refuses. */
function jsonOf(values: readonly Value[]): string {
  const json = JSON.stringify(values);
  if (!json.includes('\\u0000') && !json.includes('\\ud')) return json;
  return JSON.stringify(values.map((value) => (typeof value === 'string' ? String(toPostgres(value)).toWellFormed() : value)));
}
