import type { OAuthProvider, Status } from '@tollgate/contract';

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

/** Browsers offer passkeys on HTTPS and on localhost only. */
export const canUsePasskeys = (): boolean => typeof PublicKeyCredential === 'function';
