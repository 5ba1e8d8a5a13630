import { role, userStatus } from '@tollgate/contract';
import { factorSecret, type ImportedUser } from '../identity/index.ts';
import type { Row } from './source.ts';
import { exactNumber, isBeyond32Bit, isDeleted, jsonObject, seconds, text, whole } from './values.ts';

/** What a user has at the source; quota. */
export interface Figures {
  readonly balance: number;
  readonly used: number;
  readonly requests: number;
  readonly affiliate: number;
}

export interface MappedUser {
  readonly key: string;
  readonly user: Omit<ImportedUser, 'inviterId'>;
  /** The source's id of who invited; 0 = nobody. */
  readonly inviter: number;
  readonly figures: Figures;
  /** What the balance was below zero, as a positive amount. */
  readonly debt: number;
  /** Of an authenticator; "" = has none that can come along. */
  readonly factor: string;
  readonly notes: readonly string[];
  /** The settings as an import of before wrote them, without the webhook that warns of a low balance; absent = as now. */
  readonly settingBefore?: string;
  /** Deleted there since it was brought over. */
  readonly isGone?: true;
}

const deletedStatus = 3;
/** How a user is warned of a low balance; "" = never chosen. */
const knownWays: ReadonlySet<unknown> = new Set(['', 'email', 'webhook']);
const amounts = { balance: 'quota', used: 'used_quota', requests: 'request_count', affiliate: 'aff_quota' } as const;
/** Settings that mean the same here and hold no secret. */
const settings = [
  'notify_type',
  'quota_warning_threshold',
  'webhook_url',
  'notification_email',
  'accept_unset_model_ratio_model',
] as const;

/** Why a user stays away. `gone`: one who was brought over before and was deleted since, as it is here from then on. */
type SkippedUser = { readonly key: string; readonly skip: 'deleted' | 'overflow'; readonly gone?: MappedUser };

/** A user as it will be here, or why it stays away. `enrolled`: the secret of an authenticator that another table has. */
export function mapUser(row: Row, enrolled = ''): MappedUser | SkippedUser {
  const key = text(row, 'id');
  if (isDeleted(row) || whole(row, 'status') === deletedStatus) return { key, skip: 'deleted', gone: goneUser(key, row) };
  const read = Object.entries(amounts).map(([name, column]) => [name, amount(row, column)] as const);
  if (read.some(([, value]) => value === undefined)) return { key, skip: 'overflow' };
  const raw = Object.fromEntries(read) as unknown as Figures;
  const secret = text(row, 'totp_secret') || enrolled;
  const factor = factorSecret(secret);
  const notes = [
    ...(raw.balance < 0 ? ['negative'] : []),
    ...(Object.values(raw).some(isBeyond32Bit) ? ['beyond_32_bit'] : []),
    ...(secret !== '' && factor === undefined ? ['second_factor'] : []),
  ];
  if (isLockedOut(row)) notes.push('door_lost');
  const setting = jsonObject(text(row, 'setting'));
  if (setting === undefined) notes.push('bad_json');
  if (isUnsigned(setting ?? {})) notes.push('webhook_unsigned');
  if (!knownWays.has(setting?.notify_type ?? '')) notes.push('other_way');
  const positive = (value: number): number => Math.max(0, value);
  const figures = {
    balance: positive(raw.balance),
    used: positive(raw.used),
    requests: positive(raw.requests),
    affiliate: positive(raw.affiliate),
  };
  return {
    key,
    user: { ...profileOf(row), setting: settingText(setting ?? {}) },
    inviter: whole(row, 'inviter_id'),
    figures,
    debt: positive(-raw.balance),
    factor: factor ?? '',
    notes,
    ...(setting?.notify_type === 'webhook' ? { settingBefore: settingText({ ...setting, notify_type: undefined }) } : {}),
  };
}

const doors = ['github_id_new', 'github_id', 'oidc_id', 'wechat_id', 'telegram_id', 'linux_do_id'] as const;
const otherDoors = ['discord_id', 'lark_id'] as const;

/** Came in by a door that is not here, and has neither another one nor an address for a new password. */
function isLockedOut(row: Row): boolean {
  const has = (column: string): boolean => identity(row, column) !== '';
  return otherDoors.some(has) && !['password', 'email', ...doors].some(has);
}

function goneUser(key: string, row: Row): MappedUser {
  const user = { ...profileOf(row), status: userStatus.disabled, accessToken: '', setting: '' };
  // What was spent stays spent.
  const spent = (column: string): number => Math.max(0, amount(row, column) ?? 0);
  const figures = { balance: 0, used: spent(amounts.used), requests: spent(amounts.requests), affiliate: 0 };
  return { key, user, inviter: 0, figures, debt: 0, factor: '', notes: ['deleted_since'], isGone: true };
}

/** Absent columns are 0; what cannot be held exactly is undefined. */
function amount(row: Row, column: string): number | undefined {
  const value = row[column];
  return value === null || value === undefined ? 0 : exactNumber(value);
}

function profileOf(row: Row): Omit<ImportedUser, 'inviterId' | 'setting'> {
  // Nobody is found, and nobody signs in, without one.
  const username = text(row, 'username') || `user${text(row, 'id')}`;
  return {
    username,
    displayName: text(row, 'display_name') || username,
    passwordHash: text(row, 'password'),
    role: roleOf(whole(row, 'role', role.common)),
    status: whole(row, 'status') === userStatus.enabled ? userStatus.enabled : userStatus.disabled,
    email: text(row, 'email'),
    // Of digits alone it is an id: newer versions of the sources write that where older ones wrote the login.
    github_id: identity(row, 'github_id_new') || identity(row, 'github_id'),
    oidc_id: identity(row, 'oidc_id'),
    wechat_id: identity(row, 'wechat_id'),
    telegram_id: identity(row, 'telegram_id'),
    linux_do_id: identity(row, 'linux_do_id'),
    accessToken: text(row, 'access_token'),
    group: text(row, 'group') || 'default',
    inviteCode: text(row, 'aff_code'),
    inviteCount: whole(row, 'aff_count'),
    inviteHistory: Math.max(0, whole(row, 'aff_history')),
    createdAt: seconds(row, 'created_at') || seconds(row, 'created_time'),
  };
}

/** Numbers that are no role of ours give no right. */
function roleOf(number: number): number {
  return number === role.root || number === role.admin ? number : role.common;
}

/** 0 is what an unset number looks like. */
function identity(row: Row, column: string): string {
  const value = text(row, column);
  return value === '0' ? '' : value;
}

/** Warned by a webhook whose receiver checks a signature. */
function isUnsigned({ notify_type: way, webhook_secret: secret }: Readonly<Record<string, unknown>>): boolean {
  return way === 'webhook' && typeof secret === 'string' && secret !== '';
}

function settingText(setting: Readonly<Record<string, unknown>>): string {
  const kept = Object.fromEntries(settings.flatMap((key) => (setting[key] === undefined ? [] : [[key, setting[key]]])));
  return Object.keys(kept).length === 0 ? '' : JSON.stringify(kept);
}
