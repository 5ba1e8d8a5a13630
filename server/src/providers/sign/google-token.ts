import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { parseObject } from '@tollgate/wire';
import { sha256 } from '../../platform/crypto.ts';
import { type Signer, SignFault, type SignTools, type Token } from '../sign.ts';

/** The parts of a service account's key file that matter here. */
export interface ServiceAccount {
  readonly projectId: string;
  readonly email: string;
  readonly privateKey: string;
  readonly privateKeyId: string;
}

const tokenUrl = 'https://www.googleapis.com/oauth2/v4/token';
const scope = 'https://www.googleapis.com/auth/cloud-platform';
const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** Contract 6.10: the assertion lives 35 minutes, the token is kept for 30. */
const assertionSeconds = 35 * 60;
const keptMs = 30 * 60_000;

/** Reads a key file; undefined when it is none. Never throws. */
export function readServiceAccount(key: string): ServiceAccount | undefined {
  const file = parseObject(key);
  if (file === undefined) return undefined;
  const text = (name: string) => (typeof file[name] === 'string' ? file[name] : '');
  const account = {
    projectId: text('project_id'),
    email: text('client_email'),
    privateKey: text('private_key'),
    privateKeyId: text('private_key_id'),
  };
  return account.email === '' || account.privateKey === '' ? undefined : account;
}

/** A bearer token that a service account's signed assertion was traded for (RFC 7523). */
export const signWithGoogleToken: Signer = async ({ channel }, tools) => {
  const account = readServiceAccount(channel.key);
  if (account === undefined) throw new SignFault('the key is no service account file', true);
  const name = `google ${sha256(channel.key)}`;
  return { headers: { authorization: `Bearer ${await tools.token(name, () => trade(account, tools))}` } };
};

async function trade(account: ServiceAccount, tools: SignTools): Promise<Token> {
  const form = new URLSearchParams({ grant_type: grant, assertion: assertionOf(account, tools.nowMs) });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { status, text } = await tools.post(tokenUrl, headers, form.toString());
  const token = status === 200 ? tokenIn(text) : undefined;
  if (token === undefined)
    throw new SignFault(`the token service answered with status ${status}`, status === 400 || status === 401);
  const keptFor = Math.min(keptMs, token.seconds * 1000);
  return { value: token.value, expiresAtMs: tools.nowMs + keptFor };
}

function tokenIn(text: string): { value: string; seconds: number } | undefined {
  const { access_token: value, expires_in: seconds } = parseObject(text) ?? {};
  if (typeof value !== 'string' || value === '') return undefined;
  return { value, seconds: typeof seconds === 'number' ? seconds : keptMs / 1000 };
}

function assertionOf({ email, privateKey, privateKeyId }: ServiceAccount, nowMs: number): string {
  const issued = Math.floor(nowMs / 1000);
  const header = { alg: 'RS256', typ: 'JWT', ...(privateKeyId === '' ? {} : { kid: privateKeyId }) };
  const claims = { iss: email, scope, aud: tokenUrl, iat: issued, exp: issued + assertionSeconds };
  const content = `${encoded(header)}.${encoded(claims)}`;
  return `${content}.${sign('sha256', Buffer.from(content), keyOf(privateKey)).toString('base64url')}`;
}

function keyOf(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new SignFault('the private key of the service account cannot be read', true);
  }
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
