import {
  password_mismatch,
  password_too_long,
  password_too_short,
  register_display_long,
  register_username_missing,
  register_username_too_long,
} from '../../i18n/generated/messages.ts';

const usernameMax = 12;
const displayNameMax = 20;
const passwordMin = 8;
const passwordMax = 128;

/** In characters, as the server counts. */
const lengthOf = (text: string): number => [...text].length;

export function usernameFault(text: string): string | undefined {
  const name = text.trim();
  if (name === '') return register_username_missing();
  return lengthOf(name) > usernameMax || name.includes('@') ? register_username_too_long() : undefined;
}

export const displayNameFault = (text: string): string | undefined =>
  lengthOf(text.trim()) > displayNameMax ? register_display_long() : undefined;

export function newPasswordFault(password: string): string | undefined {
  if (lengthOf(password) < passwordMin) return password_too_short();
  return lengthOf(password) > passwordMax ? password_too_long() : undefined;
}

/** Of a new password that is typed twice. */
export const newPasswordFaults = ({ password, password2 }: Record<'password' | 'password2', string>) => ({
  password: newPasswordFault(password),
  password2: password === password2 ? undefined : password_mismatch(),
});
