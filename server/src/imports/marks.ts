import type { Kysely } from 'kysely';
import { sha256 } from '../platform/crypto.ts';
import type { Transaction } from '../storage/database.ts';
import type { Schema } from '../storage/schema.ts';
import { ImportFault } from './faults.ts';

/** What is remembered of a row that was brought over. */
export interface Mark {
  /** 0 = it was looked at and left out. */
  readonly targetId: number;
  readonly state: Readonly<Record<string, unknown>>;
}

const digestLength = 16;

/** A digest of each field: what changed can be told from that, and not what it was. */
export function digestsOf<Field extends string>(fields: Readonly<Record<Field, unknown>>): Readonly<Record<Field, string>> {
  const digests = Object.entries(fields).map(([name, value]) => [
    name,
    sha256(JSON.stringify(value ?? null)).slice(0, digestLength),
  ]);
  return Object.fromEntries(digests);
}

/** The fields that differ; all of them where they were not remembered one by one and `isSame` says that something did. */
export function changedOf<Field extends string>(
  last: Readonly<Record<Field, string>> | undefined,
  next: Readonly<Record<Field, string>>,
  isSame: boolean,
): Field[] {
  const fields = Object.keys(next) as Field[];
  return last === undefined ? (isSame ? [] : fields) : fields.filter((field) => last[field] !== next[field]);
}

const rowsPerRead = 500;

/** The marks of these rows, as far as there are any. */
export async function readMarks(
  read: Kysely<Schema> | undefined,
  source: string,
  kind: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Mark>> {
  const marks = new Map<string, Mark>();
  if (read === undefined) return marks;
  for (let start = 0; start < keys.length; start += rowsPerRead) {
    const rows = await read
      .selectFrom('import_row')
      .select(['source_key', 'target_id', 'state'])
      .where('source', '=', source)
      .where('kind', '=', kind)
      .where('source_key', 'in', keys.slice(start, start + rowsPerRead))
      .execute();
    for (const { source_key, target_id, state } of rows) marks.set(source_key, { targetId: target_id, state: JSON.parse(state) });
  }
  return marks;
}

export type KeyedMark = Mark & { readonly key: string };

/** All marks of a kind, page by page. */
export async function* marksOf(read: Kysely<Schema>, source: string, kind: string): AsyncGenerator<readonly KeyedMark[]> {
  let after = '';
  while (true) {
    const rows = await read
      .selectFrom('import_row')
      .select(['source_key', 'target_id', 'state'])
      .where('source', '=', source)
      .where('kind', '=', kind)
      .where('source_key', '>', after)
      .orderBy('source_key')
      .limit(rowsPerRead)
      .execute();
    if (rows.length === 0) return;
    yield rows.map(({ source_key, target_id, state }) => ({ key: source_key, targetId: target_id, state: JSON.parse(state) }));
    after = rows.at(-1)?.source_key ?? '';
  }
}

/** Which row of which source a mark is of. */
interface Place {
  readonly source: string;
  readonly kind: string;
  readonly key: string;
}

/**
 * Written in the transaction that brings the row over, so that a run that was cut off goes on where it ended. `before`: what
 * was read of it; where another run wrote it since, this throws, and with the transaction all that was brought twice is gone.
 */
export async function writeMark(
  tx: Transaction,
  { source, kind, key }: Place,
  { before, after }: { before: Mark | undefined; after: Mark },
): Promise<void> {
  const values = { target_id: after.targetId, state: JSON.stringify(after.state) };
  const written =
    before === undefined
      ? await tx.query
          .insertInto('import_row')
          .values({ source, kind, source_key: key, ...values })
          .onConflict((conflict) => conflict.columns(['source', 'kind', 'source_key']).doNothing())
          .returning('source_key')
          .executeTakeFirst()
      : await tx.query
          .updateTable('import_row')
          .set(values)
          .where('source', '=', source)
          .where('kind', '=', kind)
          .where('source_key', '=', key)
          .where('state', '=', JSON.stringify(before.state))
          .returning('source_key')
          .executeTakeFirst();
  if (written === undefined) throw new ImportFault('written_meanwhile');
}

/** Before a row without a mark is left out for what is here: this throws where another run has brought just that row since. */
export async function checkUnmarked(tx: Transaction, { source, kind, key }: Place): Promise<void> {
  const marks = await readMarks(tx.query, source, kind, [key]);
  if (marks.size > 0) throw new ImportFault('written_meanwhile');
}
