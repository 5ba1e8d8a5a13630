import { createHash, createHmac, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';

/** Options as the server sends them; only what an authenticator reads. */
export interface CeremonyOptions {
  challenge: string;
  rp?: { id: string };
  rpId?: string;
}

export interface Authenticator {
  /** What the browser answers to a registration. */
  create(options: CeremonyOptions, change?: Change): Record<string, unknown>;
  /** What the browser answers to a sign-in. */
  get(options: CeremonyOptions, change?: Change): Record<string, unknown>;
}

/** What is wrong with one answer. */
export interface Change {
  origin?: string;
  challenge?: string;
  /** Without the user's finger or PIN. */
  unverified?: boolean;
  /** Signs with another key. */
  forged?: boolean;
  /** The attestation format it claims. */
  format?: string;
  counter?: number;
}

const userPresent = 0x01;
const userVerified = 0x04;
const attested = 0x40;

/** A passkey in software: P-256, no attestation, one credential for the page's origin. */
export function createAuthenticator(origin: string): Authenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { privateKey: otherKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(32);
  let counter = 0;
  const clientData = (type: string, { challenge }: CeremonyOptions, change: Change) =>
    Buffer.from(
      JSON.stringify({ type, challenge: change.challenge ?? challenge, origin: change.origin ?? origin, crossOrigin: false }),
    );
  const flags = (change: Change) => userPresent | (change.unverified ? 0 : userVerified);
  const credential = (response: Record<string, string>) => ({
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    clientExtensionResults: {},
    response,
  });
  return {
    create(options, change = {}) {
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      // COSE: kty 2 (EC2), alg -7 (ES256), crv 1 (P-256), x, y.
      const key = Buffer.concat([
        Buffer.from('a5010203262001215820', 'hex'),
        Buffer.from(x, 'base64url'),
        Buffer.from('225820', 'hex'),
        Buffer.from(y, 'base64url'),
      ]);
      const credentialData = Buffer.concat([Buffer.alloc(16), length(id), id, key]);
      const data = Buffer.concat([head(options.rp?.id ?? '', flags(change) | attested, counter), credentialData]);
      const format = Buffer.from(change.format ?? 'none');
      // CBOR: {"fmt": format, "attStmt": {}, "authData": data}
      const attestation = Buffer.concat([
        Buffer.from([0xa3, 0x63]),
        Buffer.from('fmt'),
        Buffer.from([0x60 + format.length]),
        format,
        Buffer.from([0x67]),
        Buffer.from('attStmt'),
        Buffer.from([0xa0, 0x68]),
        Buffer.from('authData'),
        Buffer.from([0x58, data.length]),
        data,
      ]);
      return credential({
        clientDataJSON: clientData('webauthn.create', options, change).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
      });
    },
    get(options, change = {}) {
      counter = change.counter ?? counter + 1;
      const data = head(options.rpId ?? '', flags(change), counter);
      const client = clientData('webauthn.get', options, change);
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
      const signature = createSign('sha256')
        .update(signed)
        .sign(change.forged ? otherKey : privateKey);
      return credential({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
      });
    },
  };
}

function head(rpId: string, flags: number, counter: number): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), count]);
}

function length(bytes: Buffer): Buffer {
  const size = Buffer.alloc(2);
  size.writeUInt16BE(bytes.length);
  return size;
}

/** RFC 6238 by hand, so that the library is not judged by itself. */
export function totp(secret: string, nowMs: number): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(nowMs / 30_000)));
  const digest = createHmac('sha1', key).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}
