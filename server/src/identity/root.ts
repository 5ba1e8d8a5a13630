import { role } from '@tollgate/contract';
import { openWallet, transfer } from '../billing/index.ts';
import { EnvironmentError } from '../env.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { isUniqueViolation } from '../storage/errors.ts';
import type { Passwords } from './passwords.ts';
import { blankUser, freshInviteCode } from './registration.ts';
import { isCommonPassword, isOwnName } from './weak-passwords.ts';

export interface RootState {
  username: string;
  /** This start created the account. */
  created: boolean;
  /** Whoever sits at the machine can sign in with the well-known password. */
  hasDefaultPassword: boolean;
}

/** The password everybody knows: accepted from private addresses only, and good for nothing but changing it. */
const defaultRootPassword = '123456';
const rootUsername = 'root';
const rootQuota = 100_000_000;

/**
 * Creates root when there is no user at all (contract 2.9); returns how to sign in. Throws EnvironmentError when the
 * password chosen for it would be tried by anybody.
 */
export async function bootstrapRoot({
  db,
  clock,
  passwords,
  initialPassword = defaultRootPassword,
}: {
  db: Database;
  clock: Clock;
  passwords: Passwords;
  initialPassword?: string | undefined;
}): Promise<RootState> {
  const anyone = await db.read.selectFrom('users').select('id').limit(1).executeTakeFirst();
  if (anyone !== undefined) return { ...(await readRoot(db)), created: false };
  const isDefault = initialPassword === defaultRootPassword;
  if (!isDefault && (isOwnName(initialPassword, rootUsername) || (await isCommonPassword(initialPassword)))) {
    throw new EnvironmentError(['INITIAL_ROOT_PASSWORD is too common: choose another, a sentence is best']);
  }
  const passwordHash = await passwords.hash(initialPassword);
  try {
    await db.transaction((tx) => insertRoot(tx, { passwordHash, isDefault, now: nowSeconds(clock) }));
  } catch (error) {
    // Another node was first.
    if (isUniqueViolation(error)) return { ...(await readRoot(db)), created: false };
    throw error;
  }
  return { username: rootUsername, created: true, hasDefaultPassword: isDefault };
}

async function readRoot(db: Database): Promise<Omit<RootState, 'created'>> {
  const row = await db.read
    .selectFrom('users')
    .select(['username', 'default_password'])
    .where('role', '=', role.root)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return { username: row?.username ?? rootUsername, hasDefaultPassword: row?.default_password === 1 };
}

async function insertRoot(
  tx: Transaction,
  { passwordHash, isDefault, now }: { passwordHash: string; isDefault: boolean; now: number },
): Promise<void> {
  const { id } = await tx.query
    .insertInto('users')
    .values({
      ...blankUser(now),
      username: rootUsername,
      display_name: 'Root User',
      password_hash: passwordHash,
      default_password: isDefault ? 1 : 0,
      role: role.root,
      aff_code: await freshInviteCode(tx),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await tx.perform(openWallet(id, now));
  await tx.perform(
    transfer({
      from: 'grant',
      to: `user:${id}`,
      amount: rootQuota,
      kind: 'grant',
      ref: `grant:root:${id}`,
      userId: id,
      actorId: id,
      now,
      note: '',
    }),
  );
}
