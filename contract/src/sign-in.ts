import * as z from 'zod/mini';
import type { LoginAnswer, LoginUser } from './account.ts';
import { data, defineRoute } from './route.ts';

export interface TotpStatus {
  enabled: boolean;
  recovery_codes_left: number;
}

/** Shown once, before the second factor is switched on. */
export interface TotpSetup {
  /** Base32, for typing. */
  secret: string;
  /** otpauth:// address, for a QR code. */
  uri: string;
}

export interface Passkey {
  id: number;
  name: string;
  created_at: number;
  /** Unix seconds, 0 = never. */
  used_at: number;
}

/** Options of WebAuthn as JSON: pass them to the browser's call. */
export type WebAuthnJson = Readonly<Record<string, unknown>>;

/** Action that the Turnstile widget must be given; the server refuses tokens of other actions. */
export const turnstileAction = 'tollgate';
/** Providers whose page opens in a new window. */
const oauthProviders = ['github', 'linuxdo', 'oidc'] as const;
export type OAuthProvider = (typeof oauthProviders)[number];

const address = z.string().check(z.trim(), z.minLength(1), z.maxLength(254));
const turnstile = z.optional(z.string().check(z.maxLength(4096)));
const secret = z.string().check(z.trim(), z.minLength(1), z.maxLength(128));
const code = z.string().check(z.trim(), z.minLength(1), z.maxLength(32));
const oauthQuery = z.object({
  code: z._default(z.string().check(z.maxLength(2048)), ''),
  state: z._default(z.string().check(z.maxLength(128)), ''),
  error: z._default(z.string().check(z.maxLength(2048)), ''),
  error_description: z._default(z.string().check(z.maxLength(2048)), ''),
  iss: z.optional(z.string().check(z.maxLength(2048))),
});
const wechatCode = z.string().check(z.regex(/^[0-9A-Za-z]{4,64}$/));
/** Judged by the service: its own text refuses what the widget does not send. */
const telegramQuery = z.record(z.string(), z.string());
const aff = z._default(z.string().check(z.maxLength(32)), '');
/** The present password; not needed within ten minutes of a sign-in by it, or where there is none. */
const originalPassword = z._default(z.string().check(z.maxLength(128)), '');
const webAuthnResponse = z.looseObject({ id: z.string().check(z.maxLength(2048)) });
const passkeyName = z.string().check(z.trim(), z.minLength(1), z.maxLength(40));

const get = 'GET';
const post = 'POST';

