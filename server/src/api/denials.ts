import type { ErrorCode } from '@tollgate/contract';
import { type Actor, recordAudit } from '../audit/index.ts';
import { recentCache } from '../platform/cache.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import { publicError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../storage/database.ts';

/** Writes refusals of signed-in callers to the audit log: one a minute for each user and route. */
export interface Denials {
  /** Never throws: the refusal itself must reach the caller. */
  note(thrown: unknown, actor: Actor, route: string): Promise<void>;
}

const everyMs = 60_000;
const rememberedPairs = 10_000;

/** Refusals that tell of somebody reaching for what is not theirs; typing errors are not among them. */
const denials: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'permission_denied',
  'self_root_delete',
  'session_needed',
  'user_banned',
  'user_header_mismatch',
  'user_level_create',
  'user_level_delete',
  'user_level_raise',
  'user_level_read',
  'user_level_write',
  'user_promote_denied',
  'user_root_delete',
  'user_root_demote',
  'user_root_disable',
]);

export function createDenials({ db, clock, log }: { db: Database; clock: Clock; log: Log }): Denials {
  const noted = recentCache<number>(rememberedPairs);
  return {
    async note(thrown, actor, route) {
      const code = publicError(thrown)?.code;
      if (code === undefined || !denials.has(code)) return;
      const key = `${actor.id} ${route}`;
      const nowMs = clock.monotonicMs();
      if (nowMs - (noted.get(key) ?? Number.NEGATIVE_INFINITY) < everyMs) return;
      noted.set(key, nowMs);
      const event = { actor, action: 'denied', target: route, detail: { code }, now: nowSeconds(clock) } as const;
      try {
        await db.transaction((tx) => tx.perform(recordAudit(event)));
      } catch (error) {
        log.warn({ err: error }, 'a refusal could not be written to the audit log');
      }
    },
  };
}
