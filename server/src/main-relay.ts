import { totalmem } from 'node:os';
import type { createLedger, Outbox } from './billing/index.ts';
import type { Env } from './env.ts';
import type { Keyring } from './identity/index.ts';
import type { Meters } from './main-metrics.ts';
import type { createRouting } from './main-routing.ts';
import { createTasks } from './main-tasks.ts';
import type { createClientAddress, createClientIp } from './platform/client-ip.ts';
import type { Clock } from './platform/clock.ts';
import { createAskForSocket } from './platform/http/ask-socket.ts';
import { createUpstreamClient } from './platform/http/client.ts';
import { createGuard } from './platform/http/guard.ts';
import { createLookup } from './platform/http/names.ts';
import type { ServedRequest } from './platform/http/served.ts';
import { createSystemClient } from './platform/http/system-client.ts';
import { createUserFetch } from './platform/http/user-fetch.ts';
import { byScheme, createOpenSocket } from './platform/http/websocket.ts';
import type { Limiter } from './platform/limiter/memory.ts';
import type { SharedCounts } from './platform/limiter/shared.ts';
import type { Log } from './platform/log.ts';
import { createTokenizer } from './platform/tokenizer.ts';
import { createSignTools } from './providers/index.ts';
import {
  accountView,
  createActiveCalls,
  createBodyBudget,
  createCallLimiter,
  createDrains,
  createResponseOwners,
  createRetryBudget,
  createSettler,
  createSpending,
  type RelayParts,
} from './relay/index.ts';
import type { Database } from './storage/database.ts';
import { promptly } from './storage/prompt.ts';
import type { BodyLog, ErrorLog } from './usage/index.ts';

const megabyte = 1024 * 1024;

interface Parts {
  env: Env;
  clock: Clock;
  log: Log;
  /** Name of this process among the nodes. */
  node: string;
  db: Database;
  ledger: ReturnType<typeof createLedger>;
  outbox: Outbox;
  keyring: Keyring;
  routing: Awaited<ReturnType<typeof createRouting>>;
  /** Signs receipts. */
  sign: (text: string) => string;
  /** What this installation is called on the way of its calls. */
  via: string;
  clientIp: ReturnType<typeof createClientIp>;
  clientAddress: ReturnType<typeof createClientAddress>;
  hasSpace: () => boolean;
  errorLog: ErrorLog;
  bodyLog: BodyLog;
  visitor: RelayParts['visitor'];
  meters: Meters | undefined;
  /** The console API's, for what is asked about an account. */
  questions: Limiter;
  /** What all nodes count together. */
  shared: SharedCounts | undefined;
}

/** The ways out of the house, and everything that a call on its way needs. */
export function createDataPlane({
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
  clientIp,
  clientAddress,
  hasSpace,
  errorLog,
  bodyLog,
  visitor,
  meters,
  questions,
  shared,
}: Parts) {
  const egress = {
    guard: createGuard({ allowPrivate: env.ALLOW_PRIVATE_UPSTREAMS, rewrite: env.EGRESS_REWRITE, own: ownPlaces(env) }),
    connectTimeoutMs: env.UPSTREAM_CONNECT_TIMEOUT_MS,
  };
  const upstream = createUpstreamClient({ ...egress, via });
  const openSocket = createOpenSocket({ ...egress, via });
  const http = createSystemClient(byScheme(upstream, openSocket));
  // What channels may reach in private networks is not for callers to name.
  const outsidePolicy = { allowPrivate: [], rewrite: env.EGRESS_REWRITE, own: ownPlaces(env) };
  const outsideGuard = createGuard(outsidePolicy, createLookup({ isForUsers: true }));
  const outside = createUpstreamClient({ ...egress, guard: outsideGuard });
  const signTools = createSignTools({ clock, http });
  const tokenizer = createTokenizer();
  const limiter = createCallLimiter({ clock, spending: createSpending({ read: db.read, clock, log }), shared });
  const active = createActiveCalls(clock);
  const responseOwners = createResponseOwners({ db, clock, log });
  const tasks = createTasks({ env, clock, log, db, ledger, routing, upstream, node });
  let accepting = true;
  const parts = {
    ...{
      env,
      clock,
      log,
      ledger,
      sign,
      keyring,
      upstream,
      openSocket,
      tokenizer,
      active,
      limiter,
      responseOwners,
      signTools,
      bodyLog,
      hasSpace,
    },
    errorLog: meters === undefined ? errorLog : meteredErrors(errorLog, meters),
    onUnknownFailed: meters?.failed,
    snapshot: routing.snapshot,
    anyChannel: tasks.channel,
    hasChannel: async (id) =>
      (await promptly(db.read.selectFrom('channel').select('id').where('id', '=', id).executeTakeFirst())) !== undefined,
    userFetch: createUserFetch({ outside, upstream, maxBytes: env.MAX_FILE_DOWNLOAD_MB * megabyte }),
    askForSocket: createAskForSocket({ ...egress, via }),
    accountView: (view, asking) => accountView({ read: db.read, analyse: db.analyse, clock, limiter, questions }, view, asking),
    settler: createSettler({
      ledger,
      outbox,
      sign,
      clock,
      log,
      leaseSeconds: env.HOLD_LEASE_SECONDS,
      onSettled: meters?.settled,
    }),
    budget: createRetryBudget(clock.monotonicMs),
    drains: createDrains(),
    bodies: createBodyBudget(bodiesBytes(env)),
    watch: routing.watch,
    turns: routing.turns,
    node,
    tasks: tasks.desk,
    random: Math.random,
    visitor,
    clientIp: (request) => clientIp(request.socket.remoteAddress, headerOf(request)),
    isHttps: (request) => clientAddress(request.socket.remoteAddress, false, headerOf(request)).isHttps,
    accepting: () => accepting,
  } satisfies RelayParts;
  return {
    parts,
    taskPoller: tasks.poller,
    /** For calls that are not a user's: sign-in providers, payments, balances. */
    http,
    /** For addresses that users name. */
    outside: createSystemClient(outside),
    signTools,
    /** From now on new calls are told to come back. */
    refuse(): void {
      accepting = false;
    },
    drain: (over: Promise<void>) => active.drain(over),
    async close(): Promise<void> {
      active.stop();
      await responseOwners.flush();
      await Promise.all([upstream.close(), outside.close(), tokenizer.close()]);
    },
  };
}

const bodiesShare = 0.4;

/** Workers share the machine, or what their container is given of it. */
function bodiesBytes({ MAX_BODIES_MB, WORKERS }: Pick<Env, 'MAX_BODIES_MB' | 'WORKERS'>): number {
  if (MAX_BODIES_MB !== undefined) return MAX_BODIES_MB * megabyte;
  return (Math.min(totalmem(), process.constrainedMemory() || totalmem()) * bodiesShare) / WORKERS;
}

function ownPlaces({ HOST, PORT, METRICS_PORT, WORKERS }: Env) {
  const metrics = METRICS_PORT === undefined ? [] : Array.from({ length: WORKERS }, (_, index) => METRICS_PORT + index);
  return { host: HOST, ports: [PORT, ...metrics] };
}

function meteredErrors(errorLog: ErrorLog, { failed }: Meters): Pick<ErrorLog, 'note'> {
  return {
    note(entry) {
      failed(entry);
      errorLog.note(entry);
    },
  };
}

const headerOf = (request: Pick<ServedRequest, 'headers'>) => (name: string) => {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(',') : value;
};
