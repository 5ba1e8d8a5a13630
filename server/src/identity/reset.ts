import { recordAudit } from '../audit/index.ts';
import { limitMail, resetMail } from '../notify/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import { newSecret, randomAlphanumerics } from '../platform/ids.ts';
import { notifyChange } from '../storage/changes.ts';
import { actorFor } from './audit.ts';
import type { DoorDeps } from './deps.ts';
import { deviceMark, rememberDevice } from './devices.ts';
import { normalAddress } from './mail-address.ts';
import { oneTimeKey, putOneTime, takeOneTime } from './one-time.ts';
import type { Caller } from './types.ts';
import { newPassword } from './users.ts';

export interface PasswordReset {
  /** Mails a link when the address belongs to somebody; the answer does not tell. Throws PublicError. */
  request(email: string, caller: Caller): Promise<void>;
  /**
   * Burns the link's token and answers the new password, which is stored nowhere, and how many passkeys still open the
   * account. Throws PublicError `reset_link_invalid`.
   */
  redeem(input: { email: string; token: string }, caller: Caller): Promise<{ password: string; passkeys: number }>;
}

const linkMinutes = 15;
const passwordLength = 12;

export function createPasswordReset(deps: DoorDeps): PasswordReset {
  return {
    async request(email, caller) {
      const address = normalAddress(email);
      if (address === undefined) throw new PublicError('email_invalid');
      const { ServerAddress, SystemName } = deps.options();
      deps.mailer.checkReady();
      // the link leads where the operator said, never where the request came from.
      if (ServerAddress === '') throw new PublicError('server_address_missing');
      await limitMail(deps.limiter, address, caller.address.limitKey);
      const token = newSecret();
      const isKnown = await issueToken(deps, address, token);
      if (!isKnown) return;
      const link = `${ServerAddress}/user/reset?email=${encodeURIComponent(address)}&token=${token}`;
      deps.mailer.post(resetMail(address, SystemName, link, linkMinutes));
    },
    redeem: (input, caller) => redeem(deps, input, caller),
  };
}

/** The newest link alone is good. Known or not, the same statements run, so that time tells nothing. */
async function issueToken(deps: DoorDeps, address: string, token: string): Promise<boolean> {
  const now = nowSeconds(deps.clock);
  return deps.db.transaction(async (tx) => {
    const user = await tx.query
      .selectFrom('users')
      .select('id')
      .where('email', '=', address)
      .where('deleted_at', 'is', null)
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    const userId = user?.id ?? 0;
    await tx.query
      .deleteFrom('one_time')
      .where('kind', '=', 'reset')
      .where('user_id', '=', user?.id ?? -1)
      .execute();
    const expiresAt = now + linkMinutes * 60;
    await putOneTime(tx, { kind: 'reset', parts: [address, token], userId, payload: '', expiresAt }, now);
    return user !== undefined;
  });
}

async function redeem(
  deps: DoorDeps,
  input: { email: string; token: string },
  caller: Caller,
): Promise<{ password: string; passkeys: number }> {
  const address = normalAddress(input.email) ?? '';
  const parts = [address, input.token];
  const now = nowSeconds(deps.clock);
  const waiting = await deps.db.read
    .selectFrom('one_time')
    .select('user_id')
    .where('key_hash', '=', oneTimeKey('reset', parts))
    .where('expires_at', '>', now)
    .executeTakeFirst();
  if (waiting === undefined) throw new PublicError('reset_link_invalid');
  // Hashed before the transaction: it is slow and the writer must not wait for it.
  const password = randomAlphanumerics(passwordLength);
  const passwordHash = await deps.passwords.hash(password);
  const passkeys = await deps.db.transaction(async (tx) => {
    const taken = await takeOneTime(tx, 'reset', parts, now);
    const row = await tx.query
      .updateTable('users')
      .set((column) => newPassword(column, passwordHash))
      .where('id', '=', taken?.userId ?? -1)
      // The link went to an address that may be another one's by now.
      .where('email', '=', address)
      .where('deleted_at', 'is', null)
      .returning(['id', 'username'])
      .executeTakeFirst();
    if (row === undefined) throw new PublicError('reset_link_invalid');
    await tx.query.deleteFrom('session').where('user_id', '=', row.id).execute();
    // Whoever else fails at the account must not keep its owner from using the new password at once.
    if (caller.device !== undefined) await rememberDevice(tx, row.id, deviceMark(deps, caller.device), now);
    await tx.perform(notifyChange('user', String(row.id), now));
    await tx.perform(recordAudit({ actor: actorFor(row, caller), action: 'password.reset', target: `user:${row.id}`, now }));
    const keys = await tx.query.selectFrom('passkey').select('id').where('user_id', '=', row.id).execute();
    return keys.length;
  });
  deps.changes.notify();
  return { password, passkeys };
}
