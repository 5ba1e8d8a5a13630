import { sql } from 'kysely';
import type { Database } from '../storage/database.ts';
import { type Difference, gap } from './prove-sums.ts';

type Reader = Pick<Database, 'read'>;

export const usageCheck = {
  name: 'used_equals_usage',
  detail: 'used quota of every wallet = what the dashboard sums: the daily sums and the rows that are not in them yet',
} as const;

const daySeconds = 86_400;
/** Beside the newest day, those to which rows are still added: they are left to the statement that reads the wallets. */
const openDays = 1;
const pageWallets = 20_000;
/** Of one pass. */
const maxDifferences = 1_000;

/**
 * The first wallet that differs from what the dashboard sums. Days that are over are added up one by one: years of them take
 * longer than a statement may. A late correction may change one of them meanwhile, so a difference counts when a second pass
 * finds the very same. Throws DatabaseError.
 */
export async function proveUsage(db: Reader): Promise<Difference | undefined> {
  const { differences, hasDays } = await readPass(db);
  if (differences.length === 0 || !hasDays) return differences[0];
  const again = new Set((await readPass(db)).differences.map(textOf));
  return differences.find((difference) => again.has(textOf(difference)));
}

const textOf = (difference: Difference) => `${difference.what} ${gap(difference)}`;

async function readPass(db: Reader): Promise<{ differences: readonly Difference[]; hasDays: boolean }> {
  const open = ((await endOfDays(db, 'MAX')) ?? 0) - openDays * daySeconds;
  const first = (await endOfDays(db, 'MIN')) ?? open;
  const summed = new Map<number, number>();
  for (let day = first; day < open; day = (await endOfDays(db, 'MIN', day + daySeconds)) ?? open) {
    const { rows } = await sql<{ user_id: number; total: number }>`
      SELECT user_id, SUM(quota) AS total FROM usage_day
      WHERE cube = 3 AND owner = 0 AND start >= ${day} AND start < ${day + daySeconds} GROUP BY user_id`.execute(db.read);
    for (const { user_id, total } of rows) summed.set(user_id, (summed.get(user_id) ?? 0) + total);
  }
  return { differences: await compareWallets(db, open, summed), hasDays: first < open };
}

/** The first or the last day from here on that has sums. What has no time stands on the first of 1970, with no day for decades behind it. */
async function endOfDays({ read }: Reader, end: 'MIN' | 'MAX', from = Number.MIN_SAFE_INTEGER): Promise<number | undefined> {
  const { rows } = await sql<{ day: number | null }>`
    SELECT ${sql.raw(end)}(start) AS day FROM usage_day WHERE cube = 3 AND owner = 0 AND start >= ${from}`.execute(read);
  return rows[0]?.day ?? undefined;
}

/** `summed`: what the days before `open` have of each user. */
async function compareWallets({ read }: Reader, open: number, summed: ReadonlyMap<number, number>): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (let last = Number.MIN_SAFE_INTEGER, isLast = false; !isLast && differences.length < maxDifferences; ) {
    const { rows } = await sql<{ user_id: number; used: number; rest: number }>`
      SELECT wallet.user_id, wallet.used_quota AS used, COALESCE(sums.total, 0) AS rest
      FROM (SELECT * FROM wallet WHERE user_id > ${last} ORDER BY user_id LIMIT ${pageWallets}) AS wallet LEFT JOIN (
        SELECT user_id, SUM(quota) AS total FROM (
          SELECT user_id, quota FROM usage_day WHERE cube = 3 AND owner = 0 AND start >= ${open}
          UNION ALL SELECT user_id, quota FROM log
          WHERE type = 2 AND id > (SELECT rolled_to FROM usage_rollup WHERE id = 1)
        ) AS parts GROUP BY user_id
      ) AS sums ON sums.user_id = wallet.user_id
      ORDER BY wallet.user_id`.execute(read);
    for (const { user_id, used, rest } of rows) {
      const found = (summed.get(user_id) ?? 0) + rest;
      if (found !== used) differences.push({ what: `user:${user_id}`, expected: used, found });
    }
    last = rows.at(-1)?.user_id ?? last;
    isLast = rows.length < pageWallets;
  }
  return differences;
}
