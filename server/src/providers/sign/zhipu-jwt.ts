import { createHmac } from 'node:crypto';
import { type Signer, SignFault } from '../sign.ts';

const lifeMs = 24 * 3_600_000;
const header = encode({ alg: 'HS256', sign_type: 'SIGN' });

/** The JWT of a key `id.secret`: times in milliseconds, unlike the standard's. */
function zhipuJwt(id: string, secret: string, nowMs: number): string {
  const signed = `${header}.${encode({ api_key: id, exp: nowMs + lifeMs, timestamp: nowMs })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Where a key goes as it is: its documents know no JWT. */
const takesPlainKeys = 'anthropic-messages';

/** Sends a JWT; a key of another form goes as it is where `plainToo`, else it is malformed. */
export function zhipuSigner({ plainToo }: { readonly plainToo: boolean }): Signer {
  return ({ channel: { key }, protocol }, { nowMs }) => {
    if (protocol === takesPlainKeys) return { headers: { authorization: `Bearer ${key}` } };
    const parts = key.split('.');
    const [id, secret] = parts;
    if (parts.length === 2 && id && secret) return { headers: { authorization: `Bearer ${zhipuJwt(id, secret, nowMs)}` } };
    if (!plainToo) throw new SignFault('the key must be id.secret', true);
    return { headers: { authorization: `Bearer ${key}` } };
  };
}
