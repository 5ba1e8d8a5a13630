import { type ErrorCode, routes } from '@tollgate/contract';
import { type Context, Hono } from 'hono';
import { etag } from 'hono/etag';
import type { Agents } from '../agents/index.ts';
import type { AuditTrail } from '../audit/index.ts';
import type { Invites, Prices, Redemptions, Statements, Topups } from '../billing/index.ts';
import type { Doctor } from '../doctor/index.ts';
import {
  type AccessControl,
  type Accounts,
  checkRegistrationOpen,
  type Doors,
  type Profile,
  type SessionList,
  type Tokens,
  type UserManagement,
} from '../identity/index.ts';
import type { ImportRuns } from '../imports/index.ts';
import type { createClientAddress } from '../platform/client-ip.ts';
import type { Clock } from '../platform/clock.ts';
import { errorAnswer, languageOf, PublicError, publicError } from '../platform/errors.ts';
import { requestId } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import type { ChannelSwitch, Channels, RouteExplainer, Timeline } from '../routing/index.ts';
import type { BuildInfo, OptionHistory, Settings } from '../settings/index.ts';
import { isOutage, isUnknownOutcome } from '../storage/errors.ts';
import type { TaskLists } from '../tasks/index.ts';
import type { Dashboards, Logs } from '../usage/index.ts';
import { accountHandlers } from './account.ts';
import { agentHandlers, agentSelfHandlers } from './agent.ts';
import { auditHandlers } from './audit.ts';
import { channelHandlers } from './channel.ts';
import { type ChannelOps, channelOpsHandlers } from './channel-ops.ts';
import { dataHandlers } from './data.ts';
import type { Denials } from './denials.ts';
import { doctorHandlers } from './doctor.ts';
import { createDownloads } from './downloads.ts';
import { importHandlers } from './import.ts';
import { inviteHandlers } from './invite.ts';
import type { ApiLimits } from './limits.ts';
import { type LedgerApiDeps, type LogApiDeps, ledgerHandlers, logHandlers } from './log.ts';
import { type ApiEnv, type Endpoint, mount, type RouteRule } from './mount.ts';
import { announcementHandlers, type NotifyApiDeps, notifyHandlers } from './notify.ts';
import { type OptionDeps, optionHandlers } from './option.ts';
import { mountNotices } from './payment-notices.ts';
import { priceHandlers } from './price.ts';
import { redemptionHandlers } from './redemption.ts';
import { routeHandlers } from './route.ts';
import { sessionHandlers } from './sessions.ts';
import { signInHandlers } from './sign-in.ts';
import { docsHandlers, probeHandlers, type SiteHealth, siteHandlers } from './site.ts';
import { statementHandlers } from './statement.ts';
import { drawingHandlers, taskHandlers } from './task.ts';
import { tokenHandlers } from './token.ts';
import { paymentHandlers, topupHandlers } from './topup.ts';
import type { AnyRoute, Call, Handlers } from './types.ts';
import { personalHandlers, userHandlers } from './users.ts';

export interface ApiDeps extends NotifyApiDeps {
  clock: Clock;
  log: Log;
  build: BuildInfo;
  health: SiteHealth;
  settings: Settings;
  optionHistory: OptionHistory;
  mailer: OptionDeps['mailer'];
  access: AccessControl;
  limits: ApiLimits;
  denials: Denials;
  accounts: Accounts;
  doors: Doors;
  people: UserManagement;
  profile: Profile;
  sessionList: SessionList;
  auditTrail: AuditTrail;
  tokens: Tokens;
  redemptions: Redemptions;
  topups: Topups;
  statements: Statements;
  invites: Invites;
  agents: Agents;
  channels: Channels;
  channelOps: ChannelOps;
  logs: Logs;
  dashboards: Dashboards;
  logCleanup: LogApiDeps['logCleanup'];
  bodyLog: LogApiDeps['bodyLog'];
  keyring: LogApiDeps['keyring'];
  taskLists: TaskLists;
  prices: Prices;
  explainer: RouteExplainer;
  timeline: Timeline;
  channelSwitch: ChannelSwitch;
  clientAddress: ReturnType<typeof createClientAddress>;
  /** False: the disk is nearly full, and nobody may begin to pay. */
  hasSpace(): boolean;
  /** Seconds a session cookie may live for this role. */
  cookieMaxAgeSeconds(role: number): number;
  proof: LedgerApiDeps['proof'];
  ledgerState: LedgerApiDeps['ledgerState'];
  ledgerSources: LedgerApiDeps['ledgerSources'];
  doctor: Doctor;
  imports: ImportRuns;
  receipt: LogApiDeps['receipt'];
  giveBack: LogApiDeps['giveBack'];
  /** Default model names by channel type number. */
  modelsByType: Readonly<Record<string, readonly string[]>>;
}

