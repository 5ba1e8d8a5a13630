import * as z from 'zod/mini';
import { data, defineRoute } from './route.ts';
import type { CallLimits } from './token-policy.ts';

/** The answer of login: only these fields are filled (contract 1.5). */
export interface LoginUser {
  id: number;
  username: string;
  display_name: string;
  role: number;
  status: number;
  group: string;
  /** The session may do nothing but read itself and change the password. */
  must_change_password?: boolean;
}

/** What every sign-in answers: the user, or that a second step is due. */
export interface LoginAnswer extends LoginUser {
  /** Nobody is signed in yet: send `ticket` with a code to /api/user/totp/login. The user's fields are zero values. */
  totp_required?: true;
  ticket?: string;
}

/** The user as the console reads it; secrets are always blank. */
export interface User extends LoginUser {
  password: '';
  access_token: '';
  verification_code: '';
  email: string;
  github_id: string;
  oidc_id: string;
  wechat_id: string;
  telegram_id: string;
  linux_do_id: string;
  quota: number;
  /** What running calls and tasks hold beside it, until they end. */
  quota_held: number;
  /** Rises with every movement of `quota`. */
  quota_version: number;
  used_quota: number;
  request_count: number;
  aff_code: string;
  aff_count: number;
  aff_quota: number;
  aff_history_quota: number;
  inviter_id: number;
  DeletedAt: string | null;
  setting: string;
  limits: CallLimits;
  created_time: number;
  /** The token whose key the search was for; only in the answer of that search. */
  found_token?: { id: number; name: string; disabled: boolean };
}

/**
 * Without @: people sign in by name or address, and a name that is another's address would take their sign-in. Without what
 * turns around or breaks the line that it stands in, and with something that can be seen: some letters and signs are blank.
 */
export const usernameForm =
  /^(?=.*(?![\p{DI}\u2800])[\p{L}\p{N}\p{P}\p{S}])[^@\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]*$/u;
export const username = z.string().check(z.trim(), z.minLength(1), z.maxLength(12), z.regex(usernameForm));
/** R-05 with rulings 18: 8 to 128 characters. */
export const newPassword = z.string().check(z.minLength(8), z.maxLength(128));
const email = z.string().check(z.trim(), z.maxLength(50));

export const registerBody = z.object({
  username,
  password: newPassword,
  password2: z.optional(z.string().check(z.maxLength(128))),
  email: z._default(email, ''),
  verification_code: z._default(z.string().check(z.maxLength(32)), ''),
  aff_code: z._default(z.string().check(z.maxLength(32)), ''),
});
export const loginBody = z.object({
  /** As long as names and addresses that were imported may be. */
  username: z.string().check(z.trim(), z.maxLength(255)),
  password: z.string().check(z.maxLength(128)),
});
export const selfBody = z.object({
  /** Names that stay may be longer than new ones: the service judges those that differ. */
  username: z._default(z.string().check(z.trim(), z.maxLength(255)), ''),
  display_name: z._default(z.string().check(z.trim(), z.maxLength(255)), ''),
  password: z._default(z.union([newPassword, z.literal('')]), ''),
  original_password: z._default(z.string().check(z.maxLength(128)), ''),
});

const turnstile = z.object({ turnstile: z.optional(z.string().check(z.maxLength(4096))) });

export const accountRoutes = {
  register: defineRoute({
    method: 'POST',
    path: '/api/user/register',
    access: 'none',
    botCheck: true,
    query: turnstile,
    body: registerBody,
    data: data<undefined>(),
  }),
  login: defineRoute({
    method: 'POST',
    path: '/api/user/login',
    access: 'try',
    botCheck: true,
    query: turnstile,
    body: loginBody,
    data: data<LoginAnswer>(),
  }),
  logout: defineRoute({ method: 'GET', path: '/api/user/logout', access: 'try', data: data<undefined>() }),
  self: defineRoute({ method: 'GET', path: '/api/user/self', access: 'user', data: data<User>() }),
  updateSelf: defineRoute({ method: 'PUT', path: '/api/user/self', access: 'user', body: selfBody, data: data<undefined>() }),
  models: defineRoute({ method: 'GET', path: '/api/user/models', access: 'user', data: data<string[]>() }),
  selfGroups: defineRoute({
    method: 'GET',
    path: '/api/user/self/groups',
    access: 'user',
    data: data<Record<string, UsableGroup>>(),
  }),
  groups: defineRoute({ method: 'GET', path: '/api/user/groups', access: 'try', data: data<Record<string, UsableGroup>>() }),
} as const;

/** A group a user may pick; the automatic group's ratio is a word. */
export interface UsableGroup {
  ratio: number | string;
  desc: string;
}
