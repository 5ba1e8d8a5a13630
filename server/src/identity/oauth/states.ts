import { nowSeconds } from '../../platform/clock.ts';
import { PublicError } from '../../platform/errors.ts';
import { isSecret, newSecret } from '../../platform/ids.ts';
import type { DoorDeps } from '../deps.ts';
import { putOneTime, takeOneTime } from '../one-time.ts';
import type { Caller, Identity } from '../types.ts';

/** Who asks, as far as a state is bound to them. */
export interface Asker {
  identity: Identity | undefined;
  caller: Caller;
  /** The page's scheme and host. */
  origin: string;
  /** Value of the short-lived cookie of anonymous browsers. */
  browser: string | undefined;
}

/** What a state remembers until its one use. */
export interface StatePayload {
  aff: string;
  /** Set when the state was made for one provider's page. */
  provider?: string;
  verifier?: string;
  nonce?: string;
}

export interface IssuedState {
  state: string;
  /** For the cookie; undefined where the session binds the state. */
  browser: string | undefined;
}

const stateSeconds = 600;

/** A state of 256 bits, bound to the caller's session, or to this browser where nobody is signed in. */
export async function issueState(deps: DoorDeps, asker: Asker, payload: StatePayload): Promise<IssuedState> {
  const known = isSecret(asker.browser) ? asker.browser : newSecret();
  const browser = asker.identity === undefined ? known : undefined;
  const state = newSecret();
  const now = nowSeconds(deps.clock);
  const entry = {
    kind: 'oauth-state',
    parts: [state, bindingOf({ ...asker, browser })],
    userId: asker.identity?.user.id ?? 0,
    payload: JSON.stringify(payload),
    expiresAt: now + stateSeconds,
  } as const;
  await deps.db.transaction((tx) => putOneTime(tx, entry, now));
  return { state, browser };
}

/** Consumes the state. Throws PublicError `oauth_state_wrong`: unknown, used, too old, or of another browser or session. */
export async function consumeState(deps: DoorDeps, asker: Asker, state: string, provider: string): Promise<StatePayload> {
  if (!isSecret(state)) throw new PublicError('oauth_state_wrong');
  const now = nowSeconds(deps.clock);
  const found = await deps.db.transaction((tx) => takeOneTime(tx, 'oauth-state', [state, bindingOf(asker)], now));
  const payload = found === undefined ? undefined : (JSON.parse(found.payload) as StatePayload);
  if (payload === undefined || (payload.provider ?? provider) !== provider) throw new PublicError('oauth_state_wrong');
  return payload;
}

/** A state asked for by a session binds to an account; one of an anonymous browser signs in. Neither does the other. */
function bindingOf({ identity, browser }: Pick<Asker, 'identity' | 'browser'>): string {
  if (identity === undefined) return `browser:${browser ?? ''}`;
  if (identity.credential.kind !== 'session') throw new PublicError('permission_denied');
  return `session:${identity.credential.idHash}`;
}