/** The console API below /api (contract 1.1). Takes the node server's request beside the standard one, for the peer's address. */
export function createApi(deps: ApiDeps): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.use('/api/*', (context, next) => frame(deps, context, next));
  // The first call of every page: who has it already is told so.
  app.use('/api/status', etag());
  const mountDeps = {
    ...deps,
    botCheck: deps.doors.botCheck,
    isDemo: () => deps.settings.current().DemoSiteEnabled,
    serverAddress: () => deps.settings.current().ServerAddress,
  };
  for (const endpoint of endpoints(deps)) mount(app, mountDeps, endpoint);
  mountNotices(app, deps);
  app.all('/api/*', unknownPath);
  app.onError((error, context) => refuse(deps, error, context));
  return app;
}

/** All routes, those with literal segments before those with `:id` (contract 1.2). */
function endpoints(deps: ApiDeps): Endpoint[] {
  const options = () => deps.settings.current();
  const rules = routeRules(deps);
  const downloads = createDownloads(deps);
  const all = [
    ...bind(routes.site, siteHandlers({ ...deps, options }), rules),
    ...bind(routes.probe, probeHandlers(deps), rules),
    ...bind(routes.docs, docsHandlers(deps), rules),
    ...bind(routes.account, accountHandlers({ ...deps, options }), rules),
    ...bind(routes.signIn, signInHandlers(deps), rules),
    ...bind(routes.users, userHandlers(deps), rules),
    ...bind(routes.personal, personalHandlers({ ...deps, downloads, options }), rules),
    ...bind(routes.sessions, sessionHandlers(deps), rules),
    ...bind(routes.notify, notifyHandlers(deps), rules),
    ...bind(routes.announcement, announcementHandlers(deps), rules),
    ...bind(routes.audit, auditHandlers(deps), rules),
    ...bind(routes.channel, channelHandlers({ ...deps, options }), rules),
    ...bind(routes.channelOps, channelOpsHandlers(deps), rules),
    ...bind(routes.token, tokenHandlers(deps), rules),
    ...bind(routes.redemption, redemptionHandlers(deps), rules),
    ...bind(routes.topup, topupHandlers({ ...deps, downloads }), rules),
    ...bind(routes.payment, paymentHandlers({ ...deps, downloads }), rules),
    ...bind(routes.statement, statementHandlers({ ...deps, downloads }), rules),
    ...bind(routes.invite, inviteHandlers({ ...deps, downloads }), rules),
    ...bind(routes.agentSelf, agentSelfHandlers({ ...deps, downloads }), rules),
    ...bind(routes.agent, agentHandlers({ ...deps, downloads }), rules),
    ...bind(routes.log, logHandlers({ ...deps, downloads }), rules),
    ...bind(routes.data, dataHandlers(deps), rules),
    ...bind(routes.ledger, ledgerHandlers(deps), rules),
    ...bind(routes.doctor, doctorHandlers(deps), rules),
    ...bind(routes.imports, importHandlers(deps), rules),
    ...bind(routes.drawing, drawingHandlers(deps), rules),
    ...bind(routes.task, taskHandlers(deps), rules),
    ...bind(routes.option, optionHandlers(deps), rules),
    ...bind(routes.price, priceHandlers(deps), rules),
    ...bind(routes.route, routeHandlers(deps), rules),
  ];
  return all.sort((left, right) => Number(left.route.path.includes(':')) - Number(right.route.path.includes(':')));
}

type Rules = ReadonlyMap<AnyRoute, RouteRule>;

/** Pairs each route of a group with its handler; the schemas of that very route produce what the handler reads. */
function bind<Group extends Record<string, AnyRoute>>(group: Group, handlers: Handlers<Group>, rules: Rules): Endpoint[] {
  return Object.entries(group).map(([name, route]) => ({
    route,
    rule: rules.get(route) ?? {},
    handle: handlers[name as keyof Group] as (call: Call) => unknown,
  }));
}

