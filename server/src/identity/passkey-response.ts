import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import { PublicError } from '../platform/errors.ts';

/** Columns of a passkey that its authenticator decides. */
export interface NewPasskey {
  credential_id: string;
  public_key: string;
  counter: number;
  transports: string;
}

const challengeShape = /^[\w-]{43}$/;
const maxIdLength = 1400;
const knownTransports = new Set(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']);

/** Loaded with the first passkey: a quarter of the server's start otherwise. */
export const webauthn = () => import('@simplewebauthn/server');

/** The challenge that a response claims to answer. Throws PublicError `passkey_invalid`. */
export function challengeOf(response: unknown): string {
  const { response: inner } = response as { response?: { clientDataJSON?: unknown } };
  try {
    const text = Buffer.from(String(inner?.clientDataJSON), 'base64url').toString('utf8');
    const { challenge } = JSON.parse(text) as { challenge?: unknown };
    if (typeof challenge === 'string' && challengeShape.test(challenge)) return challenge;
  } catch {
    // Not JSON: answered like a wrong challenge.
  }
  throw new PublicError('passkey_invalid');
}

/** What to store of a new passkey; undefined when the response does not hold. */
export async function verifyNewPasskey(
  response: RegistrationResponseJSON,
  expected: { challenge: string; rpID: string; expectedOrigin: string },
): Promise<NewPasskey | undefined> {
  try {
    if (!(await isSelfAttested(response.response.attestationObject))) return undefined;
    const { verifyRegistrationResponse } = await webauthn();
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: expected.challenge,
      expectedOrigin: expected.expectedOrigin,
      expectedRPID: expected.rpID,
      requireUserVerification: true,
    });
    if (!verified || registrationInfo.credential.id.length > maxIdLength) return undefined;
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
    return {
      credential_id: id,
      public_key: Buffer.from(publicKey).toString('base64url'),
      counter,
      transports: transports.filter((transport) => knownTransports.has(transport)).join(','),
    };
  } catch {
    // The library throws for every kind of wrong response; none of them is our fault.
    return undefined;
  }
}

/**
 * No certificates: we ask for none, and checking foreign ones would fetch addresses that they name, past the guard of
 * outbound calls.
 */
async function isSelfAttested(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const decoded = decodeAttestationObject(Uint8Array.from(Buffer.from(attestationObject, 'base64url')));
  const format = decoded.get('fmt');
  return format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined);
}
