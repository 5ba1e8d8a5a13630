import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { createApi } from './api/app.ts';
import { createDenials } from './api/denials.ts';
import { createApiLimits } from './api/limits.ts';
import { afterOwnWrites } from './api/own-writes.ts';
import { createAuditTrail } from './audit/index.ts';
import {
  createLedger,
  createPrices,
  type ForgottenCall,
  giveBack,
  ledgerSources,
  ledgerState,
  proveLedger,
  readReceipt,
  soldBelow,
} from './billing/index.ts';
import { createConsoleFiles, frames, paymentForms, scripts } from './console-files.ts';
import type { Env } from './env.ts';
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
  createVisitors,
  type RootState,
} from './identity/index.ts';
import { replayOutbox } from './jobs/outbox-replay.ts';
import { createJobRunner } from './jobs/runner.ts';
import { createListener } from './listener.ts';
import { createChannelOps } from './main-channel-ops.ts';
import { openDoctor } from './main-doctor.ts';
import { createImports } from './main-import.ts';
import { startJobs } from './main-jobs.ts';
import { bringUpToDate, version } from './main-migrate.ts';
import { createNotify } from './main-notify.ts';
import { lockOwnOutbox, openOwnOutbox } from './main-outbox.ts';
import { createDataPlane } from './main-relay.ts';
import { createRouting } from './main-routing.ts';
import { createLimiter, openBus, openSharedCounts, openStorage } from './main-storage.ts';
import { createUsage } from './main-usage.ts';
import { createWallet } from './main-wallet.ts';
import { createCallMeters, createMailer, tellSwitched, tellTested } from './notify/index.ts';
import { createClientAddress, createClientIp } from './platform/client-ip.ts';
import { nowSeconds, systemClock } from './platform/clock.ts';
import { createDeadline, type Deadline } from './platform/deadline.ts';
import { warnOfDescriptors } from './platform/descriptors.ts';
import { watchDisk } from './platform/disk-guard.ts';
import { createHealth, healthPaths } from './platform/health.ts';
import { ownName, refuseLoopedSessions, refuseLoops } from './platform/http/loops.ts';
import { createSlowReaders } from './platform/http/slow-readers.ts';
import { createStreamCheck, streamCheckPath } from './platform/http/stream-check.ts';
import { randomAlphanumerics } from './platform/ids.ts';
import { createLog, type Log } from './platform/log.ts';
import { endTraces } from './platform/trace.ts';
import type { WorkerPlace } from './platform/workers/line.ts';
import { catchUpTogether } from './platform/workers/together.ts';
import { cataloguePrice, modelsByType, ownerOf } from './providers/index.ts';
import { createRelay, createSockets, isRelayPath, isSocketPath } from './relay/index.ts';
import { createChannels } from './routing/index.ts';
import { createOptionHistory, createSettings } from './settings/index.ts';
import { createChangeFeed } from './storage/change-feed.ts';
import { createChangeReader } from './storage/change-reader.ts';
import { forAnalysis } from './storage/database.ts';
import { startDatabaseClock } from './storage/database-clock.ts';
import { masterKeyOf, openCrypto } from './storage/master.ts';
import { pingDatabase } from './storage/ping.ts';
import { createTaskLists } from './tasks/index.ts';

const longestTestMs = 60_000;
/** docs/runbook.md speaks of it. */
const forgottenText = 'the database has forgotten a call that was under way';
/** A load balancer that looks at the readiness sends new calls until it has looked again. */
const drainGraceMs = 5_000;
const hurryMs = 5_000;
/** A balancer that keeps idle connections for less than this never picks one that is just being ended (deploy/nginx). */
const idleGraceMs = 3_000;
const consoleDir = fileURLToPath(new URL('../../console/dist/', import.meta.url));

export interface RunningServer {
  readonly port: number;
  readonly root: RootState;
  /** Stops accepting, lets running calls finish for DRAIN_SECONDS, closes everything. `unsettled`: what the outbox still holds. */
  stop(): Promise<{ unsettled: number }>;
  /** Whoever stops it wants it sooner: what still runs in five seconds is ended and charged. */
  hurry(): void;
}

/**
 * The composition root: environment -> ports -> services -> listener. Everything that has a lifecycle is made here.
 * `place`: of a process that is one of several workers.
 */
