import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { createApi } from './api/app.ts';
import { createDenials } from './api/denials.ts';
import { createApiLimits } from './api/limits.ts';
import { createAuditTrail } from './audit/index.ts';
import { createLedger, createPriceJournal, createPrices, openOutbox, proveLedger, readReceipt } from './billing/index.ts';
import { createConsoleFiles, paymentForms } from './console-files.ts';
import { type Env, EnvironmentError, readEnv } from './env.ts';
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
  type RootState,
} from './identity/index.ts';
import { replayOutbox, startOutboxReplay } from './jobs/outbox-replay.ts';
import { startSessionCleanup } from './jobs/session-cleanup.ts';
import { startSweeper } from './jobs/sweeper.ts';
import { createListener } from './listener.ts';
import { createChannelOps } from './main-channel-ops.ts';
import { createRouting } from './main-routing.ts';
import { openBus, openStorage } from './main-storage.ts';
import { createWallet } from './main-wallet.ts';
import { createMailer } from './notify/index.ts';
import { createClientAddress } from './platform/client-ip.ts';
import { nowSeconds, systemClock } from './platform/clock.ts';
import { createCrypto } from './platform/crypto.ts';
import { createAskForSocket } from './platform/http/ask-socket.ts';
import { createUpstreamClient } from './platform/http/client.ts';
import { createGuard } from './platform/http/guard.ts';
import { createSystemClient } from './platform/http/system-client.ts';
import { createUserFetch } from './platform/http/user-fetch.ts';
import { byScheme, createOpenSocket } from './platform/http/websocket.ts';
import { randomAlphanumerics } from './platform/ids.ts';
import { createMemoryLimiter } from './platform/limiter/memory.ts';
import { createLog, type Log } from './platform/log.ts';
import { loadMasterKey } from './platform/master-key.ts';
import { createTokenizer } from './platform/tokenizer.ts';
import { cataloguePrice, createSignTools, modelsByType, ownerOf } from './providers/index.ts';
import {
  accountView,
  createActiveCalls,
  createCallLimiter,
  createRealtime,
  createRelay,
  createResponseOwners,
  createRetryBudget,
  createSettler,
  createSpending,
  isRelayPath,
  isSocketPath,
  type RelayParts,
} from './relay/index.ts';
import { createChannels } from './routing/index.ts';
import { createSettings } from './settings/index.ts';
import { createChangeFeed } from './storage/change-feed.ts';
import { createChangeReader } from './storage/changes.ts';
import { migrate } from './storage/migrate.ts';
import { createLogs } from './usage/index.ts';

const clock = systemClock;
const megabyte = 1024 * 1024;
const longestTestMs = 60_000;
/** Where the bot check's widget comes from (contract 2.7). */
const botCheckScripts = 'https://challenges.cloudflare.com';
const consoleDir = fileURLToPath(new URL('../../console/dist/', import.meta.url));
const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

export interface RunningServer {
  readonly port: number;
  readonly root: RootState;
  /** Stops accepting, lets running calls finish for DRAIN_SECONDS, closes everything. `unsettled`: what the outbox still holds. */
  stop(): Promise<{ unsettled: number }>;
}

