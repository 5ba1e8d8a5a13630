import { publish, tokenKeyMessage } from '../notify/index.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Database, Work } from '../storage/database.ts';
import type { TokenRow } from './token-view.ts';

/** The columns of a token whose only key is the present one. */
export const noOldKey = { old_key_hmac: null, old_key_hint: '', old_key_until: 0, old_key_warn_at: 0 } as const;

/** A shorter grace is over before anybody reads a second notice. */
const leastWarnedSeconds = 3_600;
const longestWarningSeconds = 86_400;
const atATime = 200;

/** The columns of a key that works for `seconds` more: a day before its end, or a quarter of so short a time, its owner is told again. */
export function oldKeyUntil(hmac: string, hint: string, now: number, seconds: number) {
  const warningSeconds = Math.min(longestWarningSeconds, Math.floor(seconds / 4));
  const until = now + seconds;
  const warnAt = seconds < leastWarnedSeconds ? 0 : until - warningSeconds;
  return { old_key_hmac: hmac, old_key_hint: hint, old_key_until: until, old_key_warn_at: warnAt };
}

type Told = Pick<TokenRow, 'user_id' | 'name' | 'old_key_hint' | 'old_key_until'> & { readonly serverAddress: string };

/** Perform it where the key is changed. */
export const tellRotated = (told: Told, now: number): Work<boolean> => tell('rotated', told, now);

function tell(kind: 'rotated' | 'ending', told: Told, now: number): Work<boolean> {
  const { name, old_key_hint: hint, old_key_until: until, serverAddress } = told;
  const message = tokenKeyMessage({ kind, name, hint, until, serverAddress });
  return publish({ event: 'token_key', message, audience: { userId: told.user_id } }, now);
}

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  readonly serverAddress: () => string;
}

/** Tells the owners of old keys that end soon, each once whatever node looks. Throws DatabaseError. */
export async function tellEndingKeys({ db, clock, serverAddress }: Parts): Promise<void> {
  const now = nowSeconds(clock);
  const due = await db.read
    .selectFrom('token')
    .select('id')
    .where('old_key_warn_at', '>', 0)
    .where('old_key_warn_at', '<=', now)
    .limit(atATime)
    .execute();
  for (const { id } of due) {
    await db.transaction(async (tx) => {
      // Of two nodes that come at once one finds it told.
      const row = await tx.query
        .updateTable('token')
        .set({ old_key_warn_at: 0 })
        .where('id', '=', id)
        .where('old_key_warn_at', '>', 0)
        .where('old_key_warn_at', '<=', now)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined || row.deleted_at !== null || row.old_key_until <= now) return;
      await tx.perform(tell('ending', { ...row, serverAddress: serverAddress() }, now));
    });
  }
}
