import { holdsText } from '../json-text.ts';

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

/** The sealed signature of a thought; one without a signature is marked as another dialect's, whose own model would refuse it. */
export function sealSignature(
  { signature, dialect }: { readonly signature?: string | undefined; readonly dialect: string },
  own: string,
): string | undefined {
  if (signature === undefined && dialect === own) return undefined;
  return seal({ of: 'signature', dialect, value: signature ?? '' }, own);
}

const marks = ['"foreign.signature.', '"foreign.redacted.', '"foreign.call.'];

/** Does a request bring back what was sealed? Its own dialect's upstream could not read it. */
export function holdsSealed(body: Buffer): boolean {
  return holdsText(body, '"foreign.') && marks.some((mark) => body.includes(mark));
}

/** What `seal` made, undefined for everything else. */
export function unseal(text: string): Sealed | undefined {
  const match = sealed.exec(text);
  if (match === null) return undefined;
  const [head, of, dialect = ''] = match;
  return { of: of as Sealed['of'], dialect, value: text.slice(head.length) };
}
