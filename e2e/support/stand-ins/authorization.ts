import { createHash, randomBytes } from 'node:crypto';

/** What the browser brings back from the provider's page. */
export interface Granted {
  code: string;
  state: string;
}

interface Grant<User> {
  user: User;
  clientId: string;
  redirectUri: string | null;
  challenge: string | null;
  nonce: string | null;
}

export interface Grants<User> {
  /** The user opens the provider's page and agrees. */
  agree(pageUrl: string, user: User): Granted;
  /** A code that is redeemed without its page, as a console does that builds the address by itself. */
  issue(user: User, clientId: string): string;
  /** Redeems the code of a token request once, with the verifier that its page was opened with. */
  redeem(form: URLSearchParams, clientId: string): Grant<User> | undefined;
  tokenFor(user: User): string;
  userOf(authorization: string | undefined): User | undefined;
}

/** The memory of an authorization server: codes of one use, bound to client, redirect and PKCE challenge. */
export function createGrants<User>(): Grants<User> {
  const codes = new Map<string, Grant<User>>();
  const tokens = new Map<string, User>();
  const secret = () => randomBytes(16).toString('hex');
  return {
    agree(pageUrl, user) {
      const query = new URL(pageUrl).searchParams;
      const code = secret();
      codes.set(code, {
        user,
        clientId: query.get('client_id') ?? '',
        redirectUri: query.get('redirect_uri'),
        challenge: query.get('code_challenge'),
        nonce: query.get('nonce'),
      });
      return { code, state: query.get('state') ?? '' };
    },
    issue(user, clientId) {
      const code = secret();
      codes.set(code, { user, clientId, redirectUri: null, challenge: null, nonce: null });
      return code;
    },
    redeem(form, clientId) {
      const [code, verifier] = [form.get('code') ?? '', form.get('code_verifier')];
      const grant = codes.get(code);
      codes.delete(code);
      if (grant === undefined || grant.clientId !== clientId) return undefined;
      if (grant.redirectUri !== null && grant.redirectUri !== form.get('redirect_uri')) return undefined;
      const shown = verifier === null ? null : createHash('sha256').update(verifier).digest('base64url');
      return grant.challenge === shown ? grant : undefined;
    },
    tokenFor(user) {
      const token = secret();
      tokens.set(token, user);
      return token;
    },
    userOf: (authorization) => tokens.get(authorization?.replace(/^Bearer /, '') ?? ''),
  };
}
