import { usernameForm } from '@tollgate/contract';
import { PublicError } from '../platform/errors.ts';
import { nameKey } from '../platform/name-key.ts';

interface Names {
  username: string;
  display_name: string;
}

const maxLength = { username: 12, display_name: 20 };

/**
 * The names of `wanted` that differ; "" keeps. Names that stay may be longer than new ones: they were imported, or given
 * by a third party's sign-in. Throws PublicError `invalid_input`.
 */
export function changedNames(present: Names, wanted: Names): Partial<Names> {
  const changed: Partial<Names> = {};
  for (const name of ['username', 'display_name'] as const) {
    const value = wanted[name];
    if (value === '' || value === present[name]) continue;
    if ([...value].length > maxLength[name])
      throw new PublicError('invalid_input', { detail: `${name}: at most ${maxLength[name]}` });
    if (name === 'username' && !usernameForm.test(value))
      throw new PublicError('invalid_input', { detail: `${name}: invalid format` });
    changed[name] = value;
  }
  return changed;
}

/** The columns of names as they are written: with a user name goes what it is compared by. */
export function withNameKey<T extends { readonly username?: string }>(names: T): T | (T & { name_key: string }) {
  return names.username === undefined ? names : { ...names, name_key: nameKey(names.username) };
}
