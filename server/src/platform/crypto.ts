import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** What an HMAC is for: each purpose has its own key, so that a value of one is worthless to another. */
export type HmacPurpose =
  | 'token-key'
  | 'channel-key'
  | 'receipt'
  | 'audit'
  | 'mail-code'
  | 'recovery-code'
  | 'redemption'
  | 'device'
  | 'mail-person'
  | 'stream-check'
  | 'loop';

export interface Crypto {
  /**
   * Encrypts a secret at rest as `v1.<kid>.<nonce>.<ciphertext+tag>`. `binding` names the place of the value
   * (table, column, row): a sealed text that was moved elsewhere does not open.
   */
  seal(plain: string, binding: string): string;
  /**
   * The same, but equal texts at equal places are sealed alike: for files that are compared. The nonce is a keyed hash of
   * both, so that no nonce meets two texts.
   */
  sealAlike(plain: string, binding: string): string;
  /** Throws SealError when the text is malformed, of another master key, changed, or bound to another place. */
  open(sealed: string, binding: string): string;
  /** Hex HMAC-SHA256 under the purpose's own key. */
  hmac(purpose: HmacPurpose, value: string): string;
}

/** A sealed value cannot be opened. Says which key it wants, never its content. */
export class SealError extends Error {}

const nonceBytes = 12;
const tagBytes = 16;

/**
 * `masterKey`: exactly 32 bytes; every other key is derived from it (HKDF-SHA256, one purpose each). `signingRoot`: what
 * the keys of signatures are derived from instead, where the master key is not the first one.
 */
export function createCrypto(masterKey: Uint8Array, signingRoot: Uint8Array = masterKey): Crypto {
  if (masterKey.length !== 32 || signingRoot.length !== 32) throw new RangeError('the master key must have 32 bytes');
  // Key objects: a raw key costs 10 us at every use.
  const sealKey = createSecretKey(derive(masterKey, 'seal'));
  const kid = keyId(masterKey);
  const signer = (purpose: HmacPurpose) => createHmacSigner(derive(signingRoot, `hmac/${purpose}`));
  const signers: Record<HmacPurpose, (value: string) => string> = {
    'token-key': signer('token-key'),
    'channel-key': signer('channel-key'),
    receipt: signer('receipt'),
    audit: signer('audit'),
    'mail-code': signer('mail-code'),
    'recovery-code': signer('recovery-code'),
    redemption: signer('redemption'),
    device: signer('device'),
    'mail-person': signer('mail-person'),
    'stream-check': signer('stream-check'),
    loop: signer('loop'),
  };
  const nonceOf = createHmacSigner(derive(masterKey, 'seal/nonce'));
  const seal = (plain: string, binding: string, nonce: Uint8Array): string => {
    const cipher = createCipheriv('aes-256-gcm', sealKey, nonce);
    cipher.setAAD(Buffer.from(`v1|${kid}|${binding}`));
    const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `v1.${kid}.${Buffer.from(nonce).toString('base64url')}.${body.toString('base64url')}`;
  };
  return {
    seal: (plain, binding) => seal(plain, binding, randomBytes(nonceBytes)),
    sealAlike(plain, binding) {
      const digest = nonceOf(JSON.stringify([binding, plain]));
      return seal(plain, binding, Buffer.from(digest, 'hex').subarray(0, nonceBytes));
    },
    open: (sealed, binding) => open(sealKey, kid, sealed, binding),
    hmac: (purpose, value) => signers[purpose](value),
  };
}

/** The short name of a master key, as it stands in what it sealed. */
export function keyId(masterKey: Uint8Array): string {
  return derive(masterKey, 'key-id').toString('hex').slice(0, 8);
}

const blockBytes = 64;
const digestBytes = 32;
/** Longer texts get a buffer of their own. */
const keptBytes = 8_192;

/**
 * HMAC-SHA256 (RFC 2104) as what it is: a hash within a hash. Every call's receipt is signed, and the library's HMAC
 * object takes twice the time of the hashes themselves. `key` fits into one block.
 */
export function createHmacSigner(key: Uint8Array): (value: string) => string {
  const inner = Buffer.alloc(keptBytes);
  const outer = Buffer.alloc(blockBytes + digestBytes);
  for (let at = 0; at < blockBytes; at += 1) {
    inner[at] = (key[at] ?? 0) ^ 0x36;
    outer[at] = (key[at] ?? 0) ^ 0x5c;
  }
  return (value) => {
    // No character takes more than three bytes.
    const fits = value.length * 3 <= keptBytes - blockBytes;
    const text = fits
      ? inner.subarray(0, blockBytes + inner.write(value, blockBytes))
      : Buffer.concat([inner.subarray(0, blockBytes), Buffer.from(value)]);
    outer.write(hash('sha256', text, 'hex'), blockBytes, 'hex');
    return hash('sha256', outer, 'hex');
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
  return hash('sha256', value, 'hex');
}

/** What was sealed, or "" where this master key does not open it, as after one was lost: such a value is entered anew. */
export function openedOrNone(crypto: Pick<Crypto, 'open'>, sealed: string, binding: string): string {
  try {
    return crypto.open(sealed, binding);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return '';
  }
}

/** Compares two texts in a time that does not depend on where they differ. */
export function sameText(left: string, right: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(left)), Buffer.from(sha256(right)));
}
