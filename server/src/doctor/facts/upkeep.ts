import { nowSeconds } from '../../platform/clock.ts';
import { countRows } from '../../storage/page.ts';
import type { World } from '../world.ts';

/** Times are unix seconds; 0 = there is nothing. */
export interface UpkeepFacts {
  readonly now: number;
  /** Rows of the log that are in no sum yet, and when the oldest of them was written. */
  readonly unsummed: { readonly rows: number; readonly since: number };
  readonly oldestLog: number;
  readonly newestLog: number;
  /** When the oldest body of a call that is kept was written. */
  readonly oldestBody: number;
  readonly bodyDays: number;
  /** Within the last day. */
  readonly failedDeliveries: number;
  /** Waiting for long. */
  readonly stuckDeliveries: number;
  /** When the code or link that is over for the longest time, and is still there, ended. */
  readonly oldestOneTime: number;
  /** The audit log's last row is the one that its head names. */
  readonly auditEndsWell: boolean;
}

const daySeconds = 86_400;
const stuckSeconds = 900;

export async function gatherUpkeep({ db: { read }, clock, settings }: World): Promise<UpkeepFacts> {
  const now = nowSeconds(clock);
  const { options } = await settings();
  const rolled = await read.selectFrom('usage_rollup').select('rolled_to').where('id', '=', 1).executeTakeFirst();
  const rolledTo = rolled?.rolled_to ?? 0;
  const edge = (direction: 'asc' | 'desc', after = 0) =>
    read
      .selectFrom('log')
      .select(['id', 'created_at'])
      .where('id', '>', after)
      .orderBy('id', direction)
      .limit(1)
      .executeTakeFirst();
  const [oldest, newest, unsummed] = [await edge('asc'), await edge('desc'), await edge('asc', rolledTo)];
  const body = await read.selectFrom('log_body').select('created_at').orderBy('created_at').limit(1).executeTakeFirst();
  const oneTime = await read.selectFrom('one_time').select('expires_at').orderBy('expires_at').limit(1).executeTakeFirst();
  const deliveries = (state: 'failed' | 'waiting') => read.selectFrom('notification_delivery').where('state', '=', state);
  // Of one moment: a server beside this adds to both.
  const ends = await read
    .selectFrom('audit_head')
    .leftJoin('audit', (join) =>
      join.on('audit.seq', '=', ({ selectFrom, fn }) => selectFrom('audit').select(fn.max('seq').as('seq'))),
    )
    .select(['audit_head.seq', 'audit_head.hash', 'audit.seq as last_seq', 'audit.hash as last_hash'])
    .where('audit_head.id', '=', 1)
    .executeTakeFirst();
  return {
    now,
    unsummed: { rows: Math.max(0, (newest?.id ?? 0) - rolledTo), since: unsummed?.created_at ?? 0 },
    oldestLog: oldest?.created_at ?? 0,
    newestLog: newest?.created_at ?? 0,
    oldestBody: body?.created_at ?? 0,
    bodyDays: options.LogBodyDays,
    // What failed is due no more: its age is that of its begin.
    failedDeliveries: await countRows(deliveries('failed').where('created_at', '>', now - daySeconds)),
    stuckDeliveries: await countRows(deliveries('waiting').where('due_at', '<', now - stuckSeconds)),
    oldestOneTime: oneTime?.expires_at ?? 0,
    auditEndsWell: ends !== undefined && ends.seq === (ends.last_seq ?? 0) && ends.hash === (ends.last_hash ?? ''),
  };
}
