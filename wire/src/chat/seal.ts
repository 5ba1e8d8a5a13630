/**
 * An opaque value of one dialect that travels to a caller of another, tagged with where it belongs, in a field that
 * callers bring back unread. `of` = what it is: a signature or redacted thinking of a reasoning part, or the signature of
 * the tool call in front.
 */
export interface Sealed {
  readonly of: 'signature' | 'redacted' | 'call';
  readonly dialect: string;
  readonly value: string;
}

const sealed = /^foreign\.(signature|redacted|call)\.([a-z0-9-]{1,64})\./;

/** The text for a caller of the dialect `own`, whose own values stay as they are. */
export function seal({ of, dialect, value }: Sealed, own: string): string {
  return dialect === own ? value : `foreign.${of}.${dialect}.${value}`;
}

/** What `seal` made, undefined for everything else. */
export function unseal(text: string): Sealed | undefined {
  const match = sealed.exec(text);
  if (match === null) return undefined;
  const [head, of, dialect = ''] = match;
  return { of: of as Sealed['of'], dialect, value: text.slice(head.length) };
}
