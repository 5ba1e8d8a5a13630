import { commandLine, recordAudit } from '../audit/index.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import { randomAlphanumerics } from '../platform/ids.ts';
import { notifyChange } from '../storage/changes.ts';
import type { Database } from '../storage/database.ts';
import type { Passwords } from './passwords.ts';
import { newPassword } from './users.ts';

/** 119 bits; letters and digits only, so that it survives every terminal and keyboard. */
const passwordLength = 20;

/**
 * Gives a user a new random password and ends all sessions and the system access token. Returns the password, which is
 * stored nowhere; undefined when there is no such user.
 */
export async function resetPassword(
  { db, clock, passwords }: { db: Database; clock: Clock; passwords: Passwords },
  username: string,
): Promise<string | undefined> {
  const password = randomAlphanumerics(passwordLength);
  const passwordHash = await passwords.hash(password);
  const found = await db.transaction(async (tx) => {
    const row = await tx.query
      .updateTable('users')
      .set((column) => newPassword(column, passwordHash))
      .where('username', '=', username)
      .where('deleted_at', 'is', null)
      .returning('id')
      .executeTakeFirst();
    if (row === undefined) return false;
    const now = nowSeconds(clock);
    await tx.perform(notifyChange('user', String(row.id), now));
    await tx.perform(recordAudit({ actor: commandLine, action: 'password.reset', target: `user:${row.id}`, now }));
    return true;
  });
  return found ? password : undefined;
}
