import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Passkey, WebAuthnJson } from '@tollgate/contract';
import { recordAudit } from '../audit/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import { newSecret } from '../platform/ids.ts';
import { isUniqueViolation } from '../storage/errors.ts';
import { admitUser, type SignIn } from './admit-user.ts';
import { actorFor, recordLoginFailure } from './audit.ts';
import type { AccountDeps } from './deps.ts';
import { type OneTimeKind, putOneTime, takeOneTime } from './one-time.ts';
import { challengeOf, type NewPasskey, verifyNewPasskey, webauthn } from './passkey-response.ts';
import { proveSelf } from './prove.ts';
import type { Caller, Identity } from './types.ts';
import { lockSelf } from './users.ts';

export interface Passkeys {
  list(identity: Identity): Promise<Passkey[]>;
  /** What the browser needs to make one. `origin`: the page's scheme and host. */
  registrationOptions(identity: Identity, password: string, caller: Caller, origin: string): Promise<WebAuthnJson>;
  /** Throws PublicError `passkey_invalid` or `passkey_limit`. */
  register(identity: Identity, input: PasskeyInput, caller: Caller, origin: string): Promise<Passkey>;
  /** Throws PublicError `passkey_not_found`, also for another user's. */
  rename(identity: Identity, id: number, name: string): Promise<void>;
  remove(identity: Identity, id: number, caller: Caller): Promise<void>;
  /** For anybody: names no passkey, so that nobody learns who has one. */
  signInOptions(origin: string): Promise<WebAuthnJson>;
  /** A passkey with user verification is two factors by itself. Throws PublicError `passkey_invalid`. */
  signIn(response: unknown, request: Request & { previous?: Identity | undefined }): Promise<SignIn>;
}

/** Who asks, from which page (scheme and host). */
export interface Request {
  caller: Caller;
  origin: string;
}

export interface PasskeyInput {
  name: string;
  response: unknown;
}

const maxPasskeys = 20;
const challengeSeconds = 300;

export function createPasskeys(deps: AccountDeps): Passkeys {
  return {
    async list({ user }) {
      const rows = await deps.db.read
        .selectFrom('passkey')
        .select(['id', 'name', 'created_at', 'used_at'])
        .where('user_id', '=', user.id)
        .orderBy('id')
        .execute();
      return rows;
    },
    registrationOptions: (identity, password, caller, origin) =>
      registrationOptions(deps, identity, { password, caller, origin }),
    register: (identity, input, caller, origin) => register(deps, identity, { ...input, caller, origin }),
    async rename({ user }, id, name) {
      const renamed = await deps.db.transaction((tx) =>
        tx.query
          .updateTable('passkey')
          .set({ name })
          .where('id', '=', id)
          .where('user_id', '=', user.id)
          .returning('id')
          .executeTakeFirst(),
      );
      if (renamed === undefined) throw new PublicError('passkey_not_found');
    },
    remove: (identity, id, caller) => remove(deps, identity, id, caller),
    async signInOptions(origin) {
      const challenge = await newChallenge(deps, 'passkey-login', 0);
      const { rpID } = relyingParty(deps, origin);
      const { generateAuthenticationOptions } = await webauthn();
      return asJson(await generateAuthenticationOptions({ rpID, challenge: bytesOf(challenge), userVerification: 'required' }));
    },
    signIn: (response, request) => signIn(deps, response, request),
  };
}

/** The site that passkeys belong to: the configured address, else the one that the page was loaded from. */
function relyingParty({ options }: AccountDeps, origin: string) {
  const address = URL.parse(options().ServerAddress) ?? URL.parse(origin);
  if (address === null) throw new PublicError('passkey_invalid');
  return { rpID: address.hostname, expectedOrigin: address.origin };
}

async function newChallenge(deps: AccountDeps, kind: OneTimeKind, userId: number): Promise<string> {
  const challenge = newSecret();
  const now = nowSeconds(deps.clock);
  const entry = { kind, parts: [challenge], userId, payload: '', expiresAt: now + challengeSeconds };
  await deps.db.transaction((tx) => putOneTime(tx, entry, now));
  return challenge;
}

