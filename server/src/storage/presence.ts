import { type ExpressionBuilder, sql } from 'kysely';
import type { Database } from './database.ts';
import { beyondLease } from './leases.ts';
import type { Schema } from './schema.ts';

/** A process that serves, as it said itself a moment ago. */
export interface PresentNode {
  readonly name: string;
  /** Beside the first process of its machine, which stands for all of them: limits, clock and version are common. */
  readonly isWorker: boolean;
  readonly version: string;
  /** Its clock minus the database's, in milliseconds. */
  readonly aheadMs: number;
  /** For how long changes of settings, channels and keys may have waited for it. 0 of a version that does not say. */
  readonly behindMs: number;
  /** Charges in its outbox. 0 of a version that does not say. */
  readonly charges: number;
}

const prefixes = { node: 'node:', worker: 'worker:' } as const;
/** Longer than two beats that were missed. */
const leaseSeconds = 60;
const forgetSeconds = 3_600;
const mostNodes = 256;

type Build = ExpressionBuilder<Schema, 'job_lease'>;
const areNodes = (row: Build) => row.or(Object.values(prefixes).map((prefix) => row('name', 'like', `${prefix}%`)));

/** Says that this node lives, and forgets those that are long gone. `now`: unix seconds of the database. Throws DatabaseError. */
export async function announceNode(db: Database, node: PresentNode, now: number): Promise<void> {
  const { name, isWorker, version, aheadMs, behindMs, charges } = node;
  const row = { node: `${version} ${aheadMs} ${behindMs} ${charges}`, lease_until: now + leaseSeconds };
  await db.transaction(async ({ query }) => {
    await query
      .insertInto('job_lease')
      .values({ name: prefixes[isWorker ? 'worker' : 'node'] + name, ...row })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
      .execute();
    await query
      .deleteFrom('job_lease')
      .where(areNodes)
      .where((row) =>
        row.or([row('lease_until', '<', now - forgetSeconds), row('lease_until', '>', beyondLease(now, leaseSeconds))]),
      )
      .execute();
  });
}

/** To be called at the end. Throws DatabaseError. */
export async function leaveNodes(db: Database, name: string): Promise<void> {
  await db.transaction(({ query }) =>
    query
      .deleteFrom('job_lease')
      .where(
        'name',
        'in',
        Object.values(prefixes).map((prefix) => prefix + name),
      )
      .execute(),
  );
}

/** Those that said so within the last minute, workers last. `now`: unix seconds of the database. Throws DatabaseError. */
export async function presentNodes({ read }: Pick<Database, 'read'>, now: number): Promise<PresentNode[]> {
  const rows = await read
    .selectFrom('job_lease')
    .select(['name', 'node'])
    .where(areNodes)
    .where('lease_until', '>', now)
    .where('lease_until', '<=', beyondLease(now, leaseSeconds))
    .orderBy('name')
    .limit(mostNodes)
    .execute();
  return rows.map(({ name, node }) => {
    const [version = '', ...figures] = node.split(' ');
    const [aheadMs = 0, behindMs = 0, charges = 0] = figures.map((figure) => Number(figure) || 0);
    const isWorker = name.startsWith(prefixes.worker);
    return { name: name.slice(name.indexOf(':') + 1), isWorker, version, aheadMs, behindMs, charges };
  });
}

/** The database's clock in milliseconds: what all nodes can be compared with. Throws DatabaseError. */
export async function databaseNowMs({ engine, read }: Pick<Database, 'engine' | 'read'>): Promise<number> {
  const clock = engine === 'sqlite' ? sql`unixepoch('now', 'subsec')` : sql`extract(epoch FROM clock_timestamp())`;
  const { rows } = await sql<{ ms: number }>`SELECT CAST(${clock} * 1000 AS bigint) AS ms`.execute(read);
  return Number(rows[0]?.ms ?? 0);
}