function routeRules(deps: ApiDeps): Rules {
  const { account, agent, agentSelf, channel, channelOps, log, redemption, token, topup, users } = routes;
  return new Map<AnyRoute, RouteRule>([
    [account.register, { invalidBody: 'invalid_input', precheck: () => checkRegistrationOpen(deps.settings.current()) }],
    [account.self, { allowDefaultPassword: true }],
    [account.updateSelf, { allowDefaultPassword: true, invalidBody: 'invalid_input' }],
    [account.logout, { allowDefaultPassword: true }],
    [routes.option.testMail, { invalidBody: 'email_invalid' }],
    [users.create, { invalidBody: 'invalid_input' }],
    [users.update, { invalidBody: 'invalid_input' }],
    [channel.create, { invalidBody: 'parameter_error' }],
    [channelOps.fetchUnsaved, { invalidBody: 'channel_fetch_invalid' }],
    [channelOps.removeBatch, { invalidBody: 'parameter_error' }],
    [channelOps.tagBatch, { invalidBody: 'parameter_error' }],
    [channelOps.editTag, { invalidBody: 'parameter_error' }],
    [channelOps.enableTag, { invalidBody: 'parameter_error' }],
    [channelOps.disableTag, { invalidBody: 'parameter_error' }],
    [channel.update, { invalidBody: 'parameter_error' }],
    [agentSelf.apply, { invalidBody: 'invalid_input' }],
    [agentSelf.quote, { invalidBody: 'invalid_input' }],
    [agentSelf.withdraw, { invalidBody: 'invalid_input' }],
    [agent.review, { invalidBody: 'invalid_input' }],
    [agent.manage, { invalidBody: 'invalid_input' }],
    [log.ofKey, { isOpen: true }],
    [redemption.create, { invalidBody: 'parameter_error' }],
    [redemption.update, { invalidBody: 'parameter_error' }],
    [topup.redeem, { invalidBody: 'parameter_error' }],
    [topup.amount, { invalidBody: 'parameter_error', isSpoken: true }],
    [topup.pay, { invalidBody: 'parameter_error', isSpoken: true }],
    [topup.checkoutAmount, { invalidBody: 'parameter_error', isSpoken: true }],
    [token.create, { invalidBody: 'parameter_error' }],
    [token.update, { invalidBody: 'parameter_error' }],
  ]);
}

const methods = new Set(['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']);

/** What every answer carries, and who is at the other end. */
async function frame(deps: ApiDeps, context: Context<ApiEnv>, next: () => Promise<void>): Promise<Response | undefined> {
  const id = requestId(deps.clock);
  const socket = context.env?.incoming?.socket;
  const address = deps.clientAddress(socket?.remoteAddress, socket?.encrypted === true, (name) => context.req.header(name));
  context.set('requestId', id);
  context.set('address', address);
  // HEAD would otherwise run the GET handler.
  if (methods.has(context.req.method)) await next();
  else context.res = unknownPath(context);
  const { headers } = context.res;
  headers.set('X-Oneapi-Request-Id', id);
  for (const [name, value] of securityHeaders) headers.set(name, value);
  // Errors too: a page that may not read one shows a fault of the network.
  if (context.var.isOpen) headers.set('Access-Control-Allow-Origin', '*');
  // Kept, and asked for again by its tag.
  if (headers.has('ETag')) headers.set('Cache-Control', 'no-cache');
  if (address.isHttps) headers.set('Strict-Transport-Security', 'max-age=31536000');
  return undefined;
}

/** R-27 for answers that are data and never a page. */
const securityHeaders: readonly [string, string][] = [
  ['Cache-Control', 'no-store'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Opener-Policy', 'same-origin-allow-popups'],
];

function unknownPath(context: Context<ApiEnv>): Response {
  const message = `Invalid URL (${context.req.method} ${context.req.path})`;
  return context.json({ error: { message, type: 'invalid_request_error', param: '', code: '' } }, 404);
}

/** Whoever saved something twice because the first time may have worked would have it twice. */
function codeOf(thrown: unknown, method: string): ErrorCode {
  if (isUnknownOutcome(thrown) && method !== 'GET') return 'outcome_unknown';
  return isOutage(thrown) ? 'overloaded' : 'internal_error';
}

/** Errors with a public text as such; everything else is logged once and answered without detail. */
function refuse({ log }: ApiDeps, thrown: unknown, context: Context<ApiEnv>): Response {
  const language = languageOf(context.req.header('accept-language'));
  const known = publicError(thrown);
  if (known === undefined) log.error({ err: thrown, requestId: context.var.requestId }, 'a console request failed');
  const error = known ?? new PublicError(codeOf(thrown, context.req.method));
  const { status, body } = errorAnswer(error, language);
  const answer = Response.json(body, { status });
  if (error.retryAfterSeconds !== undefined) answer.headers.set('Retry-After', String(error.retryAfterSeconds));
  return answer;
}
