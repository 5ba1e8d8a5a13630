import { type CallLimits, logType, role, type UserUpdate } from '@tollgate/contract';
import { type AuditEvent, changesBetween } from '../audit/index.ts';
import { adjustBalance } from '../billing/index.ts';
import { PublicError } from '../platform/errors.ts';
import { formatLogQuota, type Options } from '../settings/index.ts';
import type { Transaction } from '../storage/database.ts';
import { insertSystemLog } from '../usage/index.ts';
import { changedNames, withNameKey } from './names.ts';
import type { UserFacts } from './types.ts';
import type { UserRow } from './user-view.ts';
import { endedCredentials } from './users.ts';
import { isOwnName } from './weak-passwords.ts';

export interface Edit {
  /** The user as of now, locked. */
  row: UserRow;
  change: UserUpdate;
  /** Of `change.password`; undefined = keep. */
  passwordHash: string | undefined;
  editor: UserFacts;
  options: Options;
  now: number;
}

/** Writes what differs; a new password ends every session. Returns the audit event, undefined when nothing differs. */
export async function editUser(tx: Transaction, edit: Edit): Promise<Pick<AuditEvent, 'action' | 'detail'> | undefined> {
  const { row, change, editor, passwordHash } = edit;
  if (change.role !== undefined && change.role >= editor.role && editor.role !== role.root) {
    throw new PublicError('user_level_raise');
  }
  if (passwordHash !== undefined && isOwnName(change.password, change.username || row.username)) {
    throw new PublicError('password_is_name');
  }
  const { group } = change;
  const regrouped = group !== '' && group !== row.group_name;
  if (regrouped && !edit.options.GroupRatio.has(group)) throw new PublicError('user_group_unknown', { group });
  const limits = limitsText(row.limits, change.limits);
  const names = {
    ...changedNames(row, change),
    ...(regrouped ? { group_name: group } : {}),
    ...(limits === row.limits ? {} : { limits }),
  };
  const password = passwordHash === undefined ? {} : passwordColumns(row, passwordHash);
  if (Object.keys(names).length + Object.keys(password).length > 0) {
    await tx.query
      .updateTable('users')
      .set({ ...withNameKey(names), ...password })
      .where('id', '=', row.id)
      .execute();
  }
  const quota = await editQuota(tx, edit);
  const detail = {
    ...changesBetween(row, names),
    ...(passwordHash === undefined ? {} : { password: 'changed' }),
    ...quota,
  };
  return Object.keys(detail).length === 0 ? undefined : { action: 'user.update', detail };
}

/** "" for a user without any, so that most rows stay short. */
function limitsText(before: string, limits: CallLimits | undefined): string {
  if (limits === undefined) return before;
  return Object.values(limits).every((limit) => limit === 0) ? '' : JSON.stringify(limits);
}

function passwordColumns(row: UserRow, passwordHash: string) {
  return {
    password_hash: passwordHash,
    default_password: 0,
    ...endedCredentials(row),
  };
}

/** An absent quota stays; the difference is one movement of the ledger with its log row. */
async function editQuota(tx: Transaction, { row, change, editor, options, now }: Edit): Promise<Record<string, unknown>> {
  if (change.quota === undefined) return {};
  const { quota: wanted, seen_quota: seen, seen_version: seenVersion, quota_reason: reason = '' } = change;
  // Existing tools send the bare figure and know of no reason (decision 0146).
  if (seen !== undefined && wanted !== seen && reason === '') throw new PublicError('quota_reason_missing');
  const adjustment = { userId: row.id, wanted, seen, seenVersion, actorId: editor.id, note: reason, now };
  const { before, after } = await tx.perform(adjustBalance(adjustment));
  if (before === after) return {};
  const [from, to] = [formatLogQuota(before, options), formatLogQuota(after, options)];
  const content = `管理员将用户额度从 ${from}修改为 ${to}${reason === '' ? '' : `，原因：${reason}`}`;
  await insertSystemLog(tx, { type: logType.admin, userId: row.id, username: row.username, now, content });
  return { quota: { from: before, to: after, ...(reason !== '' && { reason }) } };
}
