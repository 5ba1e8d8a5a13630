import type { Work } from '../../storage/database.ts';
import { insertRows } from '../../storage/statements.ts';
import { type Growth, keyColumns, measures, type SumRow } from './fold.ts';
import { histogramText } from './histogram.ts';

type Table = keyof Growth;

/** What becomes of the histograms that are there: stay, get the new ones behind them, or give way to them. */
type Durations = 'keep' | 'append' | 'replace';

const columns = [...keyColumns, ...measures, 'latency', 'first_token'];

/** Adds to the sums and leaves the histograms as they are: for corrections. */
export function* storeSums(growth: Growth): Work<void> {
  for (const table of ['usage_hour', 'usage_day'] as const) yield* store(table, [...growth[table].values()], 'keep');
}

/** Adds to the sums. Rows that are `whole` hold their former histograms already and replace them; the others add to them. */
export function* storeGrowth(growth: Growth): Work<void> {
  for (const table of ['usage_hour', 'usage_day'] as const) {
    const rows = [...growth[table].values()];
    yield* store(table, rows.filter(isWhole), 'replace');
    yield* store(
      table,
      rows.filter((row) => !isWhole(row)),
      'append',
    );
  }
}

const isWhole = ({ whole }: SumRow): boolean => whole === true;

function* store(table: Table, rows: readonly SumRow[], durations: Durations): Work<void> {
  const values = rows.map((row) => valuesOf(row, durations));
  yield* insertRows(table, columns, values, conflicts[table][durations]);
}

function valuesOf({ key, sums, latency, firstToken }: SumRow, durations: Durations): (string | number)[] {
  const texts = durations === 'keep' ? ['', ''] : [histogramText(latency), histogramText(firstToken)];
  return [...key, ...measures.map((measure) => sums[measure]), ...texts];
}

const conflicts: Record<Table, Record<Durations, string>> = {
  usage_hour: {
    keep: conflict('usage_hour', 'keep'),
    append: conflict('usage_hour', 'append'),
    replace: conflict('usage_hour', 'replace'),
  },
  usage_day: {
    keep: conflict('usage_day', 'keep'),
    append: conflict('usage_day', 'append'),
    replace: conflict('usage_day', 'replace'),
  },
};

function conflict(table: Table, durations: Durations): string {
  const sums = measures.map((measure) => `${measure} = ${table}.${measure} + excluded.${measure}`);
  const texts =
    durations === 'keep' ? [] : ['latency', 'first_token'].map((column) => `${column} = ${joined(table, column, durations)}`);
  return `ON CONFLICT (${keyColumns.join(', ')}) DO UPDATE SET ${[...sums, ...texts].join(', ')}`;
}

/** Texts of histograms that stand behind each other are their sum. */
function joined(table: Table, column: string, durations: Durations): string {
  const [old, fresh] = [`${table}.${column}`, `excluded.${column}`];
  return durations === 'replace' ? fresh : `${old} || CASE WHEN ${old} = '' OR ${fresh} = '' THEN '' ELSE ',' END || ${fresh}`;
}
