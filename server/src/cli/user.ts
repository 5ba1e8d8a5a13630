import { createPasswords, listUsers, resetPassword } from '../identity/index.ts';
import type { CliWorld, Outcome } from './outcome.ts';
import { listed, lookedAt, wholeNumber, written } from './rows.ts';

export function listUsersCommand(world: CliWorld, { limit }: { limit?: string }): Promise<Outcome> {
  return lookedAt(world, async (db) => listed(await listUsers(db, { limit: wholeNumber(limit, '--limit') })));
}

/** For whoever locked themselves out: a new random password, shown once. Works beside a running server. */
export function resetPasswordCommand(world: CliWorld, username: string): Promise<Outcome> {
  return written(world, async ({ db, clock }) => {
    const password = await resetPassword({ db, clock, passwords: await createPasswords() }, username);
    if (password === undefined) return { exitCode: 1, text: `There is no user ${username}.`, json: { error: 'user not found' } };
    const text = `New password of ${username}: ${password}\nIt is shown only now. All sessions of this user have ended.`;
    return { exitCode: 0, text, json: { username, password } };
  });
}
