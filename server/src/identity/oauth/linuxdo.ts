import { parseObject } from '@tollgate/wire';
import { PublicError } from '../../platform/errors.ts';
import type { DoorDeps } from '../deps.ts';
import { numericId, type Profile, providers, reached, textField } from './profile.ts';

const tokenAddress = 'https://connect.linux.do/oauth2/token';
const userAddress = 'https://connect.linux.do/api/user';

/** The page where the user agrees. */
export function linuxdoPage(clientId: string, state: string, redirectUri: string): string {
  const page = new URL('https://connect.linux.do/oauth2/authorize');
  const query = { response_type: 'code', client_id: clientId, state, redirect_uri: redirectUri };
  page.search = new URLSearchParams(query).toString();
  return page.href;
}

/** Redeems the code. Throws PublicError with the texts of contract 2.6. */
export async function linuxdoProfile({ http, options }: DoorDeps, code: string, redirectUri: string): Promise<Profile> {
  const { LinuxDOClientId, LinuxDOClientSecret } = options();
  const authorization = `Basic ${Buffer.from(`${LinuxDOClientId}:${LinuxDOClientSecret}`).toString('base64')}`;
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', authorization };
  const body = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: redirectUri }).toString();
  const issued = await reached(http.request({ url: tokenAddress, method: 'POST', headers, body }), providers.linuxdo);
  const token = textField(parseObject(issued.text), 'access_token');
  if (token === '') throw new PublicError('provider_answer_empty');
  const answer = await reached(
    http.request({ url: userAddress, headers: { accept: 'application/json', authorization: `Bearer ${token}` } }),
    providers.linuxdo,
  );
  const user = answer.status === 200 ? parseObject(answer.text) : undefined;
  const id = numericId(user);
  // A deactivated account is nobody.
  if (id === '' || user?.active === false) throw new PublicError('provider_answer_empty');
  return { id, displayName: textField(user, 'name') || textField(user, 'username') };
}
