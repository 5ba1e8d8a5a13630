import { role } from '@tollgate/contract';
import type { Hono } from 'hono';
import { vi } from 'vitest';
import { createAgents } from '../src/agents/index.ts';
import { type ApiDeps, createApi } from '../src/api/app.ts';
import { createDenials } from '../src/api/denials.ts';
import { createApiLimits } from '../src/api/limits.ts';
import type { ApiEnv } from '../src/api/mount.ts';
import { createAuditTrail } from '../src/audit/index.ts';
import {
  createInvites,
  createPriceBook,
  createPrices,
  createRedemptions,
  createStatements,
  createTopups,
  giveBack,
  ledgerSources,
  ledgerState,
  priceTables,
  readReceipt,
} from '../src/billing/index.ts';
import {
  bootstrapRoot,
  createAccessControl,
  createAccounts,
  createDoors,
  createKeyring,
  createPasswords,
  createProfile,
  createSessionList,
  createSessions,
  createTokens,
  createUserManagement,
} from '../src/identity/index.ts';
import type { JobRunner } from '../src/jobs/runner.ts';
import { createChannelOps } from '../src/main-channel-ops.ts';
import { createNotify } from '../src/main-notify.ts';
import { createCallMeters, createMailer, tellSwitched, tellTested } from '../src/notify/index.ts';
import { createClientAddress } from '../src/platform/client-ip.ts';
import { createCrypto } from '../src/platform/crypto.ts';
import { PublicError } from '../src/platform/errors.ts';
import { createUpstreamClient } from '../src/platform/http/client.ts';
import { createGuard } from '../src/platform/http/guard.ts';
import { createSystemClient, type SystemAnswer, type SystemRequest } from '../src/platform/http/system-client.ts';
import { createMemoryLimiter } from '../src/platform/limiter/memory.ts';
import { cataloguePrice, createSignTools, ownerOf } from '../src/providers/index.ts';
import { createChannelSwitch, createChannels, createTimeline } from '../src/routing/index.ts';
import { createOptionHistory, createSettings } from '../src/settings/index.ts';
import type { Database } from '../src/storage/database.ts';
import { pingDatabase } from '../src/storage/ping.ts';
import { createTaskLists } from '../src/tasks/index.ts';
import { createBodyLog, createCleanupRun, createDashboards, createLogs } from '../src/usage/index.ts';
import { shapeFault } from './answer-shapes.ts';
import { FakeClock } from './fake-clock.ts';

/** Tests of the console API: the real services on a real database, driven through requests. */
export interface ApiKit {
  app: Hono<ApiEnv>;
  db: Database;
  clock: FakeClock;
  deps: ApiDeps;
  keyring: ReturnType<typeof createKeyring>;
  sessions: ReturnType<typeof createSessions>;
  logged: unknown[];
  /** What root was told of, as webhooks know it, oldest first. */
  toldRoot(): Promise<{ event: string; type: string; values: readonly string[] }[]>;
  /** Looks at everything that root is told of by the clock. */
  lookForAlerts(): Promise<void>;
  /** Spreads and sends notifications that are due. */
  tellPeople(): Promise<void>;
  /** Ends the background runs, as a stopping server does. */
  stopRuns(): Promise<void>;
  call(request: KitRequest): Promise<KitAnswer>;
  /** Registers a user with this role; returns credentials that `call` takes. */
  user(name: string, userRole?: number): Promise<KitUser>;
  root(): Promise<KitUser>;
}

export interface KitUser {
  id: number;
  name: string;
  password: string;
  cookie: string;
}

export interface KitRequest {
  method?: string;
  path: string;
  body?: unknown;
  /** Raw body instead of JSON. */
  text?: string;
  as?: KitUser | undefined;
  headers?: Record<string, string>;
  peer?: string;
}

export interface KitAnswer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json: any;
}

export const kitPassword = 'correct-horse-9';
const rootPassword = 'root-horse-battery-9';
/** Cheap hashing: its strength is tested where it lives. */
const cost = { memoryKiB: 64, passes: 1 };
const hour = 3600;

export interface KitOptions {
  initialPassword?: string;
  /** Scales the limits of the API itself; 0 = off, since most tests call more than people do. */
  apiLimitFactor?: number;
  /** `host=origin`: stand-ins for hosts on the internet. */
  rewrite?: readonly string[];
  /** What upstreams answer to calls beside the relay; the default lists no models. */
  upstream?: (request: SystemRequest) => Promise<SystemAnswer>;
  /** What channels of the group `default`, or of these groups, serve, for the price list. */
  models?: readonly string[] | Readonly<Record<string, readonly string[]>>;
  /** How mails are tried again. */
  mailDelaysMs?: readonly number[];
  /** Whether the disk has space. */
  hasSpace?: () => boolean;
}

