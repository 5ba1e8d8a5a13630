import { role, userStatus } from '@tollgate/contract';
import type { Database } from '../storage/database.ts';
import { type Preferences, readPreferences } from './preferences.ts';

/** Somebody who may be told something. */
export interface Recipient {
  readonly userId: number;
  /** Of the account; "" = none. */
  readonly email: string;
  readonly preferences: Preferences;
}

interface GroupedRecipient extends Recipient {
  readonly group: string;
}

interface Range {
  readonly audience: 'user' | 'root' | 'all';
  /** Of the audience `user`. */
  readonly userId: number;
  readonly after: number;
  readonly limit: number;
}

/** The next users of an audience by number, without those who may not come in. */
export async function readRecipients({ read }: Pick<Database, 'read'>, range: Range): Promise<GroupedRecipient[]> {
  const { audience, userId, after, limit } = range;
  const all = read
    .selectFrom('users')
    .select(['id', 'email', 'group_name', 'setting'])
    .where('id', '>', after)
    .where('status', '=', userStatus.enabled)
    .where('deleted_at', 'is', null);
  const some = {
    all: () => all,
    root: () => all.where('role', '=', role.root),
    user: () => all.where('id', '=', userId),
  }[audience]();
  const rows = await some.orderBy('id').limit(limit).execute();
  return rows.map(({ id, email, group_name: group, setting }) => ({
    ...{ userId: id, email: email ?? '', group },
    preferences: readPreferences(setting),
  }));
}

export async function readRecipient(db: Pick<Database, 'read'>, userId: number): Promise<GroupedRecipient | undefined> {
  const [recipient] = await readRecipients(db, { audience: 'user', userId, after: 0, limit: 1 });
  return recipient;
}
