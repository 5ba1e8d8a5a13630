import { createHash, createHmac } from 'node:crypto';

/** A request as it arrived. Header names are lower case. */
export interface Arrived {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const hex = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();
const escaped = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** The Authorization header that the published description of Signature Version 4 asks for: written from it, not from a library. */
export function expectedAuthorization({ method, url, headers, body }: Arrived, secret: string): string {
  const given = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8}\/([^/]+)\/([^/]+)\/aws4_request), SignedHeaders=([^,]+),/.exec(
    headers.authorization ?? '',
  );
  if (given === null) throw new Error('no signature');
  const [, id = '', scope = '', region = '', service = '', signed = ''] = given;
  const query = [...url.searchParams].map(([name, value]) => `${escaped(name)}=${escaped(value)}`).sort();
  const canonical = [
    method,
    url.pathname.split('/').map(escaped).join('/'),
    query.join('&'),
    ...signed.split(';').map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    signed,
    hex(body),
  ].join('\n');
  const date = headers['x-amz-date'] ?? '';
  const text = ['AWS4-HMAC-SHA256', date, scope, hex(canonical)].join('\n');
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, date.slice(0, 8)), region), service), 'aws4_request');
  const signature = hmac(key, text).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=${id}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
}
