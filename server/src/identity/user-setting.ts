import type { SettingInput, UserSetting } from '@tollgate/contract';
import type { Crypto } from '../platform/crypto.ts';
import { PublicError } from '../platform/errors.ts';

/** Addresses that mail can be sent to; whether one exists, only mail can tell. */
const mailAddress = /^[^\s@<>"(),:;\\]{1,64}@[^\s@<>"(),:;\\]+\.[^\s@<>"(),:;\\]+$/;

/** What is stored; unknown keys of imported rows are dropped. */
export function parseSetting(text: string): UserSetting {
  try {
    const value: unknown = text === '' ? {} : JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? pick(value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function pick(value: Record<string, unknown>): UserSetting {
  const text = (key: string) => (typeof value[key] === 'string' ? { [key]: value[key] } : {});
  return {
    ...(value.notify_type === 'email' || value.notify_type === 'webhook' ? { notify_type: value.notify_type } : {}),
    ...(typeof value.quota_warning_threshold === 'number' ? { quota_warning_threshold: value.quota_warning_threshold } : {}),
    ...text('webhook_url'),
    ...text('webhook_secret'),
    ...text('notification_email'),
    ...(value.accept_unset_model_ratio_model === true ? { accept_unset_model_ratio_model: true } : {}),
  };
}

/** The stored text as answers carry it: without the secret. "" stays "". */
export function shownSetting(text: string): string {
  if (text === '') return '';
  const { webhook_secret: secret = '', ...setting } = parseSetting(text);
  return JSON.stringify({ ...setting, webhook_secret: '', webhook_secret_set: secret !== '' });
}

/**
 * The text to store for what a user sent. A blank secret keeps the present one while the address keeps its origin
 * . Throws PublicError with the texts of contract 8.8.
 */
export function settingText(input: SettingInput, stored: string, seal: { crypto: Crypto; userId: number }): string {
  if (input.notify_type !== 'email' && input.notify_type !== 'webhook') throw new PublicError('notify_type_unknown');
  const threshold = input.quota_warning_threshold ?? 0;
  if (!(threshold > 0) || !Number.isFinite(threshold)) throw new PublicError('notify_threshold_low');
  if (input.notify_type === 'webhook' && input.webhook_url === '') throw new PublicError('webhook_missing');
  if (input.webhook_url !== '' && originOf(input.webhook_url) === undefined) throw new PublicError('webhook_invalid');
  if (input.notification_email !== '' && !mailAddress.test(input.notification_email)) throw new PublicError('email_invalid');
  const setting: UserSetting = {
    notify_type: input.notify_type,
    quota_warning_threshold: threshold,
    webhook_url: input.webhook_url,
    webhook_secret: webhookSecret(input, parseSetting(stored), seal),
    notification_email: input.notification_email,
    accept_unset_model_ratio_model: input.accept_unset_model_ratio_model,
  };
  return JSON.stringify(setting);
}

function webhookSecret(input: SettingInput, before: UserSetting, { crypto, userId }: { crypto: Crypto; userId: number }): string {
  if (input.webhook_secret !== '') return crypto.seal(input.webhook_secret, webhookBinding(userId));
  const sameOrigin = originOf(input.webhook_url) !== undefined && originOf(input.webhook_url) === originOf(before.webhook_url);
  return sameOrigin ? (before.webhook_secret ?? '') : '';
}

function webhookBinding(userId: number): string {
  return `users/setting/webhook_secret/${userId}`;
}

/** http or https, with a host and without credentials; undefined otherwise. */
function originOf(address = ''): string | undefined {
  const url = URL.parse(address);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  return isWeb && url.username === '' && url.password === '' && url.host !== '' ? url.origin : undefined;
}
