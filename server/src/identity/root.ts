import { role } from '@tollgate/contract';
import type { Kysely } from 'kysely';
import { openWallet, transfer } from '../billing/index.ts';
import { EnvironmentError } from '../env.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { isUniqueViolation } from '../storage/errors.ts';
import type { Schema } from '../storage/schema.ts';
import { freeName, freeNameKey } from './imported-user.ts';
import type { Passwords } from './passwords.ts';
import { blankUser, freshInviteCode } from './registration.ts';
import { isCommonPassword, isOwnName } from './weak-passwords.ts';

export interface RootState {
  username: string;
  /** Whoever sits at the machine can sign in with the well-known password. */
  hasDefaultPassword: boolean;
}

/** The password everybody knows: accepted from private addresses only, and good for nothing but changing it. */
const defaultRootPassword = '123456';
const rootUsername = 'root';
const rootQuota = 100_000_000;

/**
 * Creates root when there is none (contract 2.9): nobody is there yet, or an import brought users without one; returns how
 * to sign in. Throws EnvironmentError when the password chosen for it would be tried by anybody.
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
  const known = await readRoot(db.read);
  if (known !== undefined) return known;
  const isDefault = initialPassword === defaultRootPassword;
  if (!isDefault && (isOwnName(initialPassword, rootUsername) || (await isCommonPassword(initialPassword)))) {
    throw new EnvironmentError(['INITIAL_ROOT_PASSWORD is too common: choose another; a sentence is best']);
  }
  const passwordHash = await passwords.hash(initialPassword);
  try {
    return await db.transaction(async (tx) => {
      const username = await freeName(tx, rootUsername);
      // After the name: of two nodes the later one meets either the other's root here or its name at the end.
      const other = await readRoot(tx.query);
      if (other !== undefined) return other;
      await insertRoot(tx, { username, passwordHash, isDefault, now: nowSeconds(clock) });
      return { username, hasDefaultPassword: isDefault };
    });
  } catch (error) {
    const first = isUniqueViolation(error) ? await readRoot(db.read) : undefined;
    if (first === undefined) throw error;
    return first;
  }
}

async function readRoot(read: Kysely<Schema>): Promise<RootState | undefined> {
  const row = await read
    .selectFrom('users')
    .select(['username', 'default_password'])
    .where('role', '=', role.root)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row && { username: row.username, hasDefaultPassword: row.default_password === 1 };
}

async function insertRoot(
  tx: Transaction,
  { username, passwordHash, isDefault, now }: { username: string; passwordHash: string; isDefault: boolean; now: number },
): Promise<void> {
  const { id } = await tx.query
    .insertInto('users')
    .values({
      ...blankUser(now),
      username,
      name_key: await freeNameKey(tx, username),
      display_name: 'Root User',
      password_hash: passwordHash,
      default_password: isDefault ? 1 : 0,
      role: role.root,
      aff_code: await freshInviteCode(tx),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await tx.perform(openWallet(id));
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
