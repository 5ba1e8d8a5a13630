import { recordAudit } from '../audit/index.ts';
import { codeMail, limitMail, movedMail, takenMail } from '../notify/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import { notifyChange } from '../storage/changes.ts';
import { renewSession } from './admit-user.ts';
import { actorFor } from './audit.ts';
import type { DoorDeps } from './deps.ts';
import { acceptAddress, normalAddress } from './mail-address.ts';
import { burnCode, type CodeScope, checkCode, claimAddress, codeMinutes, issueCode } from './mail-codes.ts';
import type { Caller, Identity, OpenedSession } from './types.ts';

export interface Verification {
  /**
   * Mails a code: for registering to a stranger, for binding to somebody signed in. The answer is the same for an
   * address that is taken. Throws PublicError with the texts of contract 2.5 and those of the mailer.
   */
  sendCode(email: string, caller: Caller, identity: Identity | undefined): Promise<void>;
  /** Writes the proven address to the caller's account, tells the one before, and renews the session. Throws PublicError. */
  bind(identity: Identity, input: { email: string; code: string }, caller: Caller): Promise<OpenedSession>;
}

export function createVerification(deps: DoorDeps): Verification {
  return {
    async sendCode(email, caller, identity) {
      const options = deps.options();
      const address = acceptAddress(email, options);
      deps.mailer.checkReady();
      await limitMail(deps.limiter, address, caller.address.limitKey);
      const scope = scopeOf(address, identity);
      const { code, holders } = await deps.db.transaction(async (tx) => ({
        // Imports may have given it to several.
        holders: await tx.query.selectFrom('users').select('deleted_at').where('email', '=', address).execute(),
        code: await issueCode(tx, deps, scope),
      }));
      const name = options.SystemName;
      const isGone = holders.every((holder) => holder.deleted_at !== null);
      await deps.mailer.send(holders.length > 0 ? takenMail(address, name, isGone) : codeMail(address, name, code, codeMinutes));
    },
    bind: (identity, input, caller) => bindAddress(deps, identity, input, caller),
  };
}

/** A code that somebody signed in asked for binds in that very session and does nothing else. */
function scopeOf(address: string, identity: Identity | undefined): CodeScope {
  const credential = identity?.credential;
  if (credential === undefined) return { purpose: 'register', address, session: '' };
  if (credential.kind !== 'session') throw new PublicError('permission_denied');
  return { purpose: 'bind', address, session: credential.idHash };
}

async function bindAddress(
  deps: DoorDeps,
  identity: Identity,
  { email, code }: { email: string; code: string },
  caller: Caller,
): Promise<OpenedSession> {
  const address = normalAddress(email);
  if (address === undefined) throw new PublicError('verification_code_wrong');
  const scope = scopeOf(address, identity);
  await checkCode(deps, scope, code);
  const { user } = identity;
  const now = nowSeconds(deps.clock);
  const { session, before } = await deps.db.transaction(async (tx) => {
    await burnCode(tx, deps, scope, code);
    await claimAddress(tx, address, now, 'email_taken');
    const held = await tx.query.selectFrom('users').select('email').where('id', '=', user.id).executeTakeFirst();
    await tx.query
      .updateTable('users')
      .set({ email: address })
      .where('id', '=', user.id)
      .where('deleted_at', 'is', null)
      .execute();
    await tx.perform(notifyChange('user', String(user.id), now));
    const renewed = await renewSession(tx, deps, identity, caller);
    const event = { actor: actorFor(user, caller), target: `user:${user.id}`, detail: { door: 'email' }, now };
    await tx.perform(recordAudit({ ...event, action: 'user.bind' }));
    return { session: renewed, before: held?.email ?? '' };
  });
  deps.changes.notify();
  if (before !== '' && before !== address) tellFormer(deps, before);
  return session;
}

function tellFormer({ mailer, options }: DoorDeps, address: string): void {
  try {
    mailer.post(movedMail(address, options().SystemName));
  } catch {
    // The new address is bound, whether there is room for a mail or not.
  }
}
