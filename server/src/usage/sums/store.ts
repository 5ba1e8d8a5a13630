import type { Work } from '../../storage/database.ts';
import { insertRows } from '../../storage/statements.ts';
import { type Growth, keyColumns, measures, type SumRow } from './fold.ts';
import { histogramText } from './histogram.ts';

type Table = keyof Growth;

/** What becomes of the histograms that are there: stay, get the new ones behind them, or give way to them. */
type Durations = 'keep' | 'append' | 'replace';

const columns = [...keyColumns, ...measures, 'latency', 'first_token'];

/** Rows of one table on their way to the writer, which may be another thread: all values, row after row, as `columns` has them. */
export interface PackedSums {
  readonly table: Table;
  readonly durations: Durations;
  readonly values: readonly (string | number)[];
}

/**
 * What `storeSums` takes. Rows that are `whole` hold their former histograms already and replace them, the others add to
 * them; with `keep` all leave them as they are: for corrections.
 */
export function packSums(growth: Growth, histograms: 'keep' | 'add' = 'add'): PackedSums[] {
  return (['usage_hour', 'usage_day', 'usage_month'] as const).flatMap((table) => {
    const rows = [...growth[table].values()];
    if (histograms === 'keep') return packed(table, 'keep', rows);
    return [
      ...packed(table, 'replace', rows.filter(isWhole)),
      ...packed(
        table,
        'append',
        rows.filter((row) => !isWhole(row)),
      ),
    ];
  });
}

const isWhole = ({ whole }: SumRow): boolean => whole === true;

function packed(table: Table, durations: Durations, rows: readonly SumRow[]): PackedSums[] {
  const values: (string | number)[] = [];
  for (const { key, sums, latency, firstToken } of rows) {
    for (const value of key) values.push(value);
    for (const measure of measures) values.push(sums[measure]);
    if (durations === 'keep') values.push('', '');
    else values.push(histogramText(latency), histogramText(firstToken));
  }
  return rows.length === 0 ? [] : [{ table, durations, values }];
}

/** Adds to the sums. */
export function* storeSums(all: readonly PackedSums[]): Work<void> {
  for (const { table, durations, values } of all) {
    const rows: (string | number)[][] = [];
    for (let at = 0; at < values.length; at += columns.length) rows.push(values.slice(at, at + columns.length));
    yield* insertRows(table, columns, rows, conflicts[table][durations]);
  }
}

const conflicts: Record<Table, Record<Durations, string>> = {
  usage_hour: conflictsOf('usage_hour'),
  usage_day: conflictsOf('usage_day'),
  usage_month: conflictsOf('usage_month'),
};

function conflictsOf(table: Table): Record<Durations, string> {
  return { keep: conflict(table, 'keep'), append: conflict(table, 'append'), replace: conflict(table, 'replace') };
}

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
