import { parseObject } from '@tollgate/wire';
import { sha256 } from '../../platform/crypto.ts';
import { type Signer, SignFault, type SignTools, type Token } from '../sign.ts';

const defaultBase = 'https://aip.baidubce.com';
/** The vendor's documents recommend a new token well before the old one ends. */
const earlyMs = 3_600_000;

/** Adds the access token that a key `APIKey|SecretKey` was traded for. */
export const baiduSigner: Signer = async ({ url, channel }, tools) => {
  const [id, secret] = channel.key.split('|').map((part) => part.trim());
  if (!id || !secret) throw new SignFault('the key must be APIKey|SecretKey', true);
  const base = (channel.baseUrl || defaultBase).replace(/\/+$/, '');
  const name = `baidu ${sha256(`${base} ${channel.key}`)}`;
  const signed = new URL(url);
  signed.searchParams.set('access_token', await tools.token(name, () => exchange(base, id, secret, tools)));
  return { url: signed };
};

/** Rejects with SignFault. */
async function exchange(base: string, id: string, secret: string, tools: SignTools): Promise<Token> {
  const query = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret });
  const { status, text } = await tools.post(`${base}/oauth/2.0/token?${query}`, { accept: 'application/json' }, '');
  const answer = parseObject(text) ?? {};
  if (typeof answer.access_token === 'string' && answer.access_token !== '') {
    const lifeMs = (typeof answer.expires_in === 'number' ? answer.expires_in : 0) * 1000;
    return { value: answer.access_token, expiresAtMs: tools.nowMs + Math.max(0, lifeMs - earlyMs) };
  }
  const isKeyBad = answer.error === 'invalid_client' || answer.error === 'unauthorized_client' || status === 401;
  throw new SignFault(isKeyBad ? 'the key was refused' : `the token service answered with status ${status}`, isKeyBad);
}
