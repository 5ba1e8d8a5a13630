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

export interface ResetSearch {
  email?: string;
  token?: string;
}
/** What the link in the mail carries. */
export const readResetSearch = (raw: RawSearch): ResetSearch => ({
  email: textParam(raw.email, 254),
  token: textParam(raw.token, 128),
});

const callbackFields = ['code', 'state', 'error', 'error_description', 'iss'] as const;
export type CallbackSearch = Partial<Record<(typeof callbackFields)[number], string>>;
/** What a provider sends back; the server judges it. */
export const readCallbackSearch = (raw: RawSearch): CallbackSearch =>
  Object.fromEntries(callbackFields.map((name) => [name, textParam(raw[name], 2048)]));
