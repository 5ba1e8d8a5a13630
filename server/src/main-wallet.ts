import { type Agents, createAgents } from './agents/index.ts';
import {
  createInvites,
  createRedemptions,
  createStatements,
  createTopups,
  type Invites,
  type Redemptions,
  type Statements,
  type Topups,
  type WalletDeps,
} from './billing/index.ts';
import type { Env } from './env.ts';
import { startDividends } from './jobs/dividends.ts';
import { startOrderAsks } from './jobs/order-asks.ts';
import { type JobRunner, stopAll } from './jobs/runner.ts';
import { startWalletUpkeep } from './jobs/wallet-upkeep.ts';
import type { SystemClient } from './platform/http/system-client.ts';
import type { Log } from './platform/log.ts';

export interface Wallet {
  services: { redemptions: Redemptions; topups: Topups; statements: Statements; invites: Invites; agents: Agents };
  stop(): Promise<void>;
}

interface Parts extends WalletDeps {
  env: Pick<Env, 'AGENT_MATURE_SECONDS'>;
  http: SystemClient;
  log: Log;
  runner: JobRunner;
  node: string;
}

/** Codes, online payments, invitations and agents, and what looks after them now and then. */
export function createWallet({ env, http, log, runner, node, ...deps }: Parts): Wallet {
  const topups = createTopups({ ...deps, http, log });
  const agents = createAgents(deps);
  const { db, clock } = deps;
  const jobs = [
    startWalletUpkeep({ topups, log, runner }),
    startDividends({ agents, db, clock, log, runner, node, everySeconds: env.AGENT_MATURE_SECONDS }),
    startOrderAsks({ topups, db, clock, log, runner, node }),
  ];
  return {
    services: {
      redemptions: createRedemptions(deps),
      topups,
      statements: createStatements(deps),
      invites: createInvites(deps),
      agents,
    },
    stop: stopAll(jobs),
  };
}
