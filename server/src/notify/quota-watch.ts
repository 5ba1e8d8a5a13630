import { userStatus } from '@tollgate/contract';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import { formatQuota, type Options } from '../settings/index.ts';
import type { Database } from '../storage/database.ts';
import type { CallMeters } from './call-meters.ts';
import { readPreferences, waysFor } from './preferences.ts';
import { publish } from './publish.ts';
import type { Recipient } from './recipients.ts';
import { quotaMessage } from './texts.ts';
import type { Ways } from './ways/index.ts';

/** Warns users whose quota runs low, away from their calls. */
export interface QuotaWatch {
  /** Looks at those who were charged since the last look. Throws DatabaseError; then the next one looks at them as well. */
  tick(): Promise<void>;
}

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  readonly options: () => Options;
  readonly ways: Ways;
  readonly spenders: Pick<CallMeters, 'takeSpenders'>;
}

/** At most one warning per user within this time (contract 8.8). */
const apartSeconds = 7_200;
const atATime = 500;

type Row = { id: number; email: string | null; setting: string; available: number; held: number };

export function createQuotaWatch(parts: Parts): QuotaWatch {
  /** Whom this node need not look at: user -> unix seconds. */
  const warned = new Map<number, number>();
  /** Who is still to be looked at: after a failure all that it left. */
  let ids: number[] = [];
  return {
    async tick() {
      const now = nowSeconds(parts.clock);
      // Beyond that a clock wrote that ran ahead.
      for (const [userId, until] of warned) if (until <= now || until > now + apartSeconds) warned.delete(userId);
      ids = [...new Set([...ids, ...parts.spenders.takeSpenders()])].filter((id) => !warned.has(id));
      for (; ids.length > 0; ids = ids.slice(atATime)) {
        for (const row of await readWallets(parts.db, ids.slice(0, atATime))) {
          const until = await warn(parts, row, now);
          if (until !== undefined) warned.set(row.id, until);
        }
      }
    },
  };
}

function readWallets({ read }: Database, ids: readonly number[]): Promise<Row[]> {
  return read
    .selectFrom('wallet')
    .innerJoin('users', 'users.id', 'wallet.user_id')
    .select(['users.id', 'users.email', 'users.setting', 'wallet.available', 'wallet.held'])
    .where('wallet.user_id', 'in', ids)
    .where('users.status', '=', userStatus.enabled)
    .where('users.deleted_at', 'is', null)
    .execute();
}

/**
 * Until when nobody need look again; undefined: there is enough, or nobody to tell. What running calls hold counts as there:
 * most of it comes back.
 */
async function warn({ db, options, ways }: Parts, row: Row, now: number): Promise<number | undefined> {
  const preferences = readPreferences(row.setting);
  const remaining = row.available + row.held;
  if (remaining >= (preferences.quota_warning_threshold ?? options().QuotaRemindThreshold)) return undefined;
  const recipient: Recipient = { userId: row.id, email: row.email ?? '', preferences };
  if (!waysFor(preferences, 'quota_warning').some((way) => ways[way].reaches(recipient))) return undefined;
  const message = quotaMessage({ remaining: formatQuota(remaining, options()), serverAddress: options().ServerAddress });
  const once = { name: `quota:${row.id}`, reached: now, apart: apartSeconds };
  const notification = { event: 'quota_warning', message, audience: { userId: row.id }, once } as const;
  if (await db.transaction((tx) => tx.perform(publish(notification, now)))) return now + apartSeconds;
  // Told by another node, or before this one's start: its two hours count.
  const told = await db.read.selectFrom('notification_mark').select('reached').where('name', '=', once.name).executeTakeFirst();
  return (told?.reached ?? now) + apartSeconds;
}
