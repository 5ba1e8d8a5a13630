import { parseObject } from '@tollgate/wire';
import { PublicError } from '../../platform/errors.ts';
import type { DoorDeps } from '../deps.ts';
import { numericId, type Profile, providers, reached, textField } from './profile.ts';

const tokenAddress = 'https://github.com/login/oauth/access_token';
const userAddress = 'https://api.github.com/user';

/** The page where the user agrees. */
export function githubPage(clientId: string, state: string, challenge: string): string {
  const page = new URL('https://github.com/login/oauth/authorize');
  const query = { client_id: clientId, state, scope: 'user:email', code_challenge: challenge, code_challenge_method: 'S256' };
  page.search = new URLSearchParams(query).toString();
  return page.href;
}

/** Redeems the code. Throws PublicError with the texts of contract 2.6. */
export async function githubProfile({ http, options }: DoorDeps, code: string, verifier: string | undefined): Promise<Profile> {
  const { GitHubClientId, GitHubClientSecret } = options();
  const body = JSON.stringify({
    client_id: GitHubClientId,
    client_secret: GitHubClientSecret,
    code,
    ...(verifier === undefined ? {} : { code_verifier: verifier }),
  });
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const issued = await reached(http.request({ url: tokenAddress, method: 'POST', headers, body }), providers.github);
  const token = textField(parseObject(issued.text), 'access_token');
  if (token === '') throw new PublicError('provider_answer_empty');
  const authorization = `Bearer ${token}`;
  const answer = await reached(
    http.request({ url: userAddress, headers: { accept: 'application/json', authorization } }),
    providers.github,
  );
  const user = answer.status === 200 ? parseObject(answer.text) : undefined;
  const login = textField(user, 'login');
  const id = numericId(user);
  if (id === '' || login === '') throw new PublicError('provider_answer_empty');
  // A login made of digits would read like somebody's id.
  const legacy = /^\d+$/.test(login) ? {} : { legacyId: login };
  return { id, ...legacy, displayName: textField(user, 'name') || login };
}
