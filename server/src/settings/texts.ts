import { type OptionKind, OptionRefused } from './kinds.ts';
import { sanitizeMarkup } from './markup.ts';

const shortLength = 2_000;
const longLength = 200_000;

function read(maxLength: number, judge: (value: string) => string) {
  return (value: string): string => {
    if (value.length > maxLength) throw new OptionRefused('option_too_long', { max: String(maxLength) });
    // PostgreSQL cannot store it.
    if (value.includes('\0')) throw new OptionRefused('option_value');
    return judge(value);
  };
}

function texts(fallback: string, maxLength: number, judge: (value: string) => string): OptionKind<string> {
  return { fallback, read: read(maxLength, judge), write: (value) => value };
}

/** A host, an id, an account: what is pasted with blanks around it means the same without them. */
export function text(): OptionKind<string> {
  return texts('', shortLength, (value) => value.trim());
}

/** Lines of any number. */
export function lines(fallback = ''): OptionKind<string> {
  return texts(fallback, longLength, (value) => value.replaceAll('\r\n', '\n'));
}

/** A name that is shown everywhere, also where there is no room for a second line. Never empty. */
export function name(fallback: string): OptionKind<string> {
  return texts(fallback, 100, (value) => {
    const plain = value.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
    if (/[<>]/.test(plain)) throw new OptionRefused('option_value');
    return plain || fallback;
  });
}

/** An address without a trailing slash; "" is allowed. */
export function url(): OptionKind<string> {
  return texts('', shortLength, (value) => {
    const trimmed = value.trim().replace(/\/+$/, '');
    const parsed = URL.parse(trimmed);
    if (trimmed !== '' && (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== '')) {
      throw new OptionRefused('option_value');
    }
    return trimmed;
  });
}

/** Where a link of the pages leads: another site, or a path of this one. */
export function link(): OptionKind<string> {
  return texts('', shortLength, (value) => {
    const trimmed = value.trim();
    if (!isLink(trimmed, /^(https?|mailto):$/)) throw new OptionRefused('option_link');
    return trimmed;
  });
}

/** A picture that browsers may load under the pages' policy: https, or a path of this site. */
export function image(): OptionKind<string> {
  return texts('', shortLength, (value) => {
    const trimmed = value.trim();
    if (!isLink(trimmed, /^https:$/)) throw new OptionRefused('option_address');
    return trimmed;
  });
}

/** Markdown, HTML or one https address for a frame. Active content is taken out before it is stored. */
export function markup(): OptionKind<string> {
  return texts('', longLength, (value) => {
    const trimmed = value.trim();
    if (!/^[a-z][a-z\d+.-]*:\/\/\S*$/i.test(trimmed)) return sanitizeMarkup(value);
    if (!isLink(trimmed, /^https:$/)) throw new OptionRefused('option_address');
    return trimmed;
  });
}

export function secret(...boundTo: readonly string[]): OptionKind<string> {
  return { ...texts('', shortLength, (value) => value), secret: true, boundTo };
}

/** "", a path of this site, or an address of these protocols without a name and password in it. */
function isLink(value: string, protocols: RegExp): boolean {
  if (value === '' || /^\/(?![/\\])[^\s\\]*$/.test(value)) return true;
  const parsed = URL.parse(value);
  return parsed !== null && protocols.test(parsed.protocol) && parsed.username === '' && !/[\s"'<>`\\]/.test(value);
}

const programs = /^(javascript|data|vbscript|blob|file|filesystem|about|view-source):/i;

/** The link of a chat program: a web page or an app's own protocol, with placeholders; never something that runs here. */
export function chatLink(value: string): string {
  const trimmed = value.replaceAll(/\p{Cc}/gu, '').trim();
  if (!/^[a-z][a-z\d+.-]*:/i.test(trimmed) || programs.test(trimmed)) throw new OptionRefused('option_link');
  return trimmed;
}
