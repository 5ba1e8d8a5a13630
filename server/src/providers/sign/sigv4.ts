import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import { type Signer, SignFault } from '../sign.ts';

/** What a channel's key of this kind says. */
export type AwsKey =
  | {
      readonly kind: 'pair';
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      /** Of temporary credentials. */
      readonly sessionToken?: string;
      readonly region: string;
    }
  /** An API key that the service takes as a bearer. */
  | { readonly kind: 'bearer'; readonly token: string; readonly region: string };

const regionName = /^[a-z]{2,4}(-[a-z]+)+-\d{1,2}$/;

/** Reads `AccessKey|SecretKey|Region`, `AccessKey|SecretKey|SessionToken|Region` or `ApiKey|Region`; undefined for anything else. */
export function readAwsKey(key: string): AwsKey | undefined {
  const parts = key.split('|').map((part) => part.trim());
  const region = parts.at(-1) ?? '';
  if (!regionName.test(region) || parts.some((part) => part === '')) return undefined;
  const [first = '', second = '', third = ''] = parts;
  if (parts.length === 2) return { kind: 'bearer', token: first, region };
  const pair = { kind: 'pair', accessKeyId: first, secretAccessKey: second, region } as const;
  if (parts.length === 3) return pair;
  return parts.length === 4 ? { ...pair, sessionToken: third } : undefined;
}

export const badAwsKey = 'invalid aws secret key';

/** SHA-256, plain or keyed, as the signing library asks for it. */
class Sha256 {
  readonly #hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }
  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(data));
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data);
}

/** AWS Signature Version 4 for one service: over host, content type, date and body, so that other headers may still change. */
export function signV4(service: string): Signer {
  return async ({ channel, url, method = 'POST', headers, body }, { nowMs }) => {
    const key = readAwsKey(channel.key);
    if (key === undefined) throw new SignFault(badAwsKey, true);
    if (key.kind === 'bearer') return { headers: { authorization: `Bearer ${key.token}` } };
    const { region, ...credentials } = key;
    const signer = new SignatureV4({ service, region, credentials, sha256: Sha256, applyChecksum: false });
    const type = headers['content-type'];
    const signed = await signer.sign(
      {
        method,
        protocol: url.protocol,
        hostname: url.hostname,
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: { host: url.host, ...(type === undefined ? {} : { 'content-type': type }) },
        body,
      },
      { signingDate: new Date(nowMs) },
    );
    const { host: _, ...added } = signed.headers;
    return { headers: added };
  };
}
