import { isSecret, newSecret } from '../platform/ids.ts';
import type { Database, Transaction } from '../storage/database.ts';
import type { AccountDeps } from './deps.ts';

/** Of one user, the latest ones. */
const keptDevices = 20;

/** The value of a browser's cookie: the one it has, if it is one of ours in form, else a new one. */
export function deviceSecret(presented: string | undefined): string {
  return isSecret(presented) ? presented : newSecret();
}

/** How a browser is stored: by a keyed hash that tells nothing of the cookie. */
export function deviceMark({ crypto }: Pick<AccountDeps, 'crypto'>, device: string | undefined): string {
  return device === undefined ? '' : crypto.hmac('device', device);
}

/** Whether the user signed in with this browser. */
export async function isKnownDevice({ read }: Pick<Database, 'read'>, userId: number, mark: string): Promise<boolean> {
  const found = await read
    .selectFrom('user_device')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('device_hmac', '=', mark)
    .executeTakeFirst();
  return found !== undefined;
}

/** Whoever leaves leaves no browsers behind. */
export async function forgetDevices(tx: Transaction, userId: number): Promise<void> {
  await tx.query.deleteFrom('user_device').where('user_id', '=', userId).execute();
}

/** Somebody signed in with this browser. */
export async function rememberDevice(tx: Transaction, userId: number, mark: string, now: number): Promise<void> {
  await tx.query
    .insertInto('user_device')
    .values({ user_id: userId, device_hmac: mark, seen_at: now })
    .onConflict((conflict) => conflict.columns(['user_id', 'device_hmac']).doUpdateSet({ seen_at: now }))
    .execute();
  const surplus = tx.query
    .selectFrom('user_device')
    .select('device_hmac')
    .where('user_id', '=', userId)
    .orderBy('seen_at', 'desc')
    .orderBy('device_hmac')
    .limit(1000)
    .offset(keptDevices);
  await tx.query.deleteFrom('user_device').where('user_id', '=', userId).where('device_hmac', 'in', surplus).execute();
}