/** The composition root: environment -> ports -> services -> listener. Everything that has a lifecycle is made here. */
export async function start(env: Env, log: Log = createLog(env.LOG_LEVEL)): Promise<RunningServer> {
  const crypto = createCrypto(await loadMasterKey(env));
  const db = await openStorage(env, clock);
  await migrate(db);

  const bus = openBus(env, log);
  const feed = createChangeFeed({ reader: createChangeReader({ db, clock }), bus, log });
  await feed.catchUp();
  const settings = await createSettings({
    db,
    clock,
    crypto,
    changes: feed,
    warn: (fault) => log.warn(fault, 'an option cannot be read'),
    onSave: createPriceJournal(clock),
  });
  const passwords = await createPasswords();
  const root = await bootstrapRoot({ db, clock, passwords, initialPassword: env.INITIAL_ROOT_PASSWORD });
  const limiter = createMemoryLimiter({ clock, factor: env.RATE_LIMIT_FACTOR });
  const sessions = createSessions({ db, clock, life: sessionLife(env) });
  const clientAddress = createClientAddress(env.TRUSTED_PROXIES);
  const ledger = createLedger({ db, clock });
  const outbox = await openOutbox({ path: path.join(env.DATA_DIR, 'outbox'), ledger });
  await replayOutbox(outbox, log);
  const keyring = createKeyring({ db, clock, crypto, changes: feed });
  const options = () => settings.current();

  feed.atOnce((changes) => {
    for (const change of changes) keyring.invalidate(change);
  });
  feed.on(async (changes) => {
    if (changes.some(({ kind }) => kind === 'option')) await settings.refresh();
  });
  const routing = await createRouting({ db, clock, crypto, feed, log, options });

  const egress = {
    guard: createGuard({ allowPrivate: env.ALLOW_PRIVATE_UPSTREAMS, rewrite: env.EGRESS_REWRITE }),
    connectTimeoutMs: env.UPSTREAM_CONNECT_TIMEOUT_MS,
  };
  const upstream = createUpstreamClient(egress);
  const openSocket = createOpenSocket(egress);
  const http = createSystemClient(byScheme(upstream, openSocket));
  // What channels may reach in private networks is not for callers to name.
  const outside = createUpstreamClient({ ...egress, guard: createGuard({ allowPrivate: [], rewrite: env.EGRESS_REWRITE }) });
  const userFetch = createUserFetch({ outside, upstream, maxBytes: env.MAX_FILE_DOWNLOAD_MB * megabyte });
  const signTools = createSignTools({ clock, http });
  const tokenizer = createTokenizer();
  const sign = (text: string) => crypto.hmac('receipt', text);
  const callLimiter = createCallLimiter({ clock, spending: createSpending({ read: db.read, clock, log }) });
  const active = createActiveCalls(clock);
  const responseOwners = createResponseOwners({ db, clock, log });
  let accepting = true;
  const relayParts = {
    env,
    clock,
    log,
    ledger,
    sign,
    keyring,
    snapshot: routing.snapshot,
    upstream,
    userFetch,
    openSocket,
    askForSocket: createAskForSocket(egress),
    tokenizer,
    accountView: (view, asking) => accountView({ read: db.read, clock, limiter: callLimiter }, view, asking),
    settler: createSettler({ ledger, outbox, sign, clock, log, leaseSeconds: env.HOLD_LEASE_SECONDS }),
    active,
    limiter: callLimiter,
    responseOwners,
    signTools,
    budget: createRetryBudget(clock.monotonicMs),
    watch: routing.watch,
    turns: routing.turns,
    node: `${hostname()}-${process.pid}-${randomAlphanumerics(6)}`,
    random: Math.random,
    clientIp: (request) => clientAddress(request.socket.remoteAddress, false, (name) => header(request.headers[name])).ip,
    accepting: () => accepting,
  } satisfies RelayParts;
  const accountDeps = { db, clock, crypto, changes: feed, passwords, sessions, limiter, options };
  const channels = createChannels({ db, clock, crypto, changes: feed });
  const channelOps = createChannelOps({
    ...{ db, clock, crypto, changes: feed, log, channels, options },
    http,
    signTools,
    price: (model, group) =>
      routing.snapshot().prices.lookup({ model, userGroup: group, usingGroup: group, acceptUnpriced: true }),
    channelSwitch: routing.channelSwitch,
    testTimeoutMs: Math.min(longestTestMs, env.UPSTREAM_FIRST_BYTE_TIMEOUT_MS),
    notify: (notice) => log.info(notice, 'for root'),
  });
  const mailer = createMailer({ clock, log, options });
  const wallet = createWallet({ db, clock, crypto, changes: feed, options, http, log });
  const api = createApi({
    ...wallet.services,
    clock,
    log,
    build: { version, startTime: nowSeconds(clock) },
    settings,
    access: createAccessControl({ db, sessions }),
    limits: createApiLimits(limiter),
    denials: createDenials({ db, clock, log }),
    accounts: createAccounts(accountDeps),
    doors: createDoors({ ...accountDeps, mailer, http }),
    people: createUserManagement(accountDeps),
    profile: createProfile(accountDeps),
    sessionList: createSessionList({ db, clock, sessions }),
    auditTrail: createAuditTrail({ db }),
    tokens: createTokens({ db, clock, crypto, changes: feed, options }),
    channels,
    channelOps: channelOps.ops,
    prices: createPrices({ db, clock, settings, http, source: routing.snapshot, defaultPrice: cataloguePrice, ownerOf }),
    logs: createLogs({ db, clock }),
    explainer: routing.explainer,
    timeline: routing.timeline,
    channelSwitch: routing.channelSwitch,
    clientAddress,
    cookieMaxAgeSeconds: (role) => sessions.maxAgeSeconds(role),
    proof: () => proveLedger({ db, clock, sign }),
    receipt: (logId, ownerId) => readReceipt({ db, sign }, logId, ownerId),
    modelsByType: modelsByType(),
  });
  const sweeper = startSweeper({ ledger, clock, log, everySeconds: env.HOLD_SWEEP_SECONDS });
  const cleanup = startSessionCleanup({ sessions, log });
  const replay = startOutboxReplay({ outbox, log });
  const server = createListener({
    relay: createRelay(relayParts),
    isRelayPath,
    upgrade: createRealtime(relayParts),
    isSocketPath,
    api: getRequestListener(api.fetch),
    files: createConsoleFiles(consoleDir, {
      scriptHosts: () => (options().TurnstileCheckEnabled ? [botCheckScripts] : []),
      formHosts: () => paymentForms(options().PayAddress),
    }),
  });
  server.listen(env.PORT, env.HOST);
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    root,
    async stop() {
      accepting = false;
      server.close();
      await channelOps.stop();
      await active.drain(env.DRAIN_SECONDS * 1000);
      server.closeAllConnections();
      sweeper.stop();
      cleanup.stop();
      replay.stop();
      wallet.stop();
      mailer.stop();
      feed.stop();
      active.stop();
      await ledger.flush();
      await routing.flush();
      await responseOwners.flush();
      if (outbox.size() > 0) await replayOutbox(outbox, log);
      const unsettled = outbox.size();
      await Promise.all([upstream.close(), outside.close(), tokenizer.close(), outbox.close(), bus.close()]);
      await db.close();
      return { unsettled };
    },
  };
}

