import { ownPath, type RawSearch, textParam } from '../../lib/search.ts';

export interface LoginSearch {
  /** The session ended by itself. */
  expired?: true;
  /** Where to go after signing in: a path of ours. */
  redirect?: string;
}
export const readLoginSearch = (raw: RawSearch): LoginSearch => ({
  expired: raw.expired === 'true' || raw.expired === true || undefined,
  redirect: ownPath(raw.redirect),
});

export interface RegisterSearch {
  /** Invite code. */
  aff?: string;
}
export const readRegisterSearch = (raw: RawSearch): RegisterSearch => ({ aff: textParam(raw.aff, 32) });
