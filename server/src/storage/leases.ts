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
          .where((where) => where.or([where('job_lease.node', '=', node), where('job_lease.lease_until', '<=', now)])),
      )
      .returning('name')
      .executeTakeFirst();
    return taken !== undefined;
  });
}
