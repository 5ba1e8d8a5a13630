import type { Statement } from '../database.ts';

const maxTexts = 1024;
const suffixes = { wait: ' FOR UPDATE', skip: ' FOR UPDATE SKIP LOCKED' } as const;
const texts = new Map<string, string>();

/** `?` becomes `$1`, `$2`, ...; a locking SELECT gets its FOR UPDATE. Statement texts hold no `?` inside literals. */
export function translate(statement: Statement): { sql: string; parameters: readonly unknown[] } {
  const key = statement.sql + (statement.lock ? suffixes[statement.lock] : '');
  let sql = texts.get(key);
  if (sql === undefined) {
    let index = 0;
    sql = key.replaceAll('?', () => {
      index += 1;
      return `$${index}`;
    });
    if (texts.size >= maxTexts) texts.clear();
    texts.set(key, sql);
  }
  return { sql, parameters: statement.parameters };
}
