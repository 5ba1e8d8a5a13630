import type { OAuthProvider, Status } from '@tollgate/contract';
import { call } from './call.ts';
import { routes } from './routes.ts';

/** How people know the providers. */
export const providerNames: Record<OAuthProvider, string> = { github: 'GitHub', linuxdo: 'Linux DO', oidc: 'OIDC' };

// The keys, not the contract's list: that one would bring its schemas into every page.
const providers = Object.keys(providerNames) as OAuthProvider[];
export const isProvider = (name: string): name is OAuthProvider => providers.some((known) => known === name);

/** The providers that the operator switched on. */
export function enabledProviders(status: Status | undefined): OAuthProvider[] {
  const on: Record<OAuthProvider, boolean | undefined> = {
    github: status?.github_oauth,
    linuxdo: status?.linuxdo_oauth,
    oidc: status?.oidc_enabled,
  };
  return providers.filter((provider) => on[provider]);
}

/**
 * Opens a provider's page in a new window, or here where the browser allows no window. Call it from a click. The provider
 * leads back to /oauth/{provider}. Throws ApiError; the window is closed then.
 */
export async function openProvider(provider: OAuthProvider, aff = ''): Promise<void> {
  // Opened before the address is known: later the browser would no longer see the click.
  const page = window.open('about:blank', '_blank');
  try {
    const url = await call(routes.signIn.oauthAuthorize, { query: { provider, aff } });
    if (!page) return location.assign(url);
    page.opener = null;
    page.location.replace(url);
  } catch (error) {
    page?.close();
    throw error;
  }
}

/** Browsers offer passkeys on HTTPS and on localhost only. */
export const canUsePasskeys = (): boolean => typeof PublicKeyCredential === 'function';
