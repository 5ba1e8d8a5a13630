import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** What an HMAC is for: each purpose has its own key, so that a value of one is worthless to another. */
export type HmacPurpose = 'token-key' | 'channel-key' | 'receipt' | 'audit' | 'mail-code' | 'recovery-code' | 'redemption';

export interface Crypto {
  /**
   * Encrypts a secret at rest as `v1.<kid>.<nonce>.<ciphertext+tag>`. `binding` names the place of the value
   * (table, column, row): a sealed text that was moved elsewhere does not open.
   */
  seal(plain: string, binding: string): string;
  /** Throws SealError when the text is malformed, of another master key, changed, or bound to another place. */
  open(sealed: string, binding: string): string;
  /** Hex HMAC-SHA256 under the purpose's own key. */
  hmac(purpose: HmacPurpose, value: string): string;
}

/** A sealed value cannot be opened. Says which key it wants, never its content. */
export class SealError extends Error {}

const nonceBytes = 12;
const tagBytes = 16;

/** `masterKey`: exactly 32 bytes; every other key is derived from it (HKDF-SHA256, one purpose each). */
export function createCrypto(masterKey: Uint8Array): Crypto {
  if (masterKey.length !== 32) throw new RangeError('the master key must have 32 bytes');
  // Key objects: a raw key costs 10 us at every use.
  const sealKey = createSecretKey(derive(masterKey, 'seal'));
  const kid = derive(masterKey, 'key-id').toString('hex').slice(0, 8);
  const hmacKey = (purpose: HmacPurpose) => createSecretKey(derive(masterKey, `hmac/${purpose}`));
  const hmacKeys: Record<HmacPurpose, KeyObject> = {
    'token-key': hmacKey('token-key'),
    'channel-key': hmacKey('channel-key'),
    receipt: hmacKey('receipt'),
    audit: hmacKey('audit'),
    'mail-code': hmacKey('mail-code'),
    'recovery-code': hmacKey('recovery-code'),
    redemption: hmacKey('redemption'),
  };
  return {
    seal(plain, binding) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', sealKey, nonce);
      cipher.setAAD(Buffer.from(`v1|${kid}|${binding}`));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `v1.${kid}.${nonce.toString('base64url')}.${body.toString('base64url')}`;
    },
    open: (sealed, binding) => open(sealKey, kid, sealed, binding),
    hmac: (purpose, value) => createHmac('sha256', hmacKeys[purpose]).update(value).digest('hex'),
  };
}

function open(sealKey: KeyObject, kid: string, sealed: string, binding: string): string {
  const [version, sealedKid, nonceText, bodyText, ...rest] = sealed.split('.');
  if (version !== 'v1' || nonceText === undefined || bodyText === undefined || rest.length > 0) {
    throw new SealError('not a sealed value');
  }
  if (sealedKid !== kid) throw new SealError(`sealed with another master key (${sealedKid})`);
  const nonce = Buffer.from(nonceText, 'base64url');
  const body = Buffer.from(bodyText, 'base64url');
  if (nonce.length !== nonceBytes || body.length < tagBytes) throw new SealError('not a sealed value');
  const decipher = createDecipheriv('aes-256-gcm', sealKey, nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(`v1|${kid}|${binding}`));
  decipher.setAuthTag(body.subarray(-tagBytes));
  try {
    return decipher.update(body.subarray(0, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    throw new SealError('a sealed value was changed or moved');
  }
}

function derive(masterKey: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), `tollgate/v1/${purpose}`, 32));
}

/** Hex SHA-256: for secrets with 256 bits of entropy, which need no pepper. */
export function sha256(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}

/** Compares two texts in a time that does not depend on where they differ. */
export function sameText(left: string, right: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(left)), Buffer.from(sha256(right)));
}
