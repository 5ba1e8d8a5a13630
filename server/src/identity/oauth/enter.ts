import { recordAudit } from '../../audit/index.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { PublicError } from '../../platform/errors.ts';
import { randomAlphanumerics } from '../../platform/ids.ts';
import { isRegistrationOpen } from '../../settings/index.ts';
import { notifyChange } from '../../storage/changes.ts';
import type { Transaction } from '../../storage/database.ts';
import { isUniqueViolation } from '../../storage/errors.ts';
import { admitUser, renewSession, type SignIn } from '../admit-user.ts';
import { actorFor } from '../audit.ts';
import type { DoorDeps } from '../deps.ts';
import { acceptAddress } from '../mail-address.ts';
import { claimAddress } from '../mail-codes.ts';
import { insertUser } from '../registration.ts';
import type { Caller, Identity, OpenedSession } from '../types.ts';
import type { Profile, Provider } from './profile.ts';

export interface Arrival {
  provider: Provider;
  profile: Profile;
  caller: Caller;
  /** Invite code from the page that the visitor came through. */
  aff: string;
  /** The session that the caller still holds; it ends. */
  previous?: Identity | undefined;
}

const maxAttempts = 3;
const maxNameLength = 20;

/** Signs in whom the profile belongs to, or registers them where registration is open. Throws PublicError. */
export async function enter(deps: DoorDeps, arrival: Arrival): Promise<SignIn> {
  for (let attempt = 1; ; attempt++) {
    const known = await signInKnown(deps, arrival);
    if (known !== undefined) return known;
    if (!isRegistrationOpen(deps.options())) throw new PublicError('register_disabled');
    try {
      return await register(deps, arrival, attempt);
    } catch (error) {
      // The same person in another tab, or another newcomer with the same number: look again.
      const isRace = error instanceof PublicError && error.code === 'username_taken';
      if (!isRace || attempt === maxAttempts) throw error;
    }
  }
}

/** Undefined when nobody has this profile. */
export async function signInKnown(deps: DoorDeps, { provider, profile, caller, previous }: Arrival): Promise<SignIn | undefined> {
  const userId = await findUser(deps, provider, profile);
  if (userId === undefined) return undefined;
  return deps.db.transaction(async (tx) => {
    await adoptId(tx, provider, profile, userId);
    return admitUser(tx, deps, { userId, door: provider.door, caller, previous });
  });
}

/** Binds the profile to the caller's account and renews the session. Throws PublicError where somebody else has it. */
export async function bindProfile(deps: DoorDeps, identity: Identity, arrival: Arrival): Promise<OpenedSession> {
  const { provider, profile, caller } = arrival;
  const { user } = identity;
  const taken = () =>
    provider.door === 'wechat'
      ? new PublicError('wechat_taken')
      : new PublicError('provider_taken', { provider: provider.label });
  const holder = await findUser(deps, provider, profile);
  if (holder !== undefined && holder !== user.id) throw taken();
  const now = nowSeconds(deps.clock);
  try {
    const session = await deps.db.transaction(async (tx) => {
      await tx.query
        .updateTable('users')
        .set({ [provider.column]: profile.id })
        .where('id', '=', user.id)
        .execute();
      await tx.perform(notifyChange('user', String(user.id), now));
      const renewed = await renewSession(tx, deps, identity, caller);
      const event = { actor: actorFor(user, caller), target: `user:${user.id}`, detail: { door: provider.door }, now };
      await tx.perform(recordAudit({ ...event, action: 'user.bind' }));
      return renewed;
    });
    deps.changes.notify();
    return session;
  } catch (error) {
    if (isUniqueViolation(error)) throw taken();
    throw error;
  }
}

/** By the id that never changes; else by what an imported row has in its place. Deregistered rows count. */
async function findUser({ db }: DoorDeps, { column }: Provider, { id, legacyId }: Profile): Promise<number | undefined> {
  for (const value of [id, legacyId]) {
    if (value === undefined) continue;
    const row = await db.read.selectFrom('users').select('id').where(column, '=', value).executeTakeFirst();
    if (row !== undefined) return row.id;
  }
  return undefined;
}

async function adoptId(tx: Transaction, { column }: Provider, { id, legacyId }: Profile, userId: number): Promise<void> {
  if (legacyId === undefined) return;
  await tx.query
    .updateTable('users')
    .set({ [column]: id })
    .where('id', '=', userId)
    .where(column, '=', legacyId)
    .execute();
}

async function register(deps: DoorDeps, arrival: Arrival, attempt: number): Promise<SignIn> {
  const { provider, profile, caller, aff, previous } = arrival;
  const options = deps.options();
  const now = nowSeconds(deps.clock);
  const newcomer = {
    username: await freshName(deps, provider, attempt),
    display_name: displayName(profile, provider),
    password: '',
    passwordHash: '',
    email: '',
    verification_code: '',
    aff_code: aff,
    options,
    now,
    person: { ip: caller.address.ip, device: caller.device, address: profile.email ?? '' },
  };
  let result: SignIn | undefined;
  await insertUser(deps, newcomer, async (tx, id) => {
    await tx.query
      .updateTable('users')
      .set({ [provider.column]: profile.id })
      .where('id', '=', id)
      .execute();
    await keepAddress(tx, deps, profile.email, id);
    const event = { actor: actorFor({ id, username: newcomer.username }, caller), target: `user:${id}`, now };
    await tx.perform(recordAudit({ ...event, action: 'register', detail: { door: provider.door } }));
    result = await admitUser(tx, deps, { userId: id, door: provider.door, caller, previous });
  });
  deps.changes.notify();
  if (result === undefined) throw new PublicError('internal_error');
  return result;
}

/** An address that the provider verified, unless it is taken or not accepted here. */
async function keepAddress(tx: Transaction, deps: DoorDeps, email: string | undefined, userId: number): Promise<void> {
  if (email === undefined) return;
  try {
    const address = acceptAddress(email, deps.options());
    await claimAddress(tx, address, nowSeconds(deps.clock), 'email_taken');
    await tx.query.updateTable('users').set({ email: address }).where('id', '=', userId).execute();
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
  }
}

/** `{provider}_{number}`; the number alone may be taken by somebody who chose that very name. */
async function freshName({ db }: DoorDeps, { prefix }: Provider, attempt: number): Promise<string> {
  const row = await db.read
    .selectFrom('users')
    .select((select) => select.fn.max('id').as('highest'))
    .executeTakeFirst();
  const name = `${prefix}_${Number(row?.highest ?? 0) + 1}`;
  return attempt === 1 ? name : `${name}_${randomAlphanumerics(4)}`;
}

function displayName({ displayName: given }: Profile, { fallbackName }: Provider): string {
  const clean = given.replaceAll(/\p{C}/gu, '').trim();
  return [...(clean || fallbackName)].slice(0, maxNameLength).join('');
}
