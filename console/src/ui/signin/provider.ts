import type { OAuthProvider } from '@tollgate/contract';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { providerNames } from '../../api/doors.ts';
import { routes } from '../../api/routes.ts';
import { door_opened } from '../../i18n/generated/messages.ts';
import { notify, notifyError } from '../notify.ts';

/**
 * Opens a provider's page in a new window, or here where the browser allows no window. Call it from a click. The provider
 * leads back to /oauth/{provider}. Throws ApiError; the window is closed then.
 */
async function openProvider(provider: OAuthProvider, aff: string): Promise<void> {
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

/** Opens the page of a provider and says so. `opening`: the one that is on its way. */
export function useProviders() {
  const [opening, setOpening] = useState<OAuthProvider>();
  const open = (provider: OAuthProvider, aff = '') => {
    setOpening(provider);
    void openProvider(provider, aff)
      .then(() => notify('info', door_opened({ name: providerNames[provider] })), notifyError)
      .finally(() => setOpening(undefined));
  };
  return { opening, open };
}
