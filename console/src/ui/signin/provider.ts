import type { OAuthProvider } from '@tollgate/contract';
import { call } from '../../api/call.ts';
import { routes } from '../../api/routes.ts';

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
