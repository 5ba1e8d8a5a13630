import { readEnv } from '../env.ts';
import { createPasswords, resetPassword } from '../identity/index.ts';
import { openStorage, openStorageForReading } from '../main-storage.ts';
import type { CliWorld, Outcome } from './outcome.ts';

/** For whoever locked themselves out: a new random password, shown once. Works beside a running server. */
export async function resetPasswordCommand({ env, clock }: CliWorld, username: string): Promise<Outcome> {
  const settings = readEnv(env);
  // Opening for writing would create a database where there is none.
  await (await openStorageForReading(settings, clock)).close();
  const db = await openStorage(settings, clock);
  try {
    const password = await resetPassword({ db, clock, passwords: await createPasswords() }, username);
    if (password === undefined) return { exitCode: 1, text: `There is no user ${username}.`, json: { error: 'user not found' } };
    const text = `New password of ${username}: ${password}\nIt is shown only now. All sessions of this user have ended.`;
    return { exitCode: 0, text, json: { username, password } };
  } finally {
    await db.close();
  }
}
