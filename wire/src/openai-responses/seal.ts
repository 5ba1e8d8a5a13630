import { dialectName } from './types.ts';

/**
 * Opaque values of other dialects travel to the caller inside `encrypted_content`, tagged with where they belong, so that
 * the caller brings them back with its next request. `of` = what they are: a signature or redacted thinking of a
 * reasoning part, or the signature of the tool call in front.
 */
export interface Sealed {
  readonly of: 'signature' | 'redacted' | 'call';
  readonly dialect: string;
  readonly value: string;
}

const tag = 'foreign';

/** The text for `encrypted_content`. A value of this dialect stays as it is. */
export function seal({ of, dialect, value }: Sealed): string {
  return dialect === dialectName ? value : `${tag}.${of}.${dialect}.${value}`;
}

/** What `seal` made, undefined for everything else. */
export function unseal(text: string): Sealed | undefined {
  const match = /^foreign\.(signature|redacted|call)\.([a-z0-9-]{1,64})\./.exec(text);
  if (match === null) return undefined;
  const [head, of, dialect = ''] = match;
  return { of: of as Sealed['of'], dialect, value: text.slice(head.length) };
}