/** Routes need a running relay: they are tested where there is one. */
const unwired = {
  explain: () => Promise.reject(new PublicError('not_found')),
  record: () => Promise.reject(new PublicError('not_found')),
  health: () => Promise.reject(new PublicError('not_found')),
};

/** Nothing is done by a clock here: it would keep the kit, its database and all, as long as the process, which files share. */
const idle: JobRunner = { start: () => ({ tick: async () => undefined, stop: async () => undefined }), beats: () => [] };

/** No calls run here. */
const quiet = { meters: createCallMeters(() => 0), openChannels: () => [], soldBelow: () => [] };

async function readTold({ read }: Database) {
  const rows = await read
    .selectFrom('notification')
    .select(['event', 'body'])
    .where('audience', '=', 'root')
    .orderBy('id')
    .execute();
  return rows.map(({ event, body }) => {
    const { type, values } = JSON.parse(body) as { type: string; values: readonly string[] };
    return { event, type, values };
  });
}

export async function createApiKit(db: Database, kitOptions: KitOptions = {}): Promise<ApiKit> {
  const { initialPassword = rootPassword, apiLimitFactor = 0, rewrite = [], mailDelaysMs, hasSpace = () => true } = kitOptions;
  const clock = new FakeClock(1_800_000_000_000);
  const crypto = createCrypto(Buffer.alloc(32, 7));
  const changes = { notify: vi.fn() };
  const logged: unknown[] = [];
  const note = (detail: unknown) => void logged.push(detail);
  const log = { fatal: note, error: note, warn: note, info: note, debug: note };
  const settings = await createSettings({ db, clock, crypto, changes, warn: note });
  const options = () => settings.current();
  const passwords = createPasswords(cost);
  const life = { idleSeconds: 168 * hour, maxSeconds: 720 * hour, adminIdleSeconds: 12 * hour, adminMaxSeconds: 168 * hour };
  const sessions = createSessions({ db, clock, life });
  const limiter = createMemoryLimiter({ clock, factor: 1 });
  await bootstrapRoot({ db, clock, passwords, initialPassword });
  const accountDeps = { db, clock, crypto, changes, passwords, sessions, limiter, options };
  const guard = createGuard({ allowPrivate: [], rewrite });
  const http = createSystemClient(createUpstreamClient({ guard, connectTimeoutMs: 1000 }));
  const mailer = createMailer({ clock, log, options, ...(mailDelaysMs === undefined ? {} : { retryDelaysMs: mailDelaysMs }) });
  const channels = createChannels({ db, clock, crypto, changes });
  const channelSwitch = createChannelSwitch({ db, clock, crypto, changes, tell: tellSwitched });
  const channelOps = createChannelOps({
    ...{
      db,
      clock,
      crypto,
      changes,
      node: 'a node',
      log,
      runner: idle,
      channels,
      channelSwitch,
      options,
    },
    http: { request: kitOptions.upstream ?? (async () => ({ status: 200, text: '{"data":[]}' })) },
    signTools: createSignTools({ clock, http }),
    price: () => undefined,
    testTimeoutMs: 1000,
    tested: tellTested({ db, clock }),
  });
  const prices = createPrices({ db, clock, settings, http, source: () => priceSource(), defaultPrice: cataloguePrice, ownerOf });
  const notify = createNotify({
    prices,
    db,
    clock,
    crypto,
    changes,
    log,
    options,
    http,
    outside: http,
    limiter,
    node: 'kit',
    dataDir: '/',
    ...quiet,
  });
  const walletDeps = { db, clock, crypto, changes, options };
  const models = kitOptions.models ?? ['gpt-4o-mini'];
  const served: Readonly<Record<string, readonly string[]>> = 'at' in models ? { default: models as readonly string[] } : models;
  const priceSource = () => ({
    options: options(),
    prices: createPriceBook(priceTables(options()), cataloguePrice, 0),
    models: (group: string) => served[group] ?? [],
  });
  const bodyLog = createBodyLog({ db, clock, log, days: () => 7 });
  await bodyLog.stop();
  const deps: ApiDeps = {
    ...notify.services,
    redemptions: createRedemptions(walletDeps),
    statements: createStatements({ db, clock }),
    topups: createTopups({ ...walletDeps, http, log }),
    invites: createInvites(walletDeps),
    agents: createAgents({ db, clock, changes, options }),
    clock,
    log,
    build: { version: 'test', startTime: 1 },
    health: { ping: () => pingDatabase(db), openCalls: () => 3 },
    settings,
    optionHistory: createOptionHistory({ db, settings }),
    mailer,
    access: createAccessControl({ db, sessions }),
    limits: createApiLimits(createMemoryLimiter({ clock, factor: apiLimitFactor })),
    denials: createDenials({ db, clock, log }),
    accounts: createAccounts(accountDeps),
    doors: createDoors({ ...accountDeps, mailer, http, log }),
    people: createUserManagement(accountDeps),
    profile: createProfile(accountDeps),
    sessionList: createSessionList({ db, clock, sessions }),
    auditTrail: createAuditTrail({ db }),
    tokens: createTokens({ db, clock, crypto, changes, options }),
    channels,
    channelOps: channelOps.ops,
    prices,
    logs: createLogs({ db, clock, quotaPerUnit: () => options().QuotaPerUnit }),
    dashboards: createDashboards({ db, clock, options: () => settings.current(), openBreakers: () => 0 }),
    bodyLog,
    logCleanup: createCleanupRun({ db, clock, log, node: 'kit', pauseMs: 0 }),
    keyring: { lookup: (key) => keyring.lookup(key) },
    taskLists: createTaskLists({ db, options: () => settings.current() }),
    explainer: unwired,
    timeline: createTimeline({ db, clock, log }),
    channelSwitch,
    clientAddress: createClientAddress([]),
    hasSpace,
    cookieMaxAgeSeconds: sessions.maxAgeSeconds,
    ledgerState: () => ledgerState(db, clock),
    ledgerSources: () => ledgerSources(db),
    proof: async () => ({ ok: true, checked_at: 1, checks: [] }),
    imports: {
      state: async () => null,
      start: async () => undefined,
      cancel: async () => undefined,
      stop: async () => undefined,
    },
    doctor: { report: async () => ({ ok: true, checked_at: 1, checks: [] }) },
    receipt: (logId, ownerId) => readReceipt({ db, sign: (text) => crypto.hmac('receipt', text) }, logId, ownerId),
    giveBack: (wish) => giveBack(walletDeps, wish),
    modelsByType: { 1: ['gpt-4o', 'gpt-4o-mini'], 25: ['other-chat'] },
  };
  const app = createApi(deps);
  const keyring = createKeyring({ db, clock, crypto, changes });
  const call = (request: KitRequest) => send(app, request);
  const user = async (name: string, userRole: number = role.common): Promise<KitUser> => {
    await call({ method: 'POST', path: '/api/user/register', body: { username: name, password: kitPassword } });
    if (userRole !== role.common) {
      await db.transaction((tx) => tx.query.updateTable('users').set({ role: userRole }).where('username', '=', name).execute());
    }
    return signIn(call, name, kitPassword);
  };
  return {
    app,
    db,
    clock,
    deps,
    keyring,
    sessions,
    logged,
    toldRoot: () => readTold(db),
    tellPeople: notify.dispatcher.tick,
    lookForAlerts: notify.alerts.tick,
    stopRuns: channelOps.stop,
    call,
    user,
    root: () => signIn(call, 'root', rootPassword),
  };
}

