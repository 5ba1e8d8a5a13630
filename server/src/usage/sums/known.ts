import { sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { type Growth, keyColumns, type SumRow } from './fold.ts';
import { addText } from './histogram.ts';

const textColumns = new Set(['username', 'token_name', 'model_name', 'group_name']);
const maxKeys = 64;
const mergeEvery = 32;

/**
 * Every row gets its new durations put behind the old ones, so that nothing must be read first. Each 32nd time, row by row
 * in turn, they are read and written anew as one: texts stay short. `turn` counts the steps.
 */
export async function withSomeDurations(db: Database, growth: Growth, turn: number): Promise<Growth> {
  for (const table of ['usage_hour', 'usage_day'] as const) {
    const rows = [...growth[table].values()].filter(
      ({ latency, firstToken }, index) => (index + turn) % mergeEvery === 0 && latency.size + firstToken.size > 0,
    );
    for (let start = 0; start < rows.length; start += maxKeys) await addKnown(db, table, rows.slice(start, start + maxKeys));
  }
  return growth;
}

interface Known {
  position: number;
  latency: string;
  first_token: string;
}

async function addKnown(db: Database, table: keyof Growth, rows: readonly SumRow[]): Promise<void> {
  const values = rows.map(({ key }, position) => sql`(${sql.join([sql`CAST(${position} AS BIGINT)`, ...key.map(typed)])})`);
  const names = sql.raw(keyColumns.map((column) => `v_${column}`).join(', '));
  const same = sql.raw(keyColumns.map((column) => `known.${column} = v.v_${column}`).join(' AND '));
  const { rows: known } = await sql<Known>`
    WITH v(position, ${names}) AS (VALUES ${sql.join(values)})
    SELECT v.position AS position, known.latency AS latency, known.first_token AS first_token
    FROM v CROSS JOIN ${sql.table(table)} AS known WHERE ${same}`.execute(db.read);
  for (const row of rows) row.whole = true;
  for (const { position, latency, first_token } of known) {
    const row = rows[position];
    if (!row) continue;
    addText(row.latency, latency);
    addText(row.firstToken, first_token);
  }
}

function typed(value: string | number, index: number) {
  return textColumns.has(keyColumns[index] ?? '') ? sql`CAST(${value} AS TEXT)` : sql`CAST(${value} AS BIGINT)`;
}