/** Codes by mail, password reset, third-party sign-in, second factor and passkeys (contract 1.6). */
export const signInRoutes = {
  /** Sends a code; for a signed-in caller it is good for binding the address only. */
  verification: defineRoute({
    method: get,
    path: '/api/verification',
    access: 'try',
    botCheck: true,
    query: z.object({ email: address, turnstile }),
    data: data<undefined>(),
  }),
  /** Sends a reset link; answers alike whether or not the address is known. */
  requestReset: defineRoute({
    method: get,
    path: '/api/reset_password',
    access: 'try',
    botCheck: true,
    query: z.object({ email: address, turnstile }),
    data: data<undefined>(),
  }),
  /** Answers the new password, once; beside `data` stands `passkeys`, how many of them still open the account. */
  reset: defineRoute({
    method: post,
    path: '/api/user/reset',
    access: 'none',
    body: z.object({ email: address, token: secret }),
    data: data<string>(),
  }),
  emailBind: defineRoute({
    method: get,
    path: '/api/oauth/email/bind',
    access: 'user',
    sessionOnly: true,
    query: z.object({ email: address, code }),
    data: data<undefined>(),
  }),
  oauthState: defineRoute({
    method: get,
    path: '/api/oauth/state',
    access: 'try',
    query: z.object({ aff }),
    data: data<string>(),
  }),
  /** The provider's page with a fresh state, and a PKCE challenge where the provider takes one. */
  oauthAuthorize: defineRoute({
    method: get,
    path: '/api/oauth/authorize',
    access: 'try',
    query: z.object({ provider: z.enum(oauthProviders), aff }),
    data: data<string>(),
  }),
  github: defineRoute({
    method: get,
    path: '/api/oauth/github',
    access: 'try',
    query: oauthQuery,
    data: data<LoginAnswer | undefined>(),
  }),
  linuxdo: defineRoute({
    method: get,
    path: '/api/oauth/linuxdo',
    access: 'try',
    query: oauthQuery,
    data: data<LoginAnswer | undefined>(),
  }),
  oidc: defineRoute({
    method: get,
    path: '/api/oauth/oidc',
    access: 'try',
    query: oauthQuery,
    data: data<LoginAnswer | undefined>(),
  }),
  wechat: defineRoute({
    method: get,
    path: '/api/oauth/wechat',
    access: 'try',
    query: z.object({ code: wechatCode, aff }),
    data: data<LoginAnswer>(),
  }),
  wechatBind: defineRoute({
    method: get,
    path: '/api/oauth/wechat/bind',
    access: 'user',
    sessionOnly: true,
    query: z.object({ code: wechatCode }),
    data: data<undefined>(),
  }),
  telegram: defineRoute({
    method: get,
    path: '/api/oauth/telegram/login',
    access: 'try',
    query: telegramQuery,
    data: data<LoginAnswer>(),
  }),
  telegramBind: defineRoute({
    method: get,
    path: '/api/oauth/telegram/bind',
    access: 'user',
    sessionOnly: true,
    query: telegramQuery,
    data: data<undefined>(),
  }),
  totp: defineRoute({ method: get, path: '/api/user/totp', access: 'user', data: data<TotpStatus>() }),
  totpSetup: defineRoute({
    method: post,
    path: '/api/user/totp/setup',
    access: 'user',
    sessionOnly: true,
    body: z.object({ original_password: originalPassword }),
    data: data<TotpSetup>(),
  }),
  /** Switches the second factor on; answers the ten recovery codes, once. */
  totpConfirm: defineRoute({
    method: post,
    path: '/api/user/totp/confirm',
    access: 'user',
    sessionOnly: true,
    body: z.object({ code }),
    data: data<string[]>(),
  }),
  totpDisable: defineRoute({
    method: post,
    path: '/api/user/totp/disable',
    access: 'user',
    sessionOnly: true,
    body: z.object({ code }),
    data: data<undefined>(),
  }),
  /** The second step of a sign-in: a code of the authenticator, or a recovery code. */
  totpLogin: defineRoute({
    method: post,
    path: '/api/user/totp/login',
    access: 'try',
    body: z.object({ ticket: secret, code }),
    data: data<LoginUser>(),
  }),
  passkeys: defineRoute({ method: get, path: '/api/user/passkey', access: 'user', data: data<Passkey[]>() }),
  passkeyOptions: defineRoute({
    method: post,
    path: '/api/user/passkey/options',
    access: 'user',
    sessionOnly: true,
    body: z.object({ original_password: originalPassword }),
    data: data<WebAuthnJson>(),
  }),
  passkeyCreate: defineRoute({
    method: post,
    path: '/api/user/passkey',
    access: 'user',
    sessionOnly: true,
    body: z.object({ name: passkeyName, response: webAuthnResponse }),
    data: data<Passkey>(),
  }),
  passkeyRename: defineRoute({
    method: 'PUT',
    path: '/api/user/passkey/:id',
    access: 'user',
    sessionOnly: true,
    body: z.object({ name: passkeyName }),
    data: data<undefined>(),
  }),
  passkeyDelete: defineRoute({
    method: 'DELETE',
    path: '/api/user/passkey/:id',
    access: 'user',
    sessionOnly: true,
    data: data<undefined>(),
  }),
  passkeyLoginOptions: defineRoute({
    method: post,
    path: '/api/user/passkey/login/options',
    access: 'none',
    body: z.object({}),
    data: data<WebAuthnJson>(),
  }),
  passkeyLogin: defineRoute({
    method: post,
    path: '/api/user/passkey/login',
    access: 'try',
    body: z.object({ response: webAuthnResponse }),
    data: data<LoginUser>(),
  }),
} as const;
