import { call } from './call.ts';
import { ApiError } from './errors.ts';
import { routes } from './routes.ts';
import { clearSession } from './session.ts';

/**
 * Ends the session and forgets the user. Throws ApiError where the session may live on, and then nothing is forgotten: its
 * cookie is out of this page's reach, and whoever sits here next would have it.
 */
export async function signOut(): Promise<void> {
  await call(routes.account.logout).catch((error: unknown) => {
    if (!(error instanceof ApiError) || mayLiveOn(error)) throw error;
  });
  clearSession();
}

const mayLiveOn = ({ status }: ApiError): boolean => status === 0 || status === 429 || status >= 500;
