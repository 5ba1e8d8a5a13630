import { createHash, createHmac } from 'node:crypto';
import { type Signer, SignFault } from '../sign.ts';

/** What is signed: the body and these three headers (TC3-HMAC-SHA256). */
export interface Tc3Input {
  readonly secretId: string;
  readonly secretKey: string;
  readonly service: string;
  readonly path: string;
  readonly query: string;
  /** Signed header names to values, lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
  /** Unix seconds. */
  readonly timestamp: number;
}

const algorithm = 'TC3-HMAC-SHA256';
const hash = (text: Buffer | string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest();

/** The `authorization` header. */
export function tc3Authorization({ secretId, secretKey, service, path, query, headers, body, timestamp }: Tc3Input): string {
  const names = Object.keys(headers).sort();
  const lines = names.map((name) => `${name}:${headers[name]?.trim()}\n`).join('');
  const signedNames = names.join(';');
  const canonical = `POST\n${path}\n${query}\n${lines}\n${signedNames}\n${hash(body)}`;
  const day = new Date(timestamp * 1000).toISOString().slice(0, 10);
  const scope = `${day}/${service}/tc3_request`;
  const key = hmac(hmac(hmac(`TC3${secretKey}`, day), service), 'tc3_request');
  const signature = hmac(key, `${algorithm}\n${timestamp}\n${scope}\n${hash(canonical)}`).toString('hex');
  return `${algorithm} Credential=${secretId}/${scope}, SignedHeaders=${signedNames}, Signature=${signature}`;
}

/** A signer for one action of one service. The key is `AppId|SecretId|SecretKey`; the application is not part of it. */
export function tc3Signer(call: { readonly service: string; readonly action: string; readonly version: string }): Signer {
  return (request, { nowMs }) => {
    const [, secretId, secretKey] = request.channel.key.split('|').map((part) => part.trim());
    if (!secretId || !secretKey) throw new SignFault('the key must be AppId|SecretId|SecretKey', true);
    const { url, body } = request;
    const timestamp = Math.floor(nowMs / 1000);
    const contentType = request.headers['content-type'] ?? 'application/json';
    const authorization = tc3Authorization({
      secretId,
      secretKey,
      service: call.service,
      path: url.pathname,
      query: url.search.slice(1),
      headers: { 'content-type': contentType, host: url.host, 'x-tc-action': call.action.toLowerCase() },
      body,
      timestamp,
    });
    return {
      headers: {
        authorization,
        'content-type': contentType,
        'x-tc-action': call.action,
        'x-tc-version': call.version,
        'x-tc-timestamp': String(timestamp),
      },
    };
  };
}
