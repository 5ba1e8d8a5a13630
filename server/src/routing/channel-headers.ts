import { PublicError } from '../platform/errors.ts';

/** Header name (lower case) -> value, which may hold `{api_key}`. */
export type HeaderOverride = Readonly<Record<string, string>>;

const placeholder = '{api_key}';
const maxHeaders = 50;
const token = /^[!#$%&'*+.^_`|~0-9a-z-]{1,128}$/;
const value = /^[\x20-\x7e]{0,4096}$/;
/** What the connection and the body are made of. */
const fixed = new Set(
  'host content-length transfer-encoding connection keep-alive upgrade te trailer expect content-encoding accept-encoding'.split(
    ' ',
  ),
);
/** A credential belongs into the key field, where it is sealed and bound to its address; here only its placeholder may stand. */
const credential = /^(authorization|proxy-authorization|cookie|.*(api-?key|token|secret|password).*)$/;

/** Reads a parsed `header_override`. Throws PublicError for a header that may not be set here. */
export function readHeaderOverride(entries: Readonly<Record<string, unknown>>): HeaderOverride {
  const refused = new PublicError('channel_json_invalid', { field: 'header_override' });
  const list = Object.entries(entries).map(([name, text]): [string, string] => {
    const lower = name.trim().toLowerCase();
    if (typeof text !== 'string' || !value.test(text) || !token.test(lower) || fixed.has(lower)) throw refused;
    if (credential.test(lower) && !text.includes(placeholder))
      throw new PublicError('channel_header_credential', { header: lower });
    return [lower, text.trim()];
  });
  if (list.length > maxHeaders) throw refused;
  return Object.fromEntries(list);
}

/** Puts the channel's own headers into `headers` and returns it. */
export function overrideHeaders(headers: Record<string, string>, override: HeaderOverride, key: string): Record<string, string> {
  for (const [name, text] of Object.entries(override)) headers[name] = text.replaceAll(placeholder, () => key);
  return headers;
}
