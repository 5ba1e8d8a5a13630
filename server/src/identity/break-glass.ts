import { tokenStatus } from '@tollgate/contract';
import { commandLine, recordAudit } from '../audit/index.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import { notifyChange } from '../storage/changes.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { hashStart, publicId } from './session-list.ts';
import { enableFault } from './token-status.ts';
import { lockedToken } from './token-view.ts';

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
}

/** Who is listed; absent = everybody. At most `limit` rows. */
interface Wanted {
  readonly username?: string | undefined;
  readonly limit: number;
}

/** Accounts that are not deleted, by id. Throws DatabaseError. */
export function listUsers({ read }: Pick<Database, 'read'>, { username, limit }: Wanted) {
  const query = read
    .selectFrom('users')
    .leftJoin('wallet', 'wallet.user_id', 'users.id')
    .select(['users.id', 'users.username', 'users.display_name', 'users.role', 'users.status', 'users.group_name as group'])
    .select(['users.created_at as created_time', 'wallet.available as quota', 'wallet.used_quota'])
    .where('users.deleted_at', 'is', null)
    .orderBy('users.id')
    .limit(limit);
  return (username === undefined ? query : query.where('users.username', '=', username)).execute();
}

/** Sessions that an epoch has not ended, the most recently used first; what stands in the cookie is known to nobody. Throws DatabaseError. */
export async function listSessions({ read }: Pick<Database, 'read'>, { username, limit }: Wanted) {
  const query = read
    .selectFrom('session')
    .innerJoin('users', 'users.id', 'session.user_id')
    .select(['session.id_hash', 'users.username', 'session.ip', 'session.user_agent'])
    .select(['session.created_at as created_time', 'session.seen_at as last_seen_time'])
    .whereRef('session.session_epoch', '=', 'users.session_epoch')
    .where('users.deleted_at', 'is', null)
    .orderBy('session.seen_at', 'desc')
    .orderBy('session.id_hash')
    .limit(limit);
  const rows = await (username === undefined ? query : query.where('users.username', '=', username)).execute();
  return rows.map(({ id_hash, ...row }) => ({ id: publicId(id_hash), ...row }));
}

/** One session by the id that the list shows, those of one user, or all. */
export type Condemned = { readonly id: number } | { readonly username: string } | 'all';

/** Sessions that one transaction ends: it is over long before it would be given up. */
const atOnce = 500;

/** Ends sessions, also on running servers; returns how many. Throws DatabaseError. */
export async function killSessions(parts: Parts, which: Condemned): Promise<number> {
  let all = 0;
  for (;;) {
    const ended = await killSome(parts, which);
    all += ended;
    if (ended < atOnce) return all;
  }
}

function killSome({ db, clock }: Parts, which: Condemned): Promise<number> {
  return db.transaction(async ({ query, perform }) => {
    const some = condemned(query, which).select('id_hash').orderBy('user_id').limit(atOnce);
    const ended = await query.deleteFrom('session').where('id_hash', 'in', some).returning('user_id').execute();
    const counts = new Map<number, number>();
    for (const { user_id } of ended) counts.set(user_id, (counts.get(user_id) ?? 0) + 1);
    const now = nowSeconds(clock);
    for (const [userId, sessions] of counts) {
      const event = { actor: commandLine, action: 'session.end', target: `user:${userId}`, detail: { sessions }, now } as const;
      await perform(recordAudit(event));
    }
    return ended.length;
  });
}

function condemned(query: Transaction['query'], which: Condemned) {
  const every = query.selectFrom('session');
  if (which === 'all') return every;
  if ('id' in which) return every.where('id_hash', 'like', `${hashStart(which.id)}%`);
  return every.where('user_id', 'in', query.selectFrom('users').select('id').where('username', '=', which.username));
}

/** Ends every session, and voids system tokens, codes and links; API tokens of the relay stay. Returns how many. Throws DatabaseError. */
export async function voidCredentials({ query }: Pick<Transaction, 'query'>) {
  const sessions = await query.deleteFrom('session').executeTakeFirst();
  const codes = await query.deleteFrom('one_time').executeTakeFirst();
  const accessTokens = await query
    .updateTable('users')
    .set({ access_token_hash: null })
    .where('access_token_hash', 'is not', null)
    .executeTakeFirst();
  return {
    sessions: Number(sessions.numDeletedRows),
    codes: Number(codes.numDeletedRows),
    accessTokens: Number(accessTokens.numUpdatedRows),
  };
}

/** API tokens without their keys, newest first. Throws DatabaseError. */
export function listTokens({ read }: Pick<Database, 'read'>, { username, limit }: Wanted) {
  const query = read
    .selectFrom('token')
    .innerJoin('users', 'users.id', 'token.user_id')
    .select(['token.id', 'users.username', 'token.name', 'token.status', 'token.group_name as group'])
    .select(['token.remain_quota', 'token.used_quota', 'token.unlimited_quota'])
    .select(['token.expired_at as expired_time', 'token.accessed_at as accessed_time'])
    .where('token.deleted_at', 'is', null)
    .orderBy('token.id', 'desc')
    .limit(limit);
  return (username === undefined ? query : query.where('users.username', '=', username)).execute();
}

/** Switches a token on or off, for running servers within a second; false = there is none. Throws PublicError where it may not be on. */
export function switchToken({ db, clock }: Parts, id: number, isOn: boolean): Promise<boolean> {
  return db.transaction(async (tx) => {
    const { query, perform } = tx;
    const now = nowSeconds(clock);
    const row = await lockedToken(tx, id).executeTakeFirst();
    if (row === undefined) return false;
    const fault = isOn ? enableFault(row, now) : undefined;
    if (fault !== undefined) throw new PublicError(fault);
    await query
      .updateTable('token')
      .set({ status: isOn ? tokenStatus.enabled : tokenStatus.disabled })
      .where('id', '=', id)
      .execute();
    await perform(notifyChange('token', String(id), now));
    const action = isOn ? 'token.enable' : 'token.disable';
    await perform(recordAudit({ actor: commandLine, action, target: `token:${id}`, now }));
    return true;
  });
}
