import type { Database } from '../storage/database.ts';
import { beyondLease } from '../storage/leases.ts';

/**
 * Leases that a clock ahead of time gave, and that was set back since, last no longer than one of now: a call that runs renews
 * its own, the others are swept. Those of tasks say when these time out. Seconds; throws DatabaseError.
 */
export async function cutLeases(db: Database, { now, seconds }: { now: number; seconds: number }): Promise<void> {
  const latest = beyondLease(now, seconds);
  const found = await db.read
    .selectFrom('hold')
    .select('id')
    .where('lease_until', '>', latest)
    .where('keeper', '=', '')
    .limit(1)
    .executeTakeFirst();
  if (found === undefined) return;
  await db.transaction(({ query }) =>
    query
      .updateTable('hold')
      .set({ lease_until: now + seconds })
      .where('lease_until', '>', latest)
      .where('keeper', '=', '')
      .execute(),
  );
}
