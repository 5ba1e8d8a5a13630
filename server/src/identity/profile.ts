import { logType, role, type SettingInput } from '@tollgate/contract';
import { type AuditEvent, recordAudit } from '../audit/index.ts';
import { collectOwed, LedgerRefusal, transfer, voidRewardsFor } from '../billing/index.ts';
import { settingText } from '../notify/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { sha256 } from '../platform/crypto.ts';
import { PublicError } from '../platform/errors.ts';
import { workerOf } from '../platform/http/user-address.ts';
import { randomAlphanumerics } from '../platform/ids.ts';
import { formatLogQuota, formatQuota } from '../settings/index.ts';
import { notifyChange } from '../storage/changes.ts';
import type { Transaction } from '../storage/database.ts';
import { logBalanceChange } from '../usage/index.ts';
import { actorFor } from './audit.ts';
import type { AccountDeps } from './deps.ts';
import { forgetDevices } from './devices.ts';
import { freshInviteCode } from './registration.ts';
import type { Caller, UserFacts } from './types.ts';
import type { UserRow } from './user-view.ts';
import { endedCredentials, lockSelf } from './users.ts';

/** What users do to their own account, beside names and password. */
export interface Profile {
  /** A new system access token; the old one is dead. Stored as a hash only. */
  rotateAccessToken(user: UserFacts, caller: Caller): Promise<string>;
  /** Own invite code; imported users get theirs when they first ask. */
  inviteCode(user: UserFacts): Promise<string>;
  /** Moves pending invite earnings to the balance. */
  transferInvites(user: UserFacts, quota: number, caller: Caller): Promise<void>;
  saveSetting(user: UserFacts, input: SettingInput): Promise<void>;
  /** Writes down that all that is kept about the user was handed out. */
  noteExport(user: UserFacts, caller: Caller): Promise<void>;
  /** Deregisters; throws PublicError `self_root_delete` for root. */
  removeSelf(user: UserFacts, caller: Caller): Promise<void>;
}

/** 262 bits. */
const accessTokenLength = 44;

export function createProfile(deps: AccountDeps): Profile {
  return {
    rotateAccessToken: (user, caller) => rotateAccessToken(deps, user, caller),
    inviteCode: (user) => inviteCode(deps, user),
    transferInvites: (user, quota, caller) => transferInvites(deps, user, quota, caller),
    async saveSetting(user, input) {
      const hasWorker = workerOf(deps.options()) !== undefined;
      await changeSelf(deps, user, async (tx, row) => {
        const setting = settingText(input, row.setting, { crypto: deps.crypto, userId: user.id, hasWorker });
        await tx.query.updateTable('users').set({ setting }).where('id', '=', user.id).execute();
      });
    },
    noteExport: (user, caller) =>
      changeSelf(deps, user, async (_tx, _row, now) => {
        return { actor: actorFor(user, caller), action: 'user.export', target: `user:${user.id}`, now };
      }).then(() => undefined),
    async removeSelf(user, caller) {
      await changeSelf(deps, user, async (tx, row, now) => {
        if (row.role === role.root) throw new PublicError('self_root_delete');
        const columns = { deleted_at: now, ...endedCredentials(row) };
        await tx.query.updateTable('users').set(columns).where('id', '=', user.id).execute();
        await forgetDevices(tx, user.id);
        await voidRewardsFor(tx, row);
        return { actor: actorFor(user, caller), action: 'user.deregister', target: `user:${user.id}`, now };
      });
    },
  };
}

async function rotateAccessToken(deps: AccountDeps, user: UserFacts, caller: Caller): Promise<string> {
  const token = randomAlphanumerics(accessTokenLength);
  await changeSelf(deps, user, async (tx, _row, now) => {
    await tx.query
      .updateTable('users')
      .set({ access_token_hash: sha256(token) })
      .where('id', '=', user.id)
      .execute();
    return { actor: actorFor(user, caller), action: 'access_token.rotate', target: `user:${user.id}`, now };
  });
  return token;
}

async function inviteCode(deps: AccountDeps, user: UserFacts): Promise<string> {
  const row = await deps.db.read.selectFrom('users').select('aff_code').where('id', '=', user.id).executeTakeFirst();
  if (row?.aff_code) return row.aff_code;
  return changeSelf(deps, user, async (tx, present) => {
    if (present.aff_code !== '') return present.aff_code;
    const code = await freshInviteCode(tx);
    await tx.query.updateTable('users').set({ aff_code: code }).where('id', '=', user.id).execute();
    return code;
  });
}

async function transferInvites(deps: AccountDeps, user: UserFacts, quota: number, caller: Caller): Promise<void> {
  const options = deps.options();
  if (quota < options.QuotaPerUnit) {
    throw new PublicError('invite_transfer_minimum', { amount: formatQuota(options.QuotaPerUnit, options) });
  }
  // Made before the transaction, whose body may run again: the same wish is one movement.
  const ref = `affiliate:${user.id}:${randomAlphanumerics(16)}`;
  const account = `user:${user.id}`;
  const now = nowSeconds(deps.clock);
  const movement = { from: `${account}:affiliate`, to: account, amount: quota, ref, userId: user.id, actorId: user.id, now };
  try {
    await deps.db.transaction(async (tx) => {
      await collectOwed(tx, { inviterId: user.id, actorId: user.id, options, now });
      await tx.perform(transfer({ ...movement, kind: 'affiliate', note: '' }));
      const content = `邀请额度划转 ${formatLogQuota(quota, options)}`;
      await logBalanceChange(tx, { type: logType.system, userId: user.id, username: user.username, now, content });
      const event = { actor: actorFor(user, caller), target: `user:${user.id}`, detail: { quota }, now };
      await tx.perform(recordAudit({ ...event, action: 'invite.transfer' }));
    });
  } catch (error) {
    if (error instanceof LedgerRefusal && error.code === 'insufficient') throw new PublicError('invite_transfer_insufficient');
    throw error;
  }
  deps.changes.notify();
}

type SelfWrite<T> = (tx: Transaction, row: UserRow, now: number) => Promise<T>;

/**
 * One write to the caller's own row, under its lock. What ended the caller's session meanwhile wins. An audit event that
 * `write` returns is recorded.
 */
async function changeSelf<T>(deps: AccountDeps, user: UserFacts, write: SelfWrite<T>): Promise<T> {
  const now = nowSeconds(deps.clock);
  const result = await deps.db.transaction(async (tx) => {
    const row = await lockSelf(tx, user);
    const written = await write(tx, row, now);
    await tx.perform(notifyChange('user', String(user.id), now));
    if (isEvent(written)) await tx.perform(recordAudit(written));
    return written;
  });
  deps.changes.notify();
  return result;
}

function isEvent(value: unknown): value is AuditEvent {
  return typeof value === 'object' && value !== null && 'action' in value;
}