function sessionLife(env: Env) {
  const hour = 3600;
  const day = 24 * hour;
  return {
    idleSeconds: env.SESSION_IDLE_HOURS * hour,
    maxSeconds: env.SESSION_MAX_DAYS * day,
    adminIdleSeconds: env.SESSION_IDLE_HOURS_ADMIN * hour,
    adminMaxSeconds: env.SESSION_MAX_DAYS_ADMIN * day,
  };
}

function header(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value;
}

/** `serve` ended while charges are still in the outbox: the next start on the same data books them. */
const unsettledExitCode = 3;

const sameSignalMs = 2_000;

/** Serves until a signal ends the process. Throws EnvironmentError or what kept the server from starting. */
export async function serve({ json = false }: { json?: boolean } = {}): Promise<void> {
  const env = readEnv(process.env);
  const log = createLog(env.LOG_LEVEL);
  const server = await start(env, log);
  const url = `http://localhost:${server.port}`;
  const greeting = `\nTollgate is ready: ${url}\n${howToSignIn(server.root)}\n\n`;
  let stoppingSinceMs: number | undefined;
  const stop = () => {
    const nowMs = clock.monotonicMs();
    stoppingSinceMs ??= nowMs;
    // One wish to stop may arrive from the terminal, npm and a process manager at once.
    if (nowMs - stoppingSinceMs > sameSignalMs) process.exit(1);
    if (nowMs > stoppingSinceMs) return;
    server.stop().then(
      ({ unsettled }) => {
        if (unsettled > 0) log.error({ unsettled }, 'charges stay in the outbox until the next start');
        process.exit(unsettled > 0 ? unsettledExitCode : 0);
      },
      (error) => {
        log.error({ err: error }, 'could not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // Last: whoever waits for it may send a signal at once.
  process.stdout.write(json ? `${JSON.stringify({ ready: true, url, root: server.root })}\n` : greeting);
}

function howToSignIn({ username, hasDefaultPassword }: RootState): string {
  return hasDefaultPassword
    ? `Sign in as ${username} with the password 123456 (from this machine or a private network) and change it at once.`
    : `Sign in as ${username} with the password you chose.`;
}

if (import.meta.main) {
  serve().catch((error: unknown) => {
    const text = error instanceof EnvironmentError ? `Wrong environment:\n  ${error.faults.join('\n  ')}` : String(error);
    process.stderr.write(`${text}\n`);
    process.exit(error instanceof EnvironmentError ? 2 : 1);
  });
}