export async function start(
  env: Env,
  log: Log = createLog(env.LOG_LEVEL),
  place?: WorkerPlace,
  openLedger = createLedger,
): Promise<RunningServer> {
  const index = place?.index ?? 1;
  if (index === 1) await warnOfDescriptors(env.MAX_STREAMS, log);
  const db = await openStorage(env, place);
  const own = { dataDir: env.DATA_DIR, index, log };
  // Before any migration: a server that runs on this folder would find tables that it does not know.
  const begin = async () => ({ masterKey: await masterKeyOf(db, env), release: await lockOwnOutbox(own) });
  const { masterKey, release } = await begin().catch(async (error: unknown) => {
    await db.close();
    throw error;
  });
  const { isNew } = await bringUpToDate({ db, env, clock: systemClock, log });
  // A folder or volume that is another one than expected looks like the loss of everything.
  if (isNew)
    log.info({ dataDir: env.DATA_DIR }, 'there was no database in the place that the environment names: a new one was begun');
  const time = await startDatabaseClock({ db, machine: systemClock, log });
  const { clock } = time;
  const crypto = await openCrypto(db, masterKey);

  const bus = await openBus(env, log, place);
  const feed = createChangeFeed({ reader: createChangeReader({ db, clock }), bus, clock, log });
  await feed.catchUp();
  const settings = await createSettings({
    db,
    clock,
    crypto,
    changes: feed,
    warn: (fault) => log.warn(fault, 'an option cannot be read'),
  });
  const passwords = await createPasswords();
  const root = await bootstrapRoot({ db, clock, passwords, initialPassword: env.INITIAL_ROOT_PASSWORD });
  const node = `${hostname()}-${process.pid}-${randomAlphanumerics(6)}`;
  const shared = await openSharedCounts(env, node, log, place);
  const limiter = createLimiter(clock, env.RATE_LIMIT_FACTOR, shared);
  const sessions = createSessions({ db, clock, life: sessionLife(env) });
  const clientAddress = createClientAddress(env.TRUSTED_PROXIES);
  const callMeters = createCallMeters(clock.monotonicMs);
  // A start without it does not wait for its library.
  const metrics = env.METRICS_PORT === undefined ? undefined : await openMetrics(env.METRICS_PORT + index - 1, env.HOST);
  const onForgotten = (call: ForgottenCall) => {
    metrics?.meters.forgotten(call);
    log.error(call, call.isCharged ? forgottenText : `${forgottenText}, and its user: nobody is charged`);
  };
  const ledger = openLedger({ db, clock, onSettled: callMeters.settled, onForgotten });
  const outbox = await openOwnOutbox({ ...own, workers: env.WORKERS, ledger, release });
  const keyring = createKeyring({ db, clock, crypto, changes: feed });
  const options = () => settings.current();
  const runner = createJobRunner({ clock, log });

  feed.atOnce(keyring.invalidate);
  feed.on(async (changes) => {
    if (changes.some(({ kind }) => kind === 'option')) await settings.refresh();
  });
  const routing = await createRouting({ db, clock, crypto, feed, log, options, tell: tellSwitched });

  const sign = (text: string) => crypto.hmac('receipt', text);
  const via = ownName(crypto);
  const usage = createUsage({ db: forAnalysis(db), clock, log, runner, node, options, openBreakers: routing.openBreakers });
  const access = createAccessControl({ db, sessions });
  const visitor = createVisitors({ db, access, clientAddress, serverAddress: () => options().ServerAddress });
  const reserve = { megabytes: env.DISK_RESERVE_MB, percent: env.DISK_RESERVE_PERCENT };
  const disk = await watchDisk({ folder: env.DATA_DIR, reserve, log });
  const parts = {
    env,
    clock,
    log,
    node,
    db,
    ledger,
    outbox,
    keyring,
    routing,
    sign,
    via,
    clientIp: createClientIp(env.TRUSTED_PROXIES),
    clientAddress,
    hasSpace: disk.hasSpace,
    visitor,
    meters: metrics?.meters,
    questions: limiter,
    shared,
  };
  const plane = createDataPlane({ ...parts, ...usage.sinks, errorLog: callMeters.counting(usage.sinks.errorLog) });
  const { http, signTools } = plane;
  const accountDeps = { db, clock, crypto, changes: feed, passwords, sessions, limiter, options };
  const channels = createChannels({ db, clock, crypto, changes: feed });
  const channelOps = createChannelOps({
    ...{ db, clock, crypto, changes: feed, log, runner, node, channels, options },
    http,
    signTools,
    price: (model, group) =>
      routing.snapshot().prices.lookup({ model, userGroup: group, usingGroup: group, acceptUnpriced: true }),
    channelSwitch: routing.channelSwitch,
    testTimeoutMs: Math.min(longestTestMs, env.UPSTREAM_FIRST_BYTE_TIMEOUT_MS),
    tested: tellTested({ db, clock }),
  });
  const mailer = createMailer({ clock, log, options });
  const { outside } = plane;
  const prices = createPrices({ db, clock, settings, http, source: routing.snapshot, defaultPrice: cataloguePrice, ownerOf });
  const notify = createNotify({
    prices,
    ...{ db, clock, crypto, changes: feed, log, options, http, outside, limiter, node, meters: callMeters },
    dataDir: env.DATA_DIR,
    openChannels: routing.openChannels,
    soldBelow: (cost) => soldBelow({ ...routing.snapshot(), cost, listPrice: cataloguePrice }),
  });
  const imports = createImports({ env, db, clock, log, node });
  const wallet = createWallet({ env, db, clock, crypto, changes: feed, options, http, log, runner, node });
  const api = createApi({
    ...wallet.services,
    ...notify.services,
    clock,
    log,
    build: { version, startTime: nowSeconds(clock) },
    health: { ping: () => pingDatabase(db), openCalls: () => plane.parts.active.size },
    settings,
    optionHistory: createOptionHistory({ db, settings }),
    mailer,
    access,
    limits: createApiLimits(limiter),
    denials: createDenials({ db, clock, log }),
    accounts: createAccounts(accountDeps),
    doors: createDoors({ ...accountDeps, mailer, http, log }),
    people: createUserManagement(accountDeps),
    profile: createProfile(accountDeps),
    sessionList: createSessionList({ db, clock, sessions }),
    auditTrail: createAuditTrail({ db }),
    tokens: createTokens({ db, clock, crypto, changes: feed, options }),
    channels,
    channelOps: channelOps.ops,
    prices,
    ...usage.services,
    keyring,
    taskLists: createTaskLists({ db, options }),
    explainer: routing.explainer,
    timeline: routing.timeline,
    channelSwitch: routing.channelSwitch,
    clientAddress,
    hasSpace: disk.hasSpace,
    cookieMaxAgeSeconds: (role) => sessions.maxAgeSeconds(role),
    ledgerState: () => ledgerState(forAnalysis(db), clock),
    ledgerSources: () => ledgerSources(forAnalysis(db)),
    proof: () => proveLedger({ db: forAnalysis(db), clock, sign }),
    imports,
    doctor: openDoctor({ db: forAnalysis(db), clock: systemClock, env, crypto }),
    receipt: (logId, ownerId) => readReceipt({ db, sign }, logId, ownerId),
    giveBack: (wish) => giveBack({ db, clock, changes: feed, options }, wish),
    modelsByType: modelsByType(),
  });
  const jobs = startJobs({
    runner,
    env,
    clock,
    look: time.look,
    machine: systemClock,
    log,
    db,
    node,
    isWorker: index > 1,
    version,
    behindMs: feed.behindMs,
    ledger,
    outbox,
    sign,
    sessions,
    taskPoller: plane.taskPoller,
    notify,
  });
  const health = createHealth({ clock, ping: () => pingDatabase(db), clockAheadMs: time.aheadMs, line: place?.line });
  metrics?.watch({
    openCalls: () => plane.parts.active.size,
    outbox: outbox.size,
    behindMs: feed.behindMs,
    db,
    openBreakers: routing.allOpenBreakers,
    beats: runner.beats,
  });
  const relay = createRelay(plane.parts);
  const server = createListener({
    relay: refuseLoops(relay, via),
    isRelayPath,
    upgrade: refuseLoopedSessions(createSockets(plane.parts, relay), via),
    isSocketPath,
    watch: createSlowReaders(env.CLIENT_STALL_TIMEOUT_MS).watch,
    health: health.handle,
    isHealthPath: (path) => healthPaths.includes(path),
    streamCheck: createStreamCheck({ clock: systemClock, crypto }),
    streamCheckPath,
    api: getRequestListener(afterOwnWrites(api.fetch, place ? catchUpTogether(place.line, feed.catchUp) : feed.catchUp)),
    files: createConsoleFiles(consoleDir, {
      scriptHosts: () => scripts(options()),
      frameHosts: () => frames(options()),
      formHosts: () => paymentForms(options()),
    }),
  });
  const port = await server.listen(env.PORT, env.HOST, place?.sharesPort ?? false);

  let deadline: Deadline | undefined;
  return {
    port,
    root,
    hurry: () => deadline?.bringForward(hurryMs),
    async stop() {
      deadline = createDeadline(drainGraceMs + env.DRAIN_SECONDS * 1000);
      const { leftMs, passed } = deadline;
      health.drain();
      server.announceEnd();
      if (health.isWatched()) await delay(drainGraceMs);
      deadline.bringForward(env.DRAIN_SECONDS * 1000);
      if (env.TRUSTED_PROXIES.length > 0) await server.leave(idleGraceMs, leftMs);
      plane.refuse();
      server.close();
      await channelOps.stop();
      await plane.drain(passed);
      await server.finished(leftMs);
      server.closeAll();
      await jobs.stop();
      await imports.stop();
      await wallet.stop();
      await usage.stop();
      mailer.stop();
      feed.stop();
      time.stop();
      disk.stop();
      await ledger.flush();
      await routing.flush();
      if (outbox.size() > 0) await replayOutbox(outbox, log);
      const unsettled = outbox.size();
      await Promise.all([plane.close(), outbox.close(), bus?.close(), shared?.close(), metrics?.close()]);
      await Promise.all([db.close(), endTraces()]);
      return { unsettled };
    },
  };
}

async function openMetrics(port: number, host: string) {
  const { createMetrics } = await import('./main-metrics.ts');
  return createMetrics(port, host);
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
