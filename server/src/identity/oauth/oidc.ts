import { parseObject } from '@tollgate/wire';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  type Configuration,
  type CustomFetch,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  skipSubjectCheck,
} from 'openid-client';
import { PublicError } from '../../platform/errors.ts';
import { UpstreamFault } from '../../platform/http/client.ts';
import type { SystemClient } from '../../platform/http/system-client.ts';
import type { Options } from '../../settings/index.ts';
import type { DoorDeps } from '../deps.ts';
import { maxExternalIdLength, type Profile, providers, reached, textField } from './profile.ts';

/** What the provider sent back to our page, and what we remembered. */
export interface OidcReturn {
  code: string;
  state: string;
  iss: string | undefined;
  redirectUri: string;
  verifier: string | undefined;
  nonce: string | undefined;
}

/** The provider's page and what it can do. */
export interface OidcPage {
  address: string;
  takesChallenge: boolean;
}

export interface Oidc {
  /** Throws PublicError `provider_unreachable` or `oidc_token_failed`. */
  page(): Promise<OidcPage>;
  /** Redeems the code. Throws PublicError with the texts of contract 2.6. */
  profile(returned: OidcReturn): Promise<Profile>;
}

const cacheMs = 600_000;
const timeoutSeconds = 5;
const emptyBodyStatuses = new Set([204, 205, 304]);
const unreachable = () => new PublicError('provider_unreachable', { provider: providers.oidc.label });

type Settled = Pick<
  Options,
  | 'oidc.client_id'
  | 'oidc.client_secret'
  | 'oidc.well_known'
  | 'oidc.authorization_endpoint'
  | 'oidc.token_endpoint'
  | 'oidc.user_info_endpoint'
>;

/** With a discovery document: signed identity and PKCE. Without one: the plain exchange at the configured endpoints. */
export function createOidc({ http, options, clock }: DoorDeps): Oidc {
  let cached: { key: string; untilMs: number; configuration: Promise<Configuration> } | undefined;
  const discovered = async (settled: Settled): Promise<Configuration | undefined> => {
    if (settled['oidc.well_known'] === '') return undefined;
    const key = JSON.stringify([settled['oidc.well_known'], settled['oidc.client_id'], settled['oidc.client_secret']]);
    if (cached?.key !== key || cached.untilMs <= clock.monotonicMs()) {
      const entry = { key, untilMs: clock.monotonicMs() + cacheMs, configuration: discover(http, settled) };
      cached = entry;
      entry.configuration.catch(() => {
        if (cached === entry) cached = undefined;
      });
    }
    return cached.configuration;
  };
  return {
    async page() {
      const settled = options();
      const metadata = (await discovered(settled))?.serverMetadata();
      const address = settled['oidc.authorization_endpoint'] || (metadata?.authorization_endpoint ?? '');
      if (address === '') throw new PublicError('oidc_token_failed');
      return { address, takesChallenge: metadata?.code_challenge_methods_supported?.includes('S256') ?? false };
    },
    async profile(returned) {
      const settled = options();
      const configuration = await discovered(settled);
      const user =
        configuration === undefined
          ? await plainExchange(http, settled, returned)
          : await verifiedExchange(configuration, returned);
      return readProfile(user);
    },
  };
}

async function discover(http: SystemClient, settled: Settled): Promise<Configuration> {
  const address = new URL(settled['oidc.well_known']);
  try {
    const configuration = await discovery(address, settled['oidc.client_id'], settled['oidc.client_secret'], undefined, {
      timeout: timeoutSeconds,
      [customFetch]: fetchThrough(http),
      // The guard decides which plain addresses may be reached at all.
      execute: address.protocol === 'http:' ? [allowInsecureRequests] : [],
    });
    if (configuration.serverMetadata().jwks_uri !== undefined) enableNonRepudiationChecks(configuration);
    return configuration;
  } catch {
    throw unreachable();
  }
}

/** The library's calls by the guarded client. */
function fetchThrough(http: SystemClient): CustomFetch {
  return async (url, { method, headers, body }) => {
    const answer = await http.request({
      url,
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      body: body === undefined || body === null ? undefined : String(body),
    });
    return new Response(emptyBodyStatuses.has(answer.status) ? null : answer.text, answer);
  };
}

async function verifiedExchange(configuration: Configuration, returned: OidcReturn) {
  const address = new URL(returned.redirectUri);
  const issuer = configuration.serverMetadata().issuer;
  // Pages that pass on code and state alone leave `iss` out; the state is bound to this provider anyway.
  address.search = new URLSearchParams({ code: returned.code, state: returned.state, iss: returned.iss ?? issuer }).toString();
  const checks = {
    expectedState: returned.state,
    ...(returned.verifier === undefined ? {} : { pkceCodeVerifier: returned.verifier }),
    ...(returned.nonce === undefined ? {} : { expectedNonce: returned.nonce, idTokenExpected: true }),
  };
  const tokens = await authorizationCodeGrant(configuration, address, checks).catch((error: unknown) => {
    throw isNetwork(error) ? unreachable() : new PublicError('oidc_token_failed');
  });
  const subject = tokens.claims()?.sub ?? skipSubjectCheck;
  return fetchUserInfo(configuration, tokens.access_token, subject).catch(() => {
    throw new PublicError('oidc_user_failed');
  });
}

/** Our client's own fault, as it is or as the library's cause. */
function isNetwork(error: unknown): boolean {
  return error instanceof UpstreamFault || (error instanceof Error && error.cause instanceof UpstreamFault);
}

async function plainExchange(http: SystemClient, settled: Settled, returned: OidcReturn) {
  const body = new URLSearchParams({
    client_id: settled['oidc.client_id'],
    client_secret: settled['oidc.client_secret'],
    code: returned.code,
    grant_type: 'authorization_code',
    redirect_uri: returned.redirectUri,
    ...(returned.verifier === undefined ? {} : { code_verifier: returned.verifier }),
  }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  const issued = await reached(
    http.request({ url: settled['oidc.token_endpoint'], method: 'POST', headers, body }),
    providers.oidc,
  );
  const token = textField(parseObject(issued.text), 'access_token');
  if (token === '') throw new PublicError('oidc_token_failed');
  const authorization = `Bearer ${token}`;
  const answer = await reached(
    http.request({ url: settled['oidc.user_info_endpoint'], headers: { authorization } }),
    providers.oidc,
  );
  const user = answer.status === 200 ? parseObject(answer.text) : undefined;
  if (user === undefined) throw new PublicError('oidc_user_failed');
  return user;
}

function readProfile(user: Readonly<Record<string, unknown>>): Profile {
  const id = textField(user, 'sub');
  const email = textField(user, 'email');
  if (id === '' || email === '' || id.length > maxExternalIdLength) throw new PublicError('oidc_user_empty');
  const displayName = textField(user, 'name') || textField(user, 'preferred_username');
  return { id, displayName, ...(user.email_verified === true ? { email } : {}) };
}
