import { logType } from '@tollgate/contract';
import { notifyChange } from '../../storage/changes.ts';
import type { Transaction } from '../../storage/database.ts';

/** What a row says that tells of no call. */
export const blankLog = {
  token_id: 0,
  token_name: '',
  model_name: '',
  channel_id: 0,
  group_name: '',
  quota: 0,
  shortfall: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  use_time: 0,
  is_stream: 0,
  other: '',
  request_id: '',
  ip: '',
  receipt: '',
};

/** A log row that records an event and charges nothing (contract 8.5). */
export interface SystemLog {
  type: number;
  userId: number;
  username: string;
  /** Unix seconds. */
  now: number;
  content: string;
}

/** Writes the row inside the transaction of the event it tells of. Charges are logged by the ledger alone. */
export async function insertSystemLog(tx: Transaction, log: SystemLog): Promise<void> {
  if (log.type === logType.consume) throw new RangeError('consumption rows are written by the ledger');
  await tx.query
    .insertInto('log')
    .values({
      ...blankLog,
      created_at: log.now,
      type: log.type,
      user_id: log.userId,
      username: log.username,
      content: log.content,
    })
    .execute();
}

/** The same for an event that moved the user's balance, of which the nodes are told. A name that is absent is looked up. */
export async function logBalanceChange(
  tx: Transaction,
  { username, ...log }: Omit<SystemLog, 'username'> & { username?: string | undefined },
): Promise<void> {
  const known = username ?? (await usernameOf(tx, log.userId));
  await insertSystemLog(tx, { ...log, username: known });
  await tx.perform(notifyChange('user', String(log.userId), log.now));
}

async function usernameOf(tx: Transaction, userId: number): Promise<string> {
  const user = await tx.query.selectFrom('users').select('username').where('id', '=', userId).executeTakeFirst();
  return user?.username ?? '';
}
