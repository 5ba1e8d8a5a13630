import type { LoginAnswer, Passkey } from '@tollgate/contract';
import { call } from '../../api/call.ts';
import { textOf } from '../../api/errors.ts';
import { routes } from '../../api/routes.ts';
import {
  passkey_cancelled,
  passkey_elsewhere,
  passkey_exists,
  passkey_failed,
  passkey_not_added,
} from '../../i18n/generated/messages.ts';

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

/** Makes a passkey for the signed-in user. `password` is needed when it was not given for ten minutes. */
export async function createPasskey(name: string, password: string): Promise<Passkey> {
  const [options, { startRegistration }] = await Promise.all([
    call(routes.signIn.passkeyOptions, { body: { original_password: password } }),
    library(),
  ]);
  const optionsJSON = options as unknown as Parameters<Library['startRegistration']>[0]['optionsJSON'];
  const response = await startRegistration({ optionsJSON });
  return call(routes.signIn.passkeyCreate, { body: { name, response: { ...response } } });
}

/** What the browser's refusals mean, by their names. */
const refusals = new Map([
  ['NotAllowedError', passkey_cancelled],
  ['AbortError', passkey_cancelled],
  ['InvalidStateError', passkey_exists],
  ['SecurityError', passkey_elsewhere],
]);

/** The server's words, or what the browser's refusal means; `isNew`: of a passkey that was to be made. */
export function passkeyFaultText(error: unknown, isNew = false): string {
  if (!(error instanceof Error) || error.name === 'ApiError') return textOf(error);
  const text = refusals.get(error.name) ?? passkey_failed;
  return isNew && text === passkey_cancelled ? passkey_not_added() : text();
}
