import type { ErrorCode } from '@tollgate/contract';
import type { Context, Hono } from 'hono';
import { getCookie } from 'hono/cookie';
import {
  type AccessControl,
  AccessRefusal,
  type Admission,
  actorFor,
  type BotCheck,
  type Caller,
  type CookieName,
  deviceSecret,
  hostCookieName,
  isForeign,
} from '../identity/index.ts';
import type { ClientAddress } from '../platform/client-ip.ts';
import { languageOf, PublicError } from '../platform/errors.ts';
import { packed } from '../platform/http/packed.ts';
import { longJson } from '../platform/long-json.ts';
import { refuseAtDemo } from './demo.ts';
import type { Denials } from './denials.ts';
import type { ApiLimits, Counted } from './limits.ts';
import { judge, readId, readJson, readQuery } from './request.ts';
import { spoken } from './spoken.ts';
import type { AnyRoute, Call } from './types.ts';

/** What the node server puts beside a request. */
export interface ApiBindings {
  incoming?: { socket?: { remoteAddress?: string | undefined; encrypted?: boolean | undefined } | null };
}

export interface ApiEnv {
  Bindings: ApiBindings | undefined;
  Variables: { requestId: string; address: ClientAddress; isOpen: boolean };
}

/** What one route has of its own beside the contract. */
export interface RouteRule {
  /** Code for a body that breaks the schema. */
  invalidBody?: ErrorCode;
  /** Answers and refusals have the form of contract 1.13. */
  isSpoken?: boolean;
  /** Judged before query and body. */
  precheck?: () => void;
  allowDefaultPassword?: boolean;
  /** Pages of any origin may read the answer; only for what needs no cookie. */
  isOpen?: boolean;
}

export interface MountDeps {
  botCheck: BotCheck;
  access: AccessControl;
  limits: ApiLimits;
  denials: Denials;
  /** Seconds a session cookie may live for this role. */
  cookieMaxAgeSeconds(role: number): number;
  serverAddress(): string;
  isDemo(): boolean;
}

export interface Endpoint {
  route: AnyRoute;
  rule: RouteRule;
  handle: (call: Call) => unknown;
}

/** Tells anonymous browsers apart while one of them is at a provider's page. */
const browserCookieSeconds = 900;
/** Tells browsers apart for as long as browsers keep a cookie (decisions 0198, 0026). */
const deviceCookieSeconds = 400 * 86_400;

/** Serves one contract route in both spellings of the trailing slash. */
export function mount(app: Hono<ApiEnv>, deps: MountDeps, endpoint: Endpoint): void {
  const { method, path } = endpoint.route;
  const isOpen = endpoint.rule.isOpen === true;
  const serve = async (context: Context<ApiEnv>) => {
    context.set('isOpen', isOpen);
    let message = '';
    const say = (text: string) => {
      message = text;
    };
    const members: Record<string, unknown> = {};
    const add = (more: Readonly<Record<string, unknown>>) => void Object.assign(members, more);
    const entry = await enter(context, deps, endpoint);
    const handle = async () => endpoint.handle({ ...(await read(context, deps, endpoint, entry)), say, add });
    const language = languageOf(context.req.header('accept-language'));
    const run = endpoint.rule.isSpoken === true ? () => spoken({ say, add }, language, handle) : handle;
    const data = await auditing(entry, endpoint.route, deps, () =>
      deps.limits.countSuccess(countedOf(entry, endpoint.route), run),
    );
    // A file has no envelope.
    if (data instanceof Response)
      return isJson(data) ? whole(context, await data.text(), Object.fromEntries(data.headers)) : data;
    const envelope = { success: true, message, ...(data === undefined ? {} : { data }), ...members };
    return whole(context, await longJson(envelope));
  };
  app.on(method, [path, `${path}/`], serve);
  if (isOpen) app.on('OPTIONS', [path, `${path}/`], (context) => preflight(context, method));
}

/** Lists are long and read over phones: they are packed for who takes that (contract 1.1). */
async function whole(context: Context<ApiEnv>, text: string, headers = jsonHeaders): Promise<Response> {
  const bytes = await packed(text, context.req.header('accept-encoding'));
  // Also where it is not packed: a cache must not hand one form to who takes the other.
  const common = { ...headers, vary: 'Accept-Encoding' };
  return bytes === undefined
    ? context.body(text, 200, common)
    : context.body(bytes, 200, { ...common, 'content-encoding': 'gzip' });
}

const jsonHeaders: Readonly<Record<string, string>> = { 'content-type': 'application/json' };

/** What is written while it is read is of other types. */
function isJson({ headers }: Response): boolean {
  return headers.get('content-type') === jsonHeaders['content-type'];
}

/** A page of another origin asks whether it may send a key as a header. */
function preflight(context: Context<ApiEnv>, method: string): Response {
  context.set('isOpen', true);
  return context.body(null, 204, { 'Access-Control-Allow-Methods': method, 'Access-Control-Allow-Headers': 'Authorization' });
}

