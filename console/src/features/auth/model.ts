import { login_credentials_missing, mail_code_missing, password_missing } from '../../i18n/generated/messages.ts';
import type { Faults } from '../../ui/form/useSmallForm.ts';
import { addressFault } from '../../ui/signin/address.ts';
import { newPasswordFaults, usernameFault } from '../../ui/signin/rules.ts';

type Login = 'username' | 'password';
type Register = 'username' | 'password' | 'password2' | 'email' | 'code';
type Change = 'original' | 'password' | 'password2';

export function loginFaults(values: Record<Login, string>): Faults<Login> {
  return {
    username: values.username.trim() === '' ? login_credentials_missing() : undefined,
    password: values.password === '' ? login_credentials_missing() : undefined,
  };
}

/** With `withEmail` the site wants an address and the code that was mailed to it. */
export function registerFaults(values: Record<Register, string>, withEmail: boolean): Faults<Register> {
  return {
    username: usernameFault(values.username),
    ...newPasswordFaults(values),
    ...(withEmail && {
      email: addressFault(values.email),
      code: values.code.trim() === '' ? mail_code_missing() : undefined,
    }),
  };
}

export function changeFaults(values: Record<Change, string>): Faults<Change> {
  return {
    original: values.original === '' ? password_missing() : undefined,
    ...newPasswordFaults(values),
  };
}

/** Root who signs in with the password that everybody knows, whatever an older server says. */
export const isDefaultLogin = (username: string, password: string): boolean =>
  username.trim() === 'root' && password === '123456';