export async function signIn(call: ApiKit['call'], name: string, password: string): Promise<KitUser> {
  const answer = await call({ method: 'POST', path: '/api/user/login', body: { username: name, password } });
  if (!answer.json.success) throw new Error(answer.text);
  return { id: answer.json.data.id, name, password, cookie: cookieFrom(answer) };
}

export function cookieFrom(answer: KitAnswer): string {
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}

/** The cookie by which a browser is known again, '' where the answer has none. */
export function deviceIn(answer: Pick<KitAnswer, 'headers'>): string {
  const found = answer.headers.getSetCookie().find((line) => line.startsWith('device='));
  return found?.split(';')[0] ?? '';
}

async function send(app: Hono<ApiEnv>, request: KitRequest): Promise<KitAnswer> {
  const { method = 'GET', path, body, text, as, peer = '127.0.0.1' } = request;
  const payload = text ?? (body === undefined ? undefined : JSON.stringify(body));
  const headers = {
    ...(payload === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(as === undefined ? {} : { Cookie: as.cookie, 'New-Api-User': String(as.id) }),
    ...request.headers,
  };
  const env = { incoming: { socket: { remoteAddress: peer } } };
  const init = { method, headers, ...(payload === undefined ? {} : { body: payload }) };
  const response = await app.request(`http://console.test${path}`, init, env);
  const answer = await response.text();
  const json = parse(answer);
  const fault = shapeFault(method, path, json);
  if (fault !== undefined) throw new Error(`not as described: ${fault}`);
  return { status: response.status, headers: response.headers, text: answer, json };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
