import { holdsText } from '../json-text.ts';
import { dialectName } from './types.ts';

/** An opaque proof, or a thought that came encrypted instead of in words, and the dialect that understands it. */
export interface Signature {
  readonly signature?: string;
  readonly redacted?: string;
  readonly dialect: string;
}

/** Marks a signature that this dialect's clients keep for another one: they send every signature back unread. */
const mark = 'kept-for:';

/** Reads a `thoughtSignature`; undefined when there is none. */
export function readSignature(raw: unknown): Signature | undefined {
  if (typeof raw !== 'string' || raw === '') return undefined;
  const text = Buffer.from(raw.slice(0, 32), 'base64').toString('latin1').startsWith(mark)
    ? Buffer.from(raw, 'base64').toString('utf8')
    : '';
  const [, dialect = '', isRedacted, value = ''] = /^kept-for:([a-z0-9-]{1,40})(\/redacted)?:(.+)$/su.exec(text) ?? [];
  if (value === '') return { signature: raw, dialect: dialectName };
  return isRedacted === undefined ? { signature: value, dialect } : { redacted: value, dialect };
}

/** As the envelope begins in a request: the mark is as long as whole groups of base64. */
const sealedMark = `"${Buffer.from(mark).toString('base64')}`;

/** Does a request bring back a signature that was kept for another dialect? */
export function holdsSealed(body: Buffer): boolean {
  return holdsText(body, sealedMark);
}

/** Spells a signature for a client, which will send it back. Another dialect's travels in an envelope. */
export function carrySignature({ signature = '', redacted, dialect }: Signature): string {
  if (redacted !== undefined) return enveloped(`${dialect}/redacted:${redacted}`);
  return dialect === dialectName ? signature : enveloped(`${dialect}:${signature}`);
}

function enveloped(value: string): string {
  return Buffer.from(mark + value).toString('base64');
}
