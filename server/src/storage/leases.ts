import type { Database } from './database.ts';

interface LeaseWish {
  /** The job. */
  readonly name: string;
  /** This process among the nodes. */
  readonly node: string;
  /** Unix seconds. */
  readonly now: number;
  readonly seconds: number;
}

/** By how much the clocks of two holders may differ. */
const slackSeconds = 60;

/**
 * From when on a lease of so many seconds is nobody's although it has not run out: no clock of now gave it. One that ran
 * ahead did, and was set back since.
 */
export function beyondLease(now: number, seconds: number): number {
  return now + seconds + slackSeconds;
}

/** The same in milliseconds. */
export function beyondLeaseMs(nowMs: number, ms: number): number {
  return nowMs + ms + slackSeconds * 1000;
}

/** Takes or renews the one lease of a job: true for one node at a time, until it is silent for `seconds`. Throws DatabaseError. */
export function takeLease(db: Database, { name, node, now, seconds }: LeaseWish): Promise<boolean> {
  return db.transaction(async (tx) => {
    const taken = await tx.query
      .insertInto('job_lease')
      .values({ name, node, lease_until: now + seconds })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet({ node, lease_until: now + seconds })
          .where((where) =>
            where.or([
              where('job_lease.node', '=', node),
              where('job_lease.lease_until', '<=', now),
              where('job_lease.lease_until', '>', beyondLease(now, seconds)),
            ]),
          ),
      )
      .returning('name')
      .executeTakeFirst();
    return taken !== undefined;
  });
}
