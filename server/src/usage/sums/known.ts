import type { Work } from '../../storage/database.ts';
import { type Growth, keyColumns, type SumRow } from './fold.ts';
import { addText } from './histogram.ts';

const textColumns = new Set(['username', 'token_name', 'model_name', 'group_name']);
const maxKeys = 64;
const mergeEvery = 32;

/**
 * Every row gets its new durations put behind the old ones, so that nothing must be read first. Each 32nd time, row by row
 * in turn, they are read and written anew as one: texts stay short. `turn` counts the steps.
 */
export function* addSomeDurations(growth: Growth, turn: number): Work<void> {
  for (const table of ['usage_hour', 'usage_day'] as const) {
    const rows = [...growth[table].values()].filter(
      ({ latency, firstToken }, index) => (index + turn) % mergeEvery === 0 && latency.size + firstToken.size > 0,
    );
    for (let start = 0; start < rows.length; start += maxKeys) yield* addKnown(table, rows.slice(start, start + maxKeys));
  }
}

const names = keyColumns.map((column) => `v_${column}`).join(', ');
const same = keyColumns.map((column) => `known.${column} = v.v_${column}`).join(' AND ');
/** A position and the key behind it. */
const row = `(CAST(? AS BIGINT), ${keyColumns.map((column) => `CAST(? AS ${textColumns.has(column) ? 'TEXT' : 'BIGINT'})`).join(', ')})`;

function* addKnown(table: keyof Growth, rows: readonly SumRow[]): Work<void> {
  const { rows: known } = yield {
    sql: `WITH v(position, ${names}) AS (VALUES ${rows.map(() => row).join(', ')})
      SELECT v.position AS position, known.latency AS latency, known.first_token AS first_token
      FROM v CROSS JOIN ${table} AS known WHERE ${same}`,
    parameters: rows.flatMap(({ key }, position) => [position, ...key]),
  };
  for (const each of rows) each.whole = true;
  for (const { position, latency, first_token } of known) {
    const each = rows[Number(position)];
    if (!each) continue;
    addText(each.latency, String(latency));
    addText(each.firstToken, String(first_token));
  }
}
