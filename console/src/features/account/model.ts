import type { User, UserSetting } from '@tollgate/contract';
import {
  account_display_long,
  account_display_missing,
  notice_threshold_low,
  notice_url_invalid,
  notice_url_missing,
  password_mismatch,
  password_too_long,
  password_too_short,
  register_username_missing,
  register_username_too_long,
} from '../../i18n/generated/messages.ts';
import { parseRecord } from '../../lib/json.ts';
import { type MoneyFormat, parseQuota } from '../../lib/money.ts';
import { addressFault } from '../../ui/signin/address.ts';
import type { Names } from './queries.ts';

const usernameMax = 12;
const displayNameMax = 20;
const passwordMin = 8;
const passwordMax = 128;

type Faults<Name extends string> = Partial<Record<Name, string>>;
const lengthOf = (text: string): number => [...text].length;

type PasswordField = 'original' | 'password' | 'password2';

/** Names that stay may be longer than new ones: they were imported, or given by a provider. */
export function nameFaults(names: Names, self: Names): Faults<keyof Names> {
  const username = names.username.trim();
  const display = names.display_name.trim();
  return {
    username:
      username === ''
        ? register_username_missing()
        : username !== self.username && lengthOf(username) > usernameMax
          ? register_username_too_long()
          : undefined,
    display_name:
      display === ''
        ? account_display_missing()
        : display !== self.display_name && lengthOf(display) > displayNameMax
          ? account_display_long()
          : undefined,
  };
}

/** What is sent: only what differs; undefined when nothing does. */
export function changedNames(names: Names, self: Names): Names | undefined {
  const changed = (name: keyof Names): string => (names[name].trim() === self[name] ? '' : names[name].trim());
  const change = { username: changed('username'), display_name: changed('display_name') };
  return change.username || change.display_name ? change : undefined;
}

export function passwordFaults(values: Record<PasswordField, string>): Faults<PasswordField> {
  const { password, password2 } = values;
  const tooLong = password.length > passwordMax ? password_too_long() : undefined;
  return {
    password: password.length < passwordMin ? password_too_short() : tooLong,
    password2: password === password2 ? undefined : password_mismatch(),
  };
}

/** The stored notification settings, with what counts while none were saved. */
export function settingOf(user: Pick<User, 'setting'>): UserSetting & { notify_type: 'email' | 'webhook' } {
  const setting: UserSetting = parseRecord(user.setting);
  return { ...setting, notify_type: setting.notify_type === 'webhook' ? 'webhook' : 'email' };
}

interface NoticeTexts {
  threshold: string;
  email: string;
  url: string;
}
export function noticeFaults(
  { threshold, email, url }: NoticeTexts,
  type: 'email' | 'webhook',
  format: MoneyFormat,
): Faults<keyof NoticeTexts> {
  return {
    threshold: (parseQuota(threshold, format) ?? 0) > 0 ? undefined : notice_threshold_low(),
    email: type === 'email' && email.trim() !== '' ? addressFault(email) : undefined,
    url: type === 'webhook' ? urlFault(url.trim()) : undefined,
  };
}

function urlFault(text: string): string | undefined {
  if (text === '') return notice_url_missing();
  const url = URL.parse(text);
  const web = url?.protocol === 'https:' || url?.protocol === 'http:';
  return web && url.username === '' && url.password === '' ? undefined : notice_url_invalid();
}
