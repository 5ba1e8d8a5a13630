import {
  type NotifyEvent,
  type NotifyWay,
  notifyEventNames,
  notifyEvents,
  notifyWays,
  type QuietHours,
  quietHours,
  type SettingInput,
  type Subscriptions,
  type UserSetting,
} from '@tollgate/contract';
import { asObject, parseObject } from '@tollgate/wire';
import { type Crypto, openedOrNone } from '../platform/crypto.ts';
import { PublicError } from '../platform/errors.ts';
import { UserFetchRefused, vettedAddress } from '../platform/http/user-address.ts';
import type { SealedColumn } from '../storage/reseal.ts';
import { isTimezone } from './quiet.ts';
import { robotKey } from './robot-key.ts';

/** `users.setting` as it is stored: JSON with secrets sealed under `sealBinding`. */
export interface Preferences {
  readonly subscriptions?: Subscriptions;
  readonly quota_warning_threshold?: number;
  readonly webhook_url?: string;
  readonly notification_email?: string;
  readonly wxpusher_uid?: string;
  readonly quiet_hours?: QuietHours;
  readonly accept_unset_model_ratio_model?: true;
  readonly webhook_secret?: string;
  readonly wecom_key?: string;
  readonly dingtalk_key?: string;
  readonly dingtalk_secret?: string;
}

/** Sealed in storage, never in an answer. */
const secrets = ['webhook_secret', 'wecom_key', 'dingtalk_key', 'dingtalk_secret'] as const;
type Secret = (typeof secrets)[number];
const texts = ['webhook_url', 'notification_email', 'wxpusher_uid', ...secrets] as const;

