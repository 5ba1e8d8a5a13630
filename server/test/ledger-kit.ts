import { createTokenQuota, openWallet, transfer } from '../src/billing/index.ts';
import type { HoldRequest, LogDraft } from '../src/billing/types.ts';
import { blankUser } from '../src/identity/registration.ts';
import type { Database } from '../src/storage/database.ts';

/** A log draft whose only interesting fields are given. */
export function draftOf(id: string, userId: number, tokenId: number, fields: Partial<LogDraft> = {}): LogDraft {
  return {
    type: 2,
    userId,
    username: `user${userId}`,
    tokenId,
    tokenName: `token${tokenId}`,
    model: 'gpt-4o-mini',
    channelId: 1,
    group: 'default',
    promptTokens: 10,
    completionTokens: 20,
    useTime: 1,
    isStream: false,
    content: '',
    other: '{}',
    requestId: id,
    ip: '',
    receipt: '{}',
    ...fields,
  };
}

/** A hold of `amount` from time 1000 to 1120. */
export function holdOf(
  id: string,
  userId: number,
  tokenId: number,
  amount: number,
  fields: Partial<HoldRequest> = {},
): HoldRequest {
  return {
    id,
    userId,
    tokenId,
    amount,
    floorCost: 0,
    node: 'n1',
    now: 1000,
    leaseUntil: 1120,
    draft: draftOf(id, userId, tokenId),
    ...fields,
  };
}

/** A user's wallet with `quota` granted. */
export async function giveWallet(db: Database, userId: number, quota: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.perform(openWallet(userId));
    if (quota > 0) await tx.perform(transfer(grant(userId, quota, `grant:${userId}`)));
  });
}

export function grant(userId: number, amount: number, ref: string): Parameters<typeof transfer>[0] {
  return { from: 'grant', to: `user:${userId}`, amount, kind: 'grant', ref, userId, actorId: 0, now: 1, note: '' };
}

/** The row of a user who has a wallet, under the name that `draftOf` gives. */
export async function giveUser(db: Database, userId: number, username = `user${userId}`): Promise<void> {
  const named = { id: userId, username, display_name: username, password_hash: '', aff_code: username };
  await db.transaction((tx) =>
    tx.query
      .insertInto('users')
      .values({ ...blankUser(1), ...named })
      .execute(),
  );
}

/** An open hold is gone with all that it did, as in a standby that took over and had got nothing since. */
export async function forgetHold(db: Database, id: string): Promise<void> {
  await db.transaction(async ({ query }) => {
    const gone = await query.deleteFrom('hold').where('id', '=', id).returningAll().executeTakeFirstOrThrow();
    await query
      .updateTable('wallet')
      .set((column) => ({ available: column('available', '+', gone.amount), held: column('held', '-', gone.amount) }))
      .where('user_id', '=', gone.user_id)
      .execute();
    const token = query.updateTable('token').where('id', '=', gone.token_id);
    await token.set((column) => ({ held_quota: column('held_quota', '-', gone.amount) })).execute();
    await token
      .set((column) => ({ remain_quota: column('remain_quota', '+', gone.amount) }))
      .where('unlimited_quota', '=', 0)
      .execute();
  });
}

/** Inserts a token and returns its id. */
export async function giveToken(db: Database, userId: number, quota: { remain: number; unlimited: boolean }): Promise<number> {
  const row = await db.transaction((tx) =>
    tx.query
      .insertInto('token')
      .values({
        user_id: userId,
        key_hmac: `k${Math.random()}`,
        key_sealed: '',
        name: 't',
        status: 1,
        created_at: 1,
        accessed_at: 0,
        expired_at: -1,
        model_limits_enabled: 0,
        model_limits: '',
        allow_ips: '',
        group_name: '',
        deleted_at: null,
        ...createTokenQuota(quota),
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  return row.id;
}

export async function walletOf(
  db: Database,
  userId: number,
): Promise<{ available: number; held: number; used: number; count: number }> {
  const row = await db.read.selectFrom('wallet').selectAll().where('user_id', '=', userId).executeTakeFirstOrThrow();
  return { available: row.available, held: row.held, used: row.used_quota, count: row.request_count };
}

export async function tokenOf(
  db: Database,
  tokenId: number,
): Promise<{ granted: number; remain: number; used: number; held: number; status: number }> {
  const row = await db.read.selectFrom('token').selectAll().where('id', '=', tokenId).executeTakeFirstOrThrow();
  return {
    granted: row.granted_quota,
    remain: row.remain_quota,
    used: row.used_quota,
    held: row.held_quota,
    status: row.status,
  };
}