async function registrationOptions(
  deps: AccountDeps,
  identity: Identity,
  { password, caller, origin }: Request & { password: string },
): Promise<WebAuthnJson> {
  await proveSelf(deps, identity, password, caller);
  const { user } = identity;
  const known = await deps.db.read.selectFrom('passkey').select('credential_id').where('user_id', '=', user.id).execute();
  if (known.length >= maxPasskeys) throw new PublicError('passkey_limit');
  const challenge = await newChallenge(deps, 'passkey-register', user.id);
  const { generateRegistrationOptions } = await webauthn();
  const options = await generateRegistrationOptions({
    rpName: deps.options().SystemName,
    rpID: relyingParty(deps, origin).rpID,
    userName: user.username,
    userDisplayName: user.displayName,
    userID: Uint8Array.from(Buffer.from(String(user.id))),
    challenge: bytesOf(challenge),
    attestationType: 'none',
    excludeCredentials: known.map((row) => ({ id: row.credential_id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  return asJson(options);
}

async function register(
  deps: AccountDeps,
  { user }: Identity,
  { name, response, caller, origin }: Request & PasskeyInput,
): Promise<Passkey> {
  const challenge = challengeOf(response);
  const now = nowSeconds(deps.clock);
  // Consumed before it is judged: a challenge answers one response, whatever that is worth.
  const asked = await deps.db.transaction((tx) => takeOneTime(tx, 'passkey-register', [challenge], now));
  if (asked?.userId !== user.id) throw new PublicError('passkey_invalid');
  const made = await verifyNewPasskey(response as RegistrationResponseJSON, { challenge, ...relyingParty(deps, origin) });
  if (made === undefined) throw new PublicError('passkey_invalid');
  return store(deps, user, { ...made, name }, caller);
}

async function store(
  deps: AccountDeps,
  user: Identity['user'],
  made: NewPasskey & { name: string },
  caller: Caller,
): Promise<Passkey> {
  const now = nowSeconds(deps.clock);
  try {
    return await deps.db.transaction(async (tx) => {
      await lockSelf(tx, user);
      // Challenges may be asked for together, each while there was room.
      const known = await tx.query.selectFrom('passkey').select('id').where('user_id', '=', user.id).execute();
      if (known.length >= maxPasskeys) throw new PublicError('passkey_limit');
      const row = await tx.query
        .insertInto('passkey')
        .values({ ...made, user_id: user.id, created_at: now, used_at: 0 })
        .returning(['id', 'name', 'created_at', 'used_at'])
        .executeTakeFirstOrThrow();
      const detail = { passkey: row.id, added: true };
      await tx.perform(
        recordAudit({ actor: actorFor(user, caller), action: 'user.second_factor', target: `user:${user.id}`, detail, now }),
      );
      return row;
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new PublicError('passkey_invalid');
    throw error;
  }
}

async function remove(deps: AccountDeps, { user }: Identity, id: number, caller: Caller): Promise<void> {
  const now = nowSeconds(deps.clock);
  await deps.db.transaction(async (tx) => {
    await lockSelf(tx, user);
    const removed = await tx.query
      .deleteFrom('passkey')
      .where('id', '=', id)
      .where('user_id', '=', user.id)
      .returning('id')
      .executeTakeFirst();
    if (removed === undefined) throw new PublicError('passkey_not_found');
    const detail = { passkey: id, added: false };
    await tx.perform(
      recordAudit({ actor: actorFor(user, caller), action: 'user.second_factor', target: `user:${user.id}`, detail, now }),
    );
  });
}

async function signIn(
  deps: AccountDeps,
  response: unknown,
  { caller, origin, previous }: Request & { previous?: Identity | undefined },
): Promise<SignIn> {
  const challenge = challengeOf(response);
  const now = nowSeconds(deps.clock);
  const asked = await deps.db.transaction((tx) => takeOneTime(tx, 'passkey-login', [challenge], now));
  const { id } = response as AuthenticationResponseJSON;
  const key = asked === undefined ? undefined : await findPasskey(deps, id);
  const verified = key && (await verifyUse(deps, response as AuthenticationResponseJSON, { key, challenge, origin }));
  if (key === undefined || verified === undefined) {
    const attempt = { userId: key?.user_id, caller, door: 'passkey', now };
    await deps.db.transaction((tx) => tx.perform(recordLoginFailure(attempt)));
    throw new PublicError('passkey_invalid');
  }
  return deps.db.transaction(async (tx) => {
    const used = { counter: verified.newCounter, used_at: now };
    const kept = await tx.query.updateTable('passkey').set(used).where('id', '=', key.id).returning('id').executeTakeFirst();
    // Removed while it was verified.
    if (kept === undefined) throw new PublicError('passkey_invalid');
    return admitUser(tx, deps, { userId: key.user_id, door: 'passkey', caller, previous, isStrong: true });
  });
}

type StoredPasskey = Awaited<ReturnType<typeof findPasskey>>;

function findPasskey({ db }: AccountDeps, credentialId: string) {
  return db.read.selectFrom('passkey').selectAll().where('credential_id', '=', credentialId).executeTakeFirst();
}

async function verifyUse(
  deps: AccountDeps,
  response: AuthenticationResponseJSON,
  { key, challenge, origin }: { key: NonNullable<StoredPasskey>; challenge: string; origin: string },
) {
  const { rpID, expectedOrigin } = relyingParty(deps, origin);
  try {
    const { verifyAuthenticationResponse } = await webauthn();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin,
      expectedRPID: rpID,
      requireUserVerification: true,
      credential: {
        id: key.credential_id,
        publicKey: Uint8Array.from(Buffer.from(key.public_key, 'base64url')),
        counter: key.counter,
      },
    });
    return verified ? authenticationInfo : undefined;
  } catch {
    // The library throws for every kind of wrong response; none of them is our fault.
    return undefined;
  }
}

/** The challenge as the library shall encode it: its text is then the one we stored. */
function bytesOf(challenge: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(challenge, 'base64url'));
}

function asJson(options: object): WebAuthnJson {
  return { ...options };
}
