import { randomInt } from 'node:crypto';
import { nowSeconds } from '../platform/clock.ts';
import { sameText } from '../platform/crypto.ts';
import { PublicError } from '../platform/errors.ts';
import type { Transaction } from '../storage/database.ts';
import type { AccountDeps } from './deps.ts';
import { markOnce, oneTimeKey, putOneTime, takeOneTime, tryOneTime } from './one-time.ts';

/** What a code proves: it opens nothing else. */
export interface CodeScope {
  purpose: 'register' | 'bind';
  /** Normal spelling. */
  address: string;
  /** The session that asked, for binds; "" otherwise. */
  session: string;
}

export const codeMinutes = 10;
const codeDigits = 6;

type CodeDeps = Pick<AccountDeps, 'clock' | 'crypto'>;

/** A new code in place of an older one; only its keyed hash is stored. */
export async function issueCode(tx: Transaction, deps: CodeDeps, scope: CodeScope): Promise<string> {
  const code = String(randomInt(10 ** codeDigits)).padStart(codeDigits, '0');
  const now = nowSeconds(deps.clock);
  const payload = hashOf(deps, scope, code);
  const expiresAt = now + codeMinutes * 60;
  await putOneTime(tx, { kind: 'mail-code', parts: partsOf(scope), userId: 0, payload, expiresAt }, now);
  return code;
}

/** Whether the code holds, without burning it: five wrong ones burn it. Throws PublicError `verification_code_wrong`. */
export async function checkCode(deps: AccountDeps, scope: CodeScope, code: string): Promise<void> {
  const hash = hashOf(deps, scope, code);
  const found = await deps.db.transaction((tx) =>
    tryOneTime(tx, 'mail-code', partsOf(scope), nowSeconds(deps.clock), ({ payload }) => sameText(payload, hash)),
  );
  if (found === undefined) throw new PublicError('verification_code_wrong');
}

/** Burns the code in the transaction of what it was for: of several who try at once one wins, the others roll back. */
export async function burnCode(tx: Transaction, deps: CodeDeps, scope: CodeScope, code: string): Promise<void> {
  const found = await takeOneTime(tx, 'mail-code', partsOf(scope), nowSeconds(deps.clock));
  if (found === undefined || !sameText(found.payload, hashOf(deps, scope, code))) {
    throw new PublicError('verification_code_wrong');
  }
}

/**
 * Holds an address until the transaction ends, so that two cannot bind it at once: the second inserter waits for the
 * first. Throws PublicError `taken` when some row has the address, deregistered ones included.
 */
export async function claimAddress(
  tx: Transaction,
  address: string,
  now: number,
  taken: 'email_taken' | 'username_taken',
): Promise<void> {
  const parts = [address];
  await markOnce(tx, { kind: 'mail-address', parts, userId: 0, payload: '', expiresAt: now });
  await tx.query.deleteFrom('one_time').where('key_hash', '=', oneTimeKey('mail-address', parts)).execute();
  const holder = await tx.query.selectFrom('users').select('id').where('email', '=', address).executeTakeFirst();
  if (holder !== undefined) throw new PublicError(taken);
}

function partsOf({ purpose, address, session }: CodeScope): string[] {
  return [purpose, address, session];
}

/** A Chinese keyboard may type full-width digits, which are the same; so are digits with a gap between them. */
function hashOf({ crypto }: Pick<AccountDeps, 'crypto'>, scope: CodeScope, code: string): string {
  return crypto.hmac('mail-code', JSON.stringify([...partsOf(scope), code.normalize('NFKC').replaceAll(/\s/g, '')]));
}
