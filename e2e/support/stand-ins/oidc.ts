import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createGrants, type Grants } from './authorization.ts';
import { type Received, type Reply, startWeb, type Web } from './web.ts';

export interface OidcUser {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
}

export interface OidcFaults {
  /** Signs with a key that the provider does not publish. */
  foreignKey?: boolean;
  wrongAudience?: boolean;
  wrongNonce?: boolean;
  /** User-info names somebody else than the signed token. */
  otherSubject?: boolean;
  userInfoDown?: boolean;
  /** The token endpoint hangs up. */
  tokenDown?: boolean;
}

export interface OidcProvider extends Web, Pick<Grants<OidcUser>, 'agree' | 'issue'> {
  issuer: string;
  rewrite: string[];
  /** What is wrong from now on. */
  faults: OidcFaults;
}

const host = 'id.example.org';

/** An OpenID provider: discovery, keys, signed identity, user-info, PKCE. Its host is reached through EGRESS_REWRITE. */
export async function startOidc(client: { id: string; secret: string }): Promise<OidcProvider> {
  const issuer = `https://${host}`;
  const grants = createGrants<OidcUser>();
  const faults: OidcFaults = {};
  const [own, foreign] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')];
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };

  const identity = (user: OidcUser, nonce: string | null): Promise<string> =>
    new SignJWT(nonce === null ? {} : { nonce: faults.wrongNonce ? 'another' : nonce })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .setIssuer(issuer)
      .setSubject(user.sub)
      .setAudience(faults.wrongAudience ? 'somebody-else' : client.id)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(faults.foreignKey ? foreign.privateKey : own.privateKey);

  const token = async ({ body }: Received): Promise<Reply> => {
    if (faults.tokenDown) return { hangUp: true };
    const form = new URLSearchParams(body);
    const isClient = form.get('client_id') === client.id && form.get('client_secret') === client.secret;
    const grant = isClient ? grants.redeem(form, client.id) : undefined;
    if (grant === undefined) return { status: 400, body: { error: 'invalid_grant' } };
    const idToken = await identity(grant.user, grant.nonce);
    return { body: { access_token: grants.tokenFor(grant.user), token_type: 'Bearer', expires_in: 300, id_token: idToken } };
  };
  const userInfo = ({ headers }: Received): Reply => {
    const user = grants.userOf(headers.authorization);
    if (user === undefined || faults.userInfoDown) return { status: 401, body: {} };
    return { body: { ...user, ...(faults.otherSubject ? { sub: 'somebody-else' } : {}) } };
  };
  const web = await startWeb((request): Reply | Promise<Reply> => {
    if (request.path === '/.well-known/openid-configuration') return { body: metadata(issuer) };
    if (request.path === '/keys') return { body: { keys: [jwk] } };
    if (request.path === '/token') return token(request);
    return request.path === '/userinfo' ? userInfo(request) : { status: 404 };
  });
  return { ...web, issuer, faults, agree: grants.agree, issue: grants.issue, rewrite: [`${host}=${web.origin}`] };
}

function metadata(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
  };
}
