import {
  account_display_long,
  account_display_missing,
  password_mismatch,
  password_too_long,
  password_too_short,
  register_username_missing,
  register_username_too_long,
} from '../../i18n/generated/messages.ts';
import type { Names } from './queries.ts';

const usernameMax = 12;
const displayNameMax = 20;
const passwordMin = 8;
const passwordMax = 128;

type Faults<Name extends string> = Partial<Record<Name, string>>;
const lengthOf = (text: string): number => [...text].length;

type PasswordField = 'original' | 'password' | 'password2';

function usernameFault(username: string): string | undefined {
  if (username === '') return register_username_missing();
  return lengthOf(username) > usernameMax || username.includes('@') ? register_username_too_long() : undefined;
}

/** Names that stay may be longer than new ones: they were imported, or given by a provider. */
export function nameFaults(names: Names, self: Names): Faults<keyof Names> {
  const username = names.username.trim();
  const display = names.display_name.trim();
  return {
    username: username === self.username ? undefined : usernameFault(username),
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
