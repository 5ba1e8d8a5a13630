import type { Work } from '../../storage/database.ts';
import type { Closed } from './cubes.ts';
import { emptyGrowth, foldRows, type UsageRow, usageColumns } from './fold.ts';
import { addSomeDurations } from './known.ts';
import { type PackedSums, packSums } from './store.ts';

/** The work of `foldLog` among the programs that run where rows are read. */
export const foldLogWork = 'usage.fold';

export interface Stretch {
  /** Rows behind this id. */
  after: number;
  /** And up to this one. */
  upTo: number;
  limit: number;
  closed: Closed;
  /** Counts the steps; see `addSomeDurations`. */
  turn: number;
}

/** What the next rows of the log add to the sums. */
export interface FoldedLog {
  rows: number;
  /** Id of the last one. */
  last: number;
  owners: [username: string, userId: number][];
  sums: PackedSums[];
}

const rowsSql = `SELECT id, ${usageColumns.join(', ')} FROM log WHERE id > ? AND id <= ? ORDER BY id LIMIT ?`;

/** Few, so that little is alive whenever their thread collects its garbage. */
const rowsAtATime = 500;

/** Reads and sums them in one place: the rows themselves go nowhere. */
export function* foldLog({ after, upTo, limit, closed, turn }: Stretch): Work<FoldedLog> {
  const owners = new Map<string, [username: string, userId: number]>();
  const growth = emptyGrowth();
  let [rows, last] = [0, after];
  for (let isMore = true; isMore && rows < limit; ) {
    const wanted = Math.min(rowsAtATime, limit - rows);
    const read = (yield { sql: rowsSql, parameters: [last, upTo, wanted] }).rows as unknown as (UsageRow & { id: number })[];
    foldRows(read, 1, closed, growth);
    for (const { username, user_id } of read) owners.set(`${user_id} ${username}`, [username, user_id]);
    rows += read.length;
    last = read.at(-1)?.id ?? last;
    isMore = read.length === wanted;
  }
  yield* addSomeDurations(growth, turn);
  return { rows, last, owners: [...owners.values()], sums: packSums(growth) };
}
