import type { ErrorCode } from '@tollgate/contract';
import type { Context, Hono } from 'hono';
import { getCookie } from 'hono/cookie';
import type { AccessControl, Caller, OpenedSession } from '../identity/index.ts';
import type { ClientAddress } from '../platform/client-ip.ts';
import { PublicError } from '../platform/errors.ts';
import { isForeign, judge, readId, readJson, readQuery } from './request.ts';
import type { AnyRoute, Call } from './types.ts';

/** What the node server puts beside a request. */
export interface ApiBindings {
  incoming?: { socket?: { remoteAddress?: string | undefined; encrypted?: boolean | undefined } | null };
}

export interface ApiEnv {
  Bindings: ApiBindings | undefined;
  Variables: { requestId: string; address: ClientAddress };
}

/** What one route has of its own beside the contract. */
export interface RouteRule {
  /** Code for a body that breaks the schema. */
  invalidBody?: ErrorCode;
  /** Judged before query and body. */
  precheck?: () => void;
  allowDefaultPassword?: boolean;
}

export interface MountDeps {
  access: AccessControl;
  /** Seconds a session cookie may live for this role. */
  cookieMaxAgeSeconds(role: number): number;
  serverAddress(): string;
}

export interface Endpoint {
  route: AnyRoute;
  rule: RouteRule;
  handle: (call: Call) => unknown;
}

const plainCookie = 'session';
/** The prefix makes browsers refuse it without Secure, with a Domain or another Path. */
const hostCookie = '__Host-session';
/** Tells anonymous browsers apart while one of them is at a provider's page. */
const plainBrowserCookie = 'browser';
const hostBrowserCookie = '__Host-browser';
const browserCookieSeconds = 900;

/** Serves one contract route in both spellings of the trailing slash. */
export function mount(app: Hono<ApiEnv>, deps: MountDeps, endpoint: Endpoint): void {
  const { method, path } = endpoint.route;
  const serve = async (context: Context<ApiEnv>) => {
    let message = '';
    const call = await admit(context, deps, endpoint);
    const say = (text: string) => {
      message = text;
    };
    const data = await endpoint.handle({ ...call, say });
    return context.json({ success: true, message, ...(data === undefined ? {} : { data }) });
  };
  app.on(method, [path, `${path}/`], serve);
}

/** Where from, who, then what: in this order, so that a stranger learns nothing from a bad body. */
async function admit(context: Context<ApiEnv>, deps: MountDeps, { route, rule }: Endpoint): Promise<Omit<Call, 'say'>> {
  const header = (name: string) => context.req.header(name);
  const harmless = route.access === 'none' && route.method === 'GET';
  if (!harmless && isForeign(provenance(header, deps.serverAddress()))) throw new PublicError('cross_site_refused');
  const address = context.var.address;
  const admission = await deps.access.admit(
    { access: route.access, allowDefaultPassword: rule.allowDefaultPassword, sessionOnly: route.sessionOnly },
    {
      cookie: getCookie(context, address.isHttps ? hostCookie : plainCookie),
      authorization: header('authorization'),
      userHeader: header('new-api-user'),
    },
  );
  rule.precheck?.();
  const caller: Caller = { address, userAgent: header('user-agent') ?? '' };
  const query = readQuery(context.req.url);
  return {
    access: route.access,
    ...admission,
    caller,
    query: route.query === undefined ? undefined : judge(route.query, query, 'invalid_parameters'),
    body:
      route.body === undefined
        ? undefined
        : judge(route.body, await readJson(context.req.raw), rule.invalidBody ?? 'invalid_parameters'),
    id: readId(context.req.param('id')),
    origin: `${address.isHttps ? 'https' : 'http'}://${header('host') ?? new URL(context.req.url).host}`,
    browser: getCookie(context, address.isHttps ? hostBrowserCookie : plainBrowserCookie),
    setSession: (session) => context.header('Set-Cookie', sessionCookie(session, address.isHttps, deps), { append: true }),
    setBrowser: (value) => context.header('Set-Cookie', browserCookie(value, address.isHttps), { append: true }),
  };
}

function provenance(header: (name: string) => string | undefined, serverAddress: string) {
  return { fetchSite: header('sec-fetch-site'), origin: header('origin'), host: header('host'), serverAddress };
}

function sessionCookie(session: OpenedSession | undefined, isHttps: boolean, deps: MountDeps): string {
  const maxAge = session === undefined ? 0 : deps.cookieMaxAgeSeconds(session.user.role);
  return cookie(isHttps ? hostCookie : plainCookie, session?.cookie ?? '', maxAge, isHttps);
}

function browserCookie(value: string, isHttps: boolean): string {
  return cookie(isHttps ? hostBrowserCookie : plainBrowserCookie, value, browserCookieSeconds, isHttps);
}

function cookie(name: string, value: string, maxAgeSeconds: number, isHttps: boolean): string {
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${isHttps ? '; Secure' : ''}`;
}