/** Who came in, from where. */
interface Entry {
  admission: Admission;
  caller: Caller;
}

/** Where from, who, how often; only then what, so that a stranger learns nothing from a bad body. */
async function enter(context: Context<ApiEnv>, deps: MountDeps, { route, rule }: Endpoint): Promise<Entry> {
  const header = (name: string) => context.req.header(name);
  const harmless = route.access === 'none' && route.method === 'GET';
  if (!harmless && isForeign(provenance(header, deps.serverAddress()))) throw new PublicError('cross_site_refused');
  const address = context.var.address;
  const device = deviceSecret(getCookie(context, hostCookieName('device', address.isHttps)));
  const caller: Caller = { address, userAgent: header('user-agent') ?? '', device };
  const admission = await admit(context, deps, { route, rule }).catch(async (error: unknown) => {
    const user = error instanceof AccessRefusal ? error.user : undefined;
    await deps.limits.count({ route, address, userId: user?.id });
    if (user !== undefined) await deps.denials.note(error, actorFor(user, caller), labelOf(route));
    throw error;
  });
  const entry = { admission, caller };
  await deps.limits.count(countedOf(entry, route));
  if (deps.isDemo()) refuseAtDemo(route, admission.identity?.user.role);
  return entry;
}

function admit(context: Context<ApiEnv>, deps: MountDeps, { route, rule }: Omit<Endpoint, 'handle'>): Promise<Admission> {
  return deps.access.admit(
    { access: route.access, allowDefaultPassword: rule.allowDefaultPassword, sessionOnly: route.sessionOnly },
    {
      cookie: getCookie(context, hostCookieName('session', context.var.address.isHttps)),
      authorization: context.req.header('authorization'),
      userHeader: context.req.header('new-api-user'),
    },
  );
}

function countedOf({ admission, caller }: Entry, route: AnyRoute): Counted {
  return { route, address: caller.address, userId: admission.identity?.user.id };
}

/** A refusal by a service leaves the same row as one at the door. */
async function auditing<T>({ admission, caller }: Entry, route: AnyRoute, deps: MountDeps, run: () => Promise<T>): Promise<T> {
  const user = admission.identity?.user;
  if (user === undefined) return run();
  return run().catch(async (error: unknown) => {
    await deps.denials.note(error, actorFor(user, caller), labelOf(route));
    throw error;
  });
}

function labelOf({ method, path }: AnyRoute): string {
  return `${method} ${path}`;
}

async function read(
  context: Context<ApiEnv>,
  deps: MountDeps,
  { route, rule }: Endpoint,
  { admission: first, caller }: Entry,
): Promise<Omit<Call, 'say' | 'add'>> {
  const header = (name: string) => context.req.header(name);
  const { address } = caller;
  const query = readQuery(context.req.url);
  const origin = `${address.isHttps ? 'https' : 'http'}://${header('host') ?? new URL(context.req.url).host}`;
  if (route.botCheck) await deps.botCheck.verify(query.turnstile ?? '', caller, origin);
  rule.precheck?.();
  const wanted = route.query === undefined ? undefined : judge(route.query, query, 'invalid_parameters');
  const body =
    route.body === undefined
      ? undefined
      : judge(route.body, await readJson(context.req.raw), rule.invalidBody ?? 'invalid_parameters');
  // A body may take a minute: who was signed out meanwhile, or made less, does nothing with it.
  const admission = route.body === undefined ? first : await admit(context, deps, { route, rule });
  return {
    access: route.access,
    ...admission,
    caller,
    language: languageOf(header('accept-language')),
    query: wanted,
    body,
    id: readId(context.req.param('id')),
    origin,
    bearer: /^Bearer +(\S+)$/i.exec(header('authorization')?.trim() ?? '')?.[1] ?? '',
    browser: getCookie(context, hostCookieName('browser', address.isHttps)),
    setSession: (session) => {
      const maxAge = session === undefined ? 0 : deps.cookieMaxAgeSeconds(session.user.role);
      setCookie(context, 'session', session?.cookie ?? '', maxAge);
      if (session !== undefined) keepDevice(context, caller);
    },
    keepDevice: () => keepDevice(context, caller),
    setBrowser: (value) => setCookie(context, 'browser', value, browserCookieSeconds),
  };
}

function provenance(header: (name: string) => string | undefined, serverAddress: string) {
  return { fetchSite: header('sec-fetch-site'), origin: header('origin'), host: header('host'), serverAddress };
}

function keepDevice(context: Context<ApiEnv>, { device }: Caller): void {
  if (device !== undefined) setCookie(context, 'device', device, deviceCookieSeconds);
}

function setCookie(context: Context<ApiEnv>, name: CookieName, value: string, maxAgeSeconds: number): void {
  const { isHttps } = context.var.address;
  const rules = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${isHttps ? '; Secure' : ''}`;
  context.header('Set-Cookie', `${hostCookieName(name, isHttps)}=${value}; ${rules}`, { append: true });
}
