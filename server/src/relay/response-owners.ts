import { recentCache } from '../platform/cache.ts';
import { type Clock, cautiousClock, nowSeconds } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Database, Work } from '../storage/database.ts';
import { promptly } from '../storage/prompt.ts';

/** The credential that gave an answer: what is kept of a conversation is kept there. */
export interface ResponseOwner {
  readonly channelId: number;
  /** `RouteKey.id`. */
  readonly keyId: string;
}

/** Remembers for 30 days who gave which answer, on all nodes. */
export interface ResponseOwners {
  /** Writes soon, without anybody waiting; beyond a bound it is dropped and counted. */
  remember(userId: number, responseId: string, owner: ResponseOwner): void;
  /** `foreign`: the answer was given to other users only. Undefined: nobody here has heard of it. */
  find(userId: number, responseId: string): Promise<ResponseOwner | 'foreign' | undefined>;
  /** Resolves when everything remembered so far is written or given up. */
  flush(): Promise<void>;
}

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Rows at most; the oldest go first. */
  readonly maxRows?: number;
}

interface Row extends ResponseOwner {
  readonly userId: number;
  readonly responseId: string;
}

const keptSeconds = 30 * 86_400;
const defaultMaxRows = 1_000_000;
const maxQueue = 10_000;
const batch = 100;
/** Whatever came meanwhile shares the next transaction. */
const pauseMs = 50;
const maxRecent = 10_000;

export function createResponseOwners({ db, clock, log, maxRows = defaultMaxRows }: Deps): ResponseOwners {
  const recent = recentCache<ResponseOwner>(maxRecent);
  const queue: Row[] = [];
  let dropped = 0;
  let writing: Promise<void> | undefined;
  const cautious = cautiousClock(clock);

  const write = async () => {
    for (let isFirst = true; queue.length > 0; isFirst = false) {
      if (!isFirst) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      const rows = queue.splice(0, batch);
      try {
        const now = nowSeconds(clock);
        const old = nowSeconds(cautious) - keptSeconds;
        await db.transaction((tx) => tx.perform(recordOwners(rows, now, old, maxRows)));
      } catch (error) {
        dropped += rows.length;
        log.warn({ err: error, dropped }, 'who gave which answers could not be written');
      }
    }
  };
  return {
    remember(userId, responseId, owner) {
      recent.set(`${userId} ${responseId}`, owner);
      if (queue.length >= maxQueue) {
        dropped += 1;
        return;
      }
      queue.push({ userId, responseId, ...owner });
      writing ??= write().finally(() => {
        writing = undefined;
      });
    },
    find: async (userId, responseId) =>
      recent.get(`${userId} ${responseId}`) ?? promptly(readOwner({ db, clock }, userId, responseId)),
    flush: async () => {
      await writing;
    },
  };
}

/** Every batch removes more than it adds once the table is full or its rows are old. */
function* recordOwners(rows: readonly Row[], now: number, old: number, maxRows: number): Work<void> {
  for (const { responseId, userId, channelId, keyId } of rows) {
    yield {
      sql:
        'INSERT INTO response_owner (response_id, user_id, channel_id, key_id, created_at) VALUES (?, ?, ?, ?, ?) ' +
        'ON CONFLICT (response_id, user_id) DO UPDATE SET ' +
        'channel_id = excluded.channel_id, key_id = excluded.key_id, created_at = excluded.created_at',
      parameters: [responseId, userId, channelId, keyId, now],
    };
  }
  yield {
    sql:
      'DELETE FROM response_owner WHERE id IN ' +
      '(SELECT id FROM response_owner WHERE created_at < ? ORDER BY created_at LIMIT ?)',
    parameters: [old, batch * 2],
  };
  yield {
    sql:
      'DELETE FROM response_owner WHERE id IN (SELECT id FROM response_owner ' +
      'WHERE id <= (SELECT MAX(id) FROM response_owner) - ? ORDER BY id LIMIT ?)',
    parameters: [maxRows, batch * 2],
  };
}

/** The user's own row comes first: upstreams that number their answers alike give one id to several users. */
async function readOwner({ db, clock }: Pick<Deps, 'db' | 'clock'>, userId: number, responseId: string) {
  const row = await db.read
    .selectFrom('response_owner')
    .select(['user_id', 'channel_id', 'key_id'])
    .where('response_id', '=', responseId)
    .where('created_at', '>=', nowSeconds(clock) - keptSeconds)
    .orderBy((order) => order.case().when('user_id', '=', userId).then(0).else(1).end())
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return row.user_id === userId ? { channelId: row.channel_id, keyId: row.key_id } : ('foreign' as const);
}
