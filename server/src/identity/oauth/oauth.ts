import { createHash } from 'node:crypto';
import type { OAuthProvider } from '@tollgate/contract';
import { PublicError } from '../../platform/errors.ts';
import { newSecret } from '../../platform/ids.ts';
import type { Options } from '../../settings/index.ts';
import type { SignIn } from '../admit-user.ts';
import type { DoorDeps } from '../deps.ts';
import type { Caller, Identity, OpenedSession } from '../types.ts';
import { bindProfile, enter, signInKnown } from './enter.ts';
import { githubPage, githubProfile } from './github.ts';
import { linuxdoPage, linuxdoProfile } from './linuxdo.ts';
import { createOidc, type Oidc } from './oidc.ts';
import { type Profile, providers } from './profile.ts';
import { type Asker, consumeState, type IssuedState, issueState, type StatePayload } from './states.ts';
import { telegramProfile } from './telegram.ts';
import { wechatProfile } from './wechat.ts';

/** What the provider's page sent back. */
export interface ProviderReturn {
  code: string;
  state: string;
  error: string;
  iss?: string | undefined;
}

/** `bound`: the session was renewed for the account that the profile now belongs to. */
export type ProviderOutcome = SignIn | { kind: 'bound'; session: OpenedSession };

export interface OAuth {
  state(asker: Asker, aff: string): Promise<IssuedState>;
  /** The provider's page with a fresh state. */
  authorize(provider: OAuthProvider, asker: Asker, aff: string): Promise<{ url: string; browser: string | undefined }>;
  /** Signs in, registers or binds. Throws PublicError with the texts of contract 2.6. */
  redeem(provider: OAuthProvider, returned: ProviderReturn, asker: Asker): Promise<ProviderOutcome>;
  /** `previous`: the session the caller still holds; it ends. */
  wechat(returned: { code: string; aff: string }, caller: Caller, previous?: Identity): Promise<SignIn>;
  wechatBind(code: string, identity: Identity, caller: Caller): Promise<OpenedSession>;
  telegram(query: Readonly<Record<string, string>>, caller: Caller, previous?: Identity): Promise<SignIn>;
  telegramBind(query: Readonly<Record<string, string>>, identity: Identity, caller: Caller): Promise<OpenedSession>;
}

export function createOAuth(deps: DoorDeps): OAuth {
  const oidc = createOidc(deps);
  const wechat = async (code: string): Promise<Profile> => {
    if (!deps.options().WeChatAuthEnabled) throw new PublicError('wechat_disabled');
    return wechatProfile(deps, code);
  };
  const telegram = async (query: Readonly<Record<string, string>>): Promise<Profile> => {
    if (!deps.options().TelegramOAuthEnabled) throw new PublicError('provider_disabled', { provider: 'Telegram' });
    return telegramProfile(deps, query);
  };
  return {
    state: (asker, aff) => issueState(deps, asker, { aff }),
    async authorize(provider, asker, aff) {
      checkEnabled(provider, deps.options());
      return openPage(deps, oidc, { provider, asker, aff });
    },
    async redeem(provider, returned, asker) {
      checkEnabled(provider, deps.options());
      const remembered = await consumeState(deps, asker, returned.state, provider);
      if (returned.error !== '') throw new PublicError('oauth_refused', { detail: errorName(returned.error) });
      if (returned.code === '') throw new PublicError('invalid_parameters');
      const profile = await readProfile(deps, oidc, { provider, returned, asker, remembered });
      const arrival = { provider: providers[provider], profile, caller: asker.caller, aff: remembered.aff };
      if (asker.identity === undefined) return enter(deps, arrival);
      return { kind: 'bound', session: await bindProfile(deps, asker.identity, arrival) };
    },
    async wechat({ code, aff }, caller, previous) {
      return enter(deps, { provider: providers.wechat, profile: await wechat(code), caller, aff, previous });
    },
    async wechatBind(code, identity, caller) {
      return bindProfile(deps, identity, { provider: providers.wechat, profile: await wechat(code), caller, aff: '' });
    },
    async telegram(query, caller, previous) {
      const profile = await telegram(query);
      const signIn = await signInKnown(deps, { provider: providers.telegram, profile, caller, aff: '', previous });
      if (signIn === undefined) throw new PublicError('telegram_unbound');
      return signIn;
    },
    async telegramBind(query, identity, caller) {
      const profile = await telegram(query);
      return bindProfile(deps, identity, { provider: providers.telegram, profile, caller, aff: '' });
    },
  };
}

function checkEnabled(provider: OAuthProvider, options: Options): void {
  const isOn = {
    github: options.GitHubOAuthEnabled,
    linuxdo: options.LinuxDOOAuthEnabled,
    oidc: options['oidc.enabled'],
  }[provider];
  if (!isOn) throw new PublicError('provider_disabled', { provider: providers[provider].label });
}

/** A provider's error code; whatever else stands there is not shown. */
function errorName(error: string): string {
  return /^[a-z_]{1,40}$/.test(error) ? error : 'error';
}

/** Where the provider sends the browser back to. */
function redirectUri(deps: DoorDeps, provider: OAuthProvider, origin: string): string {
  return `${deps.options().ServerAddress || origin}/oauth/${provider}`;
}

async function openPage(
  deps: DoorDeps,
  oidc: Oidc,
  { provider, asker, aff }: { provider: OAuthProvider; asker: Asker; aff: string },
): Promise<{ url: string; browser: string | undefined }> {
  const options = deps.options();
  const verifier = newSecret();
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  if (provider === 'github') {
    const { state, browser } = await issueState(deps, asker, { aff, provider, verifier });
    return { url: githubPage(options.GitHubClientId, state, challenge), browser };
  }
  const redirect = redirectUri(deps, provider, asker.origin);
  if (provider === 'linuxdo') {
    const { state, browser } = await issueState(deps, asker, { aff, provider });
    return { url: linuxdoPage(options.LinuxDOClientId, state, redirect), browser };
  }
  const { address, takesChallenge } = await oidc.page();
  const remembered: StatePayload = { aff, provider, nonce: newSecret(), ...(takesChallenge ? { verifier } : {}) };
  const { state, browser } = await issueState(deps, asker, remembered);
  const url = new URL(address);
  const query = {
    response_type: 'code',
    client_id: options['oidc.client_id'],
    redirect_uri: redirect,
    scope: 'openid profile email',
    state,
    nonce: remembered.nonce ?? '',
    ...(takesChallenge ? { code_challenge: challenge, code_challenge_method: 'S256' } : {}),
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return { url: url.href, browser };
}

function readProfile(
  deps: DoorDeps,
  oidc: Oidc,
  {
    provider,
    returned,
    asker,
    remembered,
  }: { provider: OAuthProvider; returned: ProviderReturn; asker: Asker; remembered: StatePayload },
): Promise<Profile> {
  const { code, state, iss } = returned;
  const { verifier, nonce } = remembered;
  if (provider === 'github') return githubProfile(deps, code, verifier);
  const redirect = redirectUri(deps, provider, asker.origin);
  if (provider === 'linuxdo') return linuxdoProfile(deps, code, redirect);
  return oidc.profile({ code, state, iss, redirectUri: redirect, verifier, nonce });
}
