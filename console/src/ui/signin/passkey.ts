import type { LoginAnswer, Passkey } from '@tollgate/contract';
import { call } from '../../api/call.ts';
import { textOf } from '../../api/errors.ts';
import { routes } from '../../api/routes.ts';
import { passkey_cancelled, passkey_exists, passkey_failed } from '../../i18n/generated/messages.ts';

const library = () => import('@simplewebauthn/browser');
type Library = Awaited<ReturnType<typeof library>>;

/** Asks the browser for a passkey of this site and signs in with it. Throws ApiError or the browser's refusal. */
export async function signInWithPasskey(): Promise<LoginAnswer> {
  const [options, { startAuthentication }] = await Promise.all([
    call(routes.signIn.passkeyLoginOptions, { body: {} }),
    library(),
  ]);
  const optionsJSON = options as unknown as Parameters<Library['startAuthentication']>[0]['optionsJSON'];
  const response = await startAuthentication({ optionsJSON });
  return call(routes.signIn.passkeyLogin, { body: { response: { ...response } } });
}

/** Makes a passkey for the signed-in user. `password` is needed when the sign-in is older than ten minutes. */
export async function createPasskey(name: string, password: string): Promise<Passkey> {
  const [options, { startRegistration }] = await Promise.all([
    call(routes.signIn.passkeyOptions, { body: { original_password: password } }),
    library(),
  ]);
  const optionsJSON = options as unknown as Parameters<Library['startRegistration']>[0]['optionsJSON'];
  const response = await startRegistration({ optionsJSON });
  return call(routes.signIn.passkeyCreate, { body: { name, response: { ...response } } });
}

/** The server's words, or what the browser's refusal means. */
export function passkeyFaultText(error: unknown): string {
  if (!(error instanceof Error)) return textOf(error);
  if (error.name === 'NotAllowedError' || error.name === 'AbortError') return passkey_cancelled();
  if (error.name === 'InvalidStateError') return passkey_exists();
  return error.name === 'ApiError' ? textOf(error) : passkey_failed();
}
