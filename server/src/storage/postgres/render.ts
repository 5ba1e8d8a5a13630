import type { Insertion, Statement, Value } from '../database.ts';
import type { EngineStatement, Render } from '../drive.ts';
import { toPostgres } from './types.ts';

const maxTexts = 1024;
/** Of one statement: bounds its message. */
const maxRows = 1024;
const suffixes = { wait: ' FOR UPDATE', skip: ' FOR UPDATE SKIP LOCKED' } as const;
const texts = new Map<string, string>();

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

function insertions({ table, columns, rows, tail, real = [] }: Insertion): EngineStatement[] {
  const statements: EngineStatement[] = [];
  for (let start = 0; start < rows.length; start += maxRows) {
    const part = rows.slice(start, start + maxRows);
    const listed = (name: string, column: number): List => {
      const values = part.map((row) => row[column] ?? null);
      return real.includes(name) ? fractions(values) : listOf(values);
    };
    const lists = columns.map(listed);
    const sources = lists.map(({ from }, index) => from(`$${index + 1}`)).join(', ');
    statements.push({
      sql: `INSERT INTO ${table} (${columns.join(', ')}) SELECT * FROM ROWS FROM (${sources}) ${tail}`,
      parameters: lists.map(({ text }) => text),
    });
  }
  return statements;
}

interface List {
  /** How the parameter becomes rows. */
  readonly from: (parameter: string) => string;
  readonly text: string;
}

const numbersFrom = (type: string) => (parameter: string) => `unnest(CAST(${parameter} AS ${type}[]))`;
const integersFrom = numbersFrom('bigint');
const fractionsFrom = numbersFrom('double precision');
/** Written faster than a text array, whose quotes have to be escaped. */
const textsFrom = (parameter: string) => `json_array_elements_text(CAST(${parameter} AS json))`;
const numberArray = (values: readonly Value[]): string => `{${values.map((value) => value ?? 'NULL').join(',')}}`;

/** PostgreSQL would round a fraction that is assigned to a whole number; SQLite refuses it, and so do we. */
function listOf(values: readonly Value[]): List {
  if (values.some((value) => typeof value === 'string')) return { from: textsFrom, text: jsonOf(values) };
  const odd = values.find((value) => value !== null && !Number.isSafeInteger(value));
  if (odd !== undefined) throw new RangeError(`Not a whole number that is exact: ${odd}`);
  return { from: integersFrom, text: numberArray(values) };
}

function fractions(values: readonly Value[]): List {
  return { from: fractionsFrom, text: numberArray(values) };
}

/** Neither NUL nor half a character can be stored; both are what JSON writes as an escape that PostgreSQL refuses. */
function jsonOf(values: readonly Value[]): string {
  const json = JSON.stringify(values);
  if (!json.includes('\\u0000') && !json.includes('\\ud')) return json;
  return JSON.stringify(values.map((value) => (typeof value === 'string' ? String(toPostgres(value)).toWellFormed() : value)));
}
