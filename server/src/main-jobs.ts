import { createProofWatch, type Ledger, type Outbox, type Signer } from './billing/index.ts';
import type { Env } from './env.ts';
import type { Sessions } from './identity/index.ts';
import { startLedgerProof } from './jobs/ledger-proof.ts';
import { startNotifications } from './jobs/notifications.ts';
import { startOutboxReplay } from './jobs/outbox-replay.ts';
import { startPresence } from './jobs/presence.ts';
import { startRollup } from './jobs/rollup.ts';
import { type JobRunner, stopAll } from './jobs/runner.ts';
import { startSessionCleanup } from './jobs/session-cleanup.ts';
import { startSweeper } from './jobs/sweeper.ts';
import { startTaskPoller } from './jobs/task-poller.ts';
import { startTrim } from './jobs/trim.ts';
import type { Clock } from './platform/clock.ts';
import type { Log } from './platform/log.ts';
import { type Database, forAnalysis } from './storage/database.ts';
import type { Poller } from './tasks/index.ts';
import { createRollup } from './usage/index.ts';

interface Parts {
  runner: JobRunner;
  env: Env;
  clock: Clock;
  /** See `DatabaseClock`. */
  look: () => Promise<void>;
  /** The machine's own clock, whatever the database says. */
  machine: Clock;
  log: Log;
  db: Database;
  /** Name of this process among the nodes. */
  node: string;
  /** See `PresentNode`. */
  isWorker: boolean;
  /** Of the program. */
  version: string;
  behindMs: () => number;
  ledger: Ledger;
  outbox: Outbox;
  /** Of receipts. */
  sign: Signer;
  sessions: Sessions;
  taskPoller: Poller;
  notify: Parameters<typeof startNotifications>[0];
}

/** What runs by itself while the server serves. */
export function startJobs(parts: Parts): { stop(): Promise<void> } {
  const { runner, env, clock, machine, log, db, node, ledger, outbox, sign, sessions, taskPoller, notify } = parts;
  const { look, isWorker, version, behindMs } = parts;
  const sweeping = { everySeconds: env.HOLD_SWEEP_SECONDS, leaseSeconds: env.HOLD_LEASE_SECONDS };
  const jobs = [
    startSweeper({ db, ledger, clock, look, log, runner, ...sweeping }),
    startSessionCleanup({ sessions, log, runner }),
    startOutboxReplay({ outbox, log, runner }),
    startTaskPoller(taskPoller, runner, env.TASK_POLL_SECONDS),
    startLedgerProof({ watch: createProofWatch({ db, clock, sign, node }), log, runner }),
    startNotifications(notify, { runner }),
    startTrim({ db, clock, log, runner }),
    startPresence({ db, clock: machine, runner, node, isWorker, version, behindMs, charges: outbox.size }),
    startRollup({ rollup: createRollup({ db: forAnalysis(db), clock, node }), runner }),
  ];
  return { stop: stopAll(jobs) };
}
