import type { Insertable } from 'kysely';
import type { Database } from '../src/storage/database.ts';
import type { LogTable } from '../src/storage/schema.ts';
import { insertRows } from '../src/storage/statements.ts';
import { type CrowdRow, crowdColumns, crowdRows } from './log-crowd.ts';

export type LogRow = Insertable<LogTable>;

/** A consumption row of alice's. */
export const plainLog: LogRow = {
  created_at: 1_800_000_000,
  type: 2,
  user_id: 1,
  username: 'alice',
  token_id: 3,
  token_name: 'work',
  model_name: 'gpt-4o',
  channel_id: 0,
  group_name: 'default',
  quota: 10,
  shortfall: 0,
  prompt_tokens: 4,
  completion_tokens: 6,
  use_time: 1,
  is_stream: 1,
  content: '',
  other: '',
  request_id: '',
  ip: '1.2.3.4',
  receipt: '{}',
  hidden: 0,
};

const rowsAtATime = 500;

/** Writes rows in order; ids are given by the database unless they are part of a row. */
export async function insertLogs(db: Database, rows: readonly Partial<LogRow>[]): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsAtATime) {
    const part = rows.slice(start, start + rowsAtATime).map((row) => ({ ...plainLog, ...row }));
    await db.transaction((tx) => tx.query.insertInto('log').values(part).execute());
  }
}

/** A made-up log of `count` rows over 90 days before `end` (unix seconds). */
export async function insertCrowd(db: Database, count: number, end = 1_800_000_000): Promise<void> {
  let part: CrowdRow[] = [];
  const write = async () => {
    const rows = part;
    part = [];
    await db.transaction((tx) => tx.perform(insertAll(rows)));
  };
  for (const row of crowdRows(count, { end, days: 90 })) if (part.push(row) === 4_096) await write();
  await write();
}

function* insertAll(rows: readonly CrowdRow[]) {
  yield* insertRows('log', crowdColumns, rows);
}
