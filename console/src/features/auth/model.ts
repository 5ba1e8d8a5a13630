import {
  login_credentials_missing,
  mail_code_missing,
  password_mismatch,
  password_too_long,
  password_too_short,
  register_username_missing,
  register_username_too_long,
} from '../../i18n/generated/messages.ts';
import { addressFault } from '../../ui/signin/address.ts';

const usernameMax = 12;
const passwordMin = 8;
const passwordMax = 128;

type Faults<Name extends string> = Partial<Record<Name, string>>;
type Login = 'username' | 'password';
type Register = 'username' | 'password' | 'password2' | 'email' | 'code';
type Change = 'original' | 'password' | 'password2';

export function loginFaults(values: Record<Login, string>): Faults<Login> {
  return {
    username: values.username.trim() === '' ? login_credentials_missing() : undefined,
    password: values.password === '' ? login_credentials_missing() : undefined,
  };
}

function newPasswordFault(password: string): string | undefined {
  if (password.length < passwordMin) return password_too_short();
  return password.length > passwordMax ? password_too_long() : undefined;
}
const repeatFault = (password: string, repeated: string): string | undefined =>
  password === repeated ? undefined : password_mismatch();

function usernameFault(username: string): string | undefined {
  const name = username.trim();
  if (name === '') return register_username_missing();
  return name.length > usernameMax || name.includes('@') ? register_username_too_long() : undefined;
}

/** With `withEmail` the site wants an address and the code that was mailed to it. */
export function registerFaults(values: Record<Register, string>, withEmail: boolean): Faults<Register> {
  return {
    username: usernameFault(values.username),
    password: newPasswordFault(values.password),
    password2: repeatFault(values.password, values.password2),
    ...(withEmail && {
      email: addressFault(values.email),
      code: values.code.trim() === '' ? mail_code_missing() : undefined,
    }),
  };
}

export function changeFaults(values: Record<Change, string>): Faults<Change> {
  return {
    original: values.original === '' ? login_credentials_missing() : undefined,
    password: newPasswordFault(values.password),
    password2: repeatFault(values.password, values.password2),
  };
}

/** Root who signs in with the password that everybody knows, whatever an older server says. */
export const isDefaultLogin = (username: string, password: string): boolean =>
  username.trim() === 'root' && password === '123456';
