import { type ManageAction, role, userBody, userStatus } from '@tollgate/contract';
import { commandLineManager, createPasswords, createUserManagement, listUsers, resetPassword } from '../identity/index.ts';
import type { Clock } from '../platform/clock.ts';
import { randomAlphanumerics } from '../platform/ids.ts';
import type { Database } from '../storage/database.ts';
import { consoleParts, lookedAt, written } from './database.ts';
import { type CliWorld, noUser, type Outcome, UsageError } from './outcome.ts';
import { limitOf, listed } from './rows.ts';

export function listUsersCommand(world: CliWorld, { limit }: { limit?: string }): Promise<Outcome> {
  return lookedAt(world, async (db) => listed(await listUsers(db, { limit: limitOf(limit) })));
}

/** For whoever locked themselves out: a new random password, shown once. Works beside a running server. */
export function resetPasswordCommand(world: CliWorld, username: string): Promise<Outcome> {
  return written(world, async ({ db, clock }) => {
    const password = await resetPassword({ db, clock, passwords: await createPasswords() }, username);
    if (password === undefined) return noUser(username);
    const isOff = await isPasswordLoginOff(db);
    const text = `New password of ${username}: ${password}\nIt is shown only now. All sessions of this user have ended.`;
    const json = { username, password, ...(isOff ? { password_login: false } : {}) };
    return { exitCode: 0, text: isOff ? `${text}\n${passwordLoginOff}` : text, json };
  });
}

const passwordLoginOff = [
  'Nobody gets in by it: sign-in by password is off. To switch it on, npx tollgate config apply FILE, where FILE says',
  'version: 1',
  'options: { PasswordLoginEnabled: true }',
].join('\n');

/** As it is stored, so that nobody needs the master key for it. */
async function isPasswordLoginOff({ read }: Database): Promise<boolean> {
  const row = await read.selectFrom('option').select('value').where('key', '=', 'PasswordLoginEnabled').executeTakeFirst();
  return row?.value === 'false';
}

/** What may be done to an account by its name: the console's actions, but for deleting. */
export const userActions = {
  disable: 'keep a user out: sessions end, keys are refused, the balance stays',
  enable: 'let a disabled user in again',
  promote: 'make a user an administrator',
  demote: 'make an administrator a user',
  'reset-second-factor': 'for who lost the authenticator and the recovery codes; passkeys go too; root too',
} as const;

export function manageUserCommand(world: CliWorld, name: keyof typeof userActions, username: string): Promise<Outcome> {
  const action = name.replaceAll('-', '_') as ManageAction;
  return written(world, async (parts) => {
    const [user] = await listUsers(parts.db, { username, limit: 1 });
    if (user === undefined) return noUser(username);
    const people = await managementOf(world, parts);
    const after = await people.manage(commandLineManager, user.id, action);
    const what =
      action === 'reset_second_factor'
        ? 'has no second factor and no passkeys now'
        : `is ${after.status === userStatus.enabled ? 'enabled' : 'disabled'}, ${after.role === role.common ? 'a user' : 'an administrator'}`;
    return { exitCode: 0, text: `${username} ${what}. Running servers know within a second.`, json: { username, ...after } };
  });
}

const passwordLength = 20;

/** A new account with a random password, which is shown once. Starts with what the options give to new users. */
export function createUserCommand(world: CliWorld, username: string, { admin = false }: { admin?: boolean }): Promise<Outcome> {
  const password = randomAlphanumerics(passwordLength);
  const wanted = { username, password, display_name: username, role: admin ? role.admin : role.common };
  const input = userBody.safeParse(wanted);
  if (!input.success) throw new UsageError(`${username}: ${input.error.issues[0]?.message ?? 'no name of a user'}`);
  return written(world, async (parts) => {
    const people = await managementOf(world, parts);
    await people.create(commandLineManager, input.data);
    const text = `Password of ${username}: ${password}\nIt is shown only now.`;
    return { exitCode: 0, text, json: { username, password, role: wanted.role } };
  });
}

async function managementOf(world: CliWorld, parts: { db: Database; clock: Clock }) {
  return createUserManagement({ ...(await consoleParts(world, parts)), passwords: await createPasswords() });
}
