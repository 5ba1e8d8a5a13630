import { DatabaseError, isOutage } from '../errors.ts';
import { pendingMigrations } from '../migrate.ts';
import type { Side, Table, Target } from './side.ts';
import { startTally, type Tally } from './tally.ts';

/** What a fresh schema holds before anybody used it. */
const seeded: readonly string[] = ['audit_head', 'usage_rollup'];

const whatIfMoved =
  'Name an empty one; only if a move into this one has lost the answer to its COMMIT, everything came: `tollgate doctor ledger` on it must be green, then start there';

export interface MovedTable extends Tally {
  readonly name: string;
}

/** Told after each batch. */
export type MoveProgress = (step: { doing: 'copied' | 'compared'; table: string; rows: number; of: number }) => void;

export interface MoveParts {
  readonly from: Side;
  readonly to: Target;
  readonly progress: MoveProgress;
  /** Judges the source before it is copied, and the target before anybody else sees it; throws what keeps it from being committed. */
  readonly prove: (side: Side) => Promise<void>;
}

/**
 * Copies every row from one database into another, empty one, compares what arrived with what left, and commits only then.
 * Whatever goes wrong before leaves the target as it was. Throws Error with the table that differs, and DatabaseError; kind
 * `unknown` when the answer to COMMIT was lost.
 */
export async function moveDatabase({ from, to, progress, prove }: MoveParts): Promise<MovedTable[]> {
  await refuseOldSchema(from);
  await to.migrate();
  const tables = matching(await from.tables(), await to.tables());
  for (const table of tables) await refuseRows(to, table);
  // Before anything is copied: that may take an hour.
  await prove(from);
  const counters = await from.counters();
  await to.expect(counters);
  const moved: MovedTable[] = [];
  for (const table of tables) moved.push({ name: table.name, ...(await copy(from, to, table, progress)) });
  await to.setCounters(counters);
  await to.settle();
  for (const [index, table] of tables.entries()) await compare(to, table, moved[index], progress);
  await compareCounters(to, counters);
  await prove(to);
  await to.commit().catch((error: unknown) => {
    throw isOutage(error) ? lostCommit(error) : error;
  });
  return moved;
}

/** All or nothing is in the target then, and the next run tells which. */
function lostCommit(cause: unknown): DatabaseError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const next = 'the target has everything or nothing. Run the same move again: if it finds the target not empty, all is there';
  return new DatabaseError('unknown', '', `The answer to COMMIT was lost (${reason}): ${next}`, cause);
}

/** Throws when the source was written by another version than this one. */
export async function refuseOldSchema(from: Pick<Side, 'read'>): Promise<void> {
  const [oldest] = await pendingMigrations(from, { isExact: true });
  if (oldest === undefined) return;
  const where = 'with DATA_DIR or DATABASE_URL of the source';
  throw new Error(`The source lacks migration ${oldest.name}: run \`npx tollgate migrate\` first, ${where}`);
}

/** What a target may hold: nothing but what its own migrations put there. Throws with the first table that holds more. */
export async function refuseRows(to: Target, table: Table): Promise<void> {
  const rows = await to.count(table);
  if (rows === 0) return;
  if (!seeded.includes(table.name)) throw new Error(`The target is not empty: ${table.name} has ${rows} rows. ${whatIfMoved}`);
  await to.clear(table);
}

function matching(sources: readonly Table[], targets: readonly Table[]): readonly Table[] {
  const shape = ({ name, columns }: Table) => `${name}(${columns.map((column) => `${column.name} ${column.kind}`).join(', ')})`;
  const shapes = new Set(targets.map(shape));
  const odd = sources.find((table) => !shapes.has(shape(table)));
  if (odd !== undefined) throw new Error(`The target has no table ${shape(odd)}`);
  if (sources.length !== targets.length) throw new Error(`The target has ${targets.length} tables instead of ${sources.length}`);
  return sources;
}

async function copy(from: Side, to: Target, table: Table, progress: MoveProgress): Promise<Tally> {
  const tally = startTally(table);
  const of = await from.count(table);
  let rows = 0;
  for await (const batch of from.rows(table)) {
    tally.add(batch);
    await to.insert(table, batch);
    rows += batch.length;
    progress({ doing: 'copied', table: table.name, rows, of });
  }
  return tally.end();
}

async function compare(to: Side, table: Table, expected: Tally | undefined, progress: MoveProgress): Promise<void> {
  const tally = startTally(table);
  const of = expected?.rows ?? 0;
  let rows = 0;
  for await (const batch of to.rows(table)) {
    tally.add(batch);
    rows += batch.length;
    progress({ doing: 'compared', table: table.name, rows, of });
  }
  const found = tally.end();
  if (found.rows === expected?.rows && found.sum === expected.sum && found.digest === expected.digest) return;
  throw new Error(`${table.name} arrived with ${describe(found)} instead of ${expected && describe(expected)}`);
}

const describe = ({ rows, sum, digest }: Tally): string => `${rows} rows, sum ${sum}, digest ${digest}`;

async function compareCounters(to: Side, expected: ReadonlyMap<string, number>): Promise<void> {
  const found = await to.counters();
  const odd = [...expected].find(([table, last]) => (found.get(table) ?? 0) !== last);
  if (odd !== undefined) throw new Error(`${odd[0]} would number its rows from ${found.get(odd[0]) ?? 0} instead of ${odd[1]}`);
}
