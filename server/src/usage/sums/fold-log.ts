import type { Work } from '../../storage/database.ts';
import type { Closed } from './cubes.ts';
import { foldRows, type UsageRow, usageColumns } from './fold.ts';
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

/** Reads and sums them in one place: the rows themselves go nowhere. */
export function* foldLog({ after, upTo, limit, closed, turn }: Stretch): Work<FoldedLog> {
  const rows = (yield { sql: rowsSql, parameters: [after, upTo, limit] }).rows as unknown as (UsageRow & { id: number })[];
  const growth = foldRows(rows, 1, closed);
  yield* addSomeDurations(growth, turn);
  return { rows: rows.length, last: rows.at(-1)?.id ?? after, owners: ownersOf(rows), sums: packSums(growth) };
}

function ownersOf(rows: readonly UsageRow[]): FoldedLog['owners'] {
  const owners = new Map<string, [string, number]>();
  for (const { username, user_id } of rows) owners.set(`${user_id} ${username}`, [username, user_id]);
  return [...owners.values()];
}