/** Addresses that mail can be sent to; whether one exists, only mail can tell. */
const mailAddress = /^[^\s@<>"(),:;\\]{1,64}@[^\s@<>"(),:;\\]+\.[^\s@<>"(),:;\\]+$/;

/** What is stored; unknown keys of imported rows are dropped. */
export function readPreferences(text: string): Preferences {
  return pick(text === '' ? {} : (parseObject(text) ?? {}));
}

function pick(value: Record<string, unknown>): Preferences {
  const named = texts.flatMap((key) => (typeof value[key] === 'string' && value[key] !== '' ? [[key, value[key]]] : []));
  const subscriptions = subscriptionsIn(value);
  const quiet = quietHours.safeParse(value.quiet_hours);
  return {
    ...(subscriptions === undefined ? {} : { subscriptions }),
    ...(typeof value.quota_warning_threshold === 'number' ? { quota_warning_threshold: value.quota_warning_threshold } : {}),
    ...(Object.fromEntries(named) as Preferences),
    ...(quiet.success ? { quiet_hours: quiet.data } : {}),
    ...(value.accept_unset_model_ratio_model === true ? { accept_unset_model_ratio_model: true } : {}),
  };
}

/** Rows from elsewhere know one way for the quota warning alone. */
function subscriptionsIn({ subscriptions, notify_type: way }: Record<string, unknown>): Subscriptions | undefined {
  const stored = asObject(subscriptions);
  if (stored !== undefined) return knownSubscriptions(stored);
  return way === 'email' || way === 'webhook' ? { quota_warning: [way] } : undefined;
}

function knownSubscriptions(stored: Readonly<Record<string, unknown>>): Subscriptions {
  const known = notifyEventNames.flatMap((event) => {
    const ways = stored[event];
    return Array.isArray(ways) ? [[event, notifyWays.filter((way) => ways.includes(way))]] : [];
  });
  return Object.fromEntries(known) as Subscriptions;
}

/** The ways by which this user wants to hear of an event. */
export function waysFor({ subscriptions }: Preferences, event: NotifyEvent): readonly NotifyWay[] {
  return subscriptions?.[event] ?? notifyEvents[event].usual;
}

/** The stored text as answers carry it: without secrets. "" stays "". */
export function shownSetting(text: string): string {
  if (text === '') return '';
  const { wxpusher_uid: uid, ...stored } = readPreferences(text);
  const plain = Object.fromEntries(Object.entries(stored).filter(([key]) => !secrets.some((secret) => secret === key)));
  const shown: UserSetting = {
    ...plain,
    notify_type: typeOf(stored),
    webhook_secret: '',
    ...Object.fromEntries(secrets.map((key) => [`${key}_set`, stored[key] !== undefined])),
    wxpusher_bound: uid !== undefined,
  };
  return JSON.stringify(shown);
}

/** The quota warning's way as clients know it that know but one. */
function typeOf(stored: Preferences): 'email' | 'webhook' {
  const ways = waysFor(stored, 'quota_warning');
  return ways.includes('webhook') && !ways.includes('email') ? 'webhook' : 'email';
}

/** What seals and opens the secrets of one user. */
interface Seal {
  readonly crypto: Crypto;
  readonly userId: number;
}

/**
 * The text to store for what a user sent. A blank secret keeps the present one while it goes to the same place.
 * Throws PublicError with the texts of contract 8.8.
 */
export function settingText(input: SettingInput, stored: string, seal: Seal & { readonly hasWorker: boolean }): string {
  const before = readPreferences(stored);
  const threshold = input.quota_warning_threshold ?? 0;
  const subscriptions = { ...before.subscriptions, ...wantedOf(input) };
  if (!(threshold > 0) || !Number.isFinite(threshold)) throw new PublicError('notify_threshold_low');
  if (waysFor({ subscriptions }, 'quota_warning').includes('webhook') && input.webhook_url === '')
    throw new PublicError('webhook_missing');
  if (input.webhook_url !== '' && !isReachable(input.webhook_url, seal)) throw new PublicError('webhook_invalid');
  if (input.notification_email !== '' && !mailAddress.test(input.notification_email)) throw new PublicError('email_invalid');
  const { wxpusher_uid } = before;
  return preferencesText({
    subscriptions,
    quota_warning_threshold: threshold,
    webhook_url: input.webhook_url,
    notification_email: input.notification_email,
    ...(wxpusher_uid === undefined ? {} : { wxpusher_uid }),
    ...quietOf(input, before),
    ...secretsOf(input, before, seal),
    ...(input.accept_unset_model_ratio_model ? { accept_unset_model_ratio_model: true } : {}),
  });
}

/** What every delivery would be refused for is refused here. A worker is asked for https alone (contract 8.9). */
function isReachable(address: string, { hasWorker }: { readonly hasWorker: boolean }): boolean {
  try {
    return vettedAddress(address).protocol === 'https:' || !hasWorker;
  } catch (error) {
    if (error instanceof UserFetchRefused) return false;
    throw error;
  }
}

export function preferencesText(preferences: Preferences): string {
  return JSON.stringify(preferences);
}

function wantedOf({ subscriptions, notify_type: way }: SettingInput): Subscriptions {
  if (subscriptions !== undefined) return knownSubscriptions(subscriptions);
  if (way === undefined) throw new PublicError('invalid_parameters');
  if (way !== 'email' && way !== 'webhook') throw new PublicError('notify_type_unknown');
  return { quota_warning: [way] };
}

function quietOf({ quiet_hours: quiet }: SettingInput, before: Preferences): Pick<Preferences, 'quiet_hours'> {
  const kept = quiet === undefined ? before.quiet_hours : quiet;
  if (kept === undefined || kept === null) return {};
  if (!isTimezone(kept.timezone)) throw new PublicError('invalid_parameters');
  return { quiet_hours: kept };
}

type Sealed = Pick<Preferences, Secret>;

function secretsOf(input: SettingInput, before: Preferences, { crypto, userId }: Seal): Sealed {
  const seal = (key: Secret, plain: string) => ({ [key]: crypto.seal(plain, sealBinding(userId, key)) });
  const kept = (key: Secret) => (before[key] === undefined ? {} : { [key]: before[key] });
  const sameOrigin =
    originOf(input.webhook_url) !== undefined && originOf(input.webhook_url) === originOf(before.webhook_url ?? '');
  const robot = (key: 'wecom_key' | 'dingtalk_key'): Sealed => {
    const entered = input[key];
    if (entered === undefined || entered === '') return kept(key);
    return entered === null ? {} : seal(key, robotKey(key, entered));
  };
  const dingtalkSecret = (): Sealed => {
    const { dingtalk_secret: entered, dingtalk_key: key } = input;
    if (key === null || entered === null) return {};
    if (entered !== undefined && entered !== '') return seal('dingtalk_secret', entered);
    // Another robot has another secret.
    return key === undefined || key === '' ? kept('dingtalk_secret') : {};
  };
  return {
    ...(input.webhook_secret === '' ? (sameOrigin ? kept('webhook_secret') : {}) : seal('webhook_secret', input.webhook_secret)),
    ...robot('wecom_key'),
    ...robot('dingtalk_key'),
    ...dingtalkSecret(),
  };
}

function sealBinding(userId: number, key: Secret): string {
  return `users/setting/${key}/${userId}`;
}

/** Where they lie sealed: in a text that holds other things, too. */
export const sealedPreferences: SealedColumn = {
  table: 'users',
  key: 'id',
  column: 'setting',
  binding: () => undefined,
  within(row, move) {
    const text = String(row.setting);
    const value = parseObject(text);
    if (value === undefined || !secrets.some((key) => typeof value[key] === 'string')) return text;
    const moved = secrets.flatMap((key) => {
      const sealed = value[key];
      return typeof sealed === 'string' && sealed !== '' ? [[key, move(sealed, sealBinding(Number(row.id), key))]] : [];
    });
    return JSON.stringify({ ...value, ...Object.fromEntries(moved) });
  },
};

/** A secret in clear; "" where there is none, or none that this master key opens. */
export function openSecret(preferences: Preferences, key: Secret, { crypto, userId }: Seal): string {
  const sealed = preferences[key];
  return sealed === undefined ? '' : openedOrNone(crypto, sealed, sealBinding(userId, key));
}

/** http or https, with a host and without credentials; undefined otherwise. */
function originOf(address: string): string | undefined {
  const url = URL.parse(address);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  return isWeb && url.username === '' && url.password === '' && url.host !== '' ? url.origin : undefined;
}
