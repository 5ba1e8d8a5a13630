import type { Ledger } from './billing/index.ts';
import type { Env } from './env.ts';
import type { createRouting } from './main-routing.ts';
import type { Clock } from './platform/clock.ts';
import type { UpstreamClient } from './platform/http/client.ts';
import type { Log } from './platform/log.ts';
import { createAskUpstream } from './relay/index.ts';
import type { Database } from './storage/database.ts';
import { createPoller, createTaskDesk } from './tasks/index.ts';

const longestLeaseMs = 30_000;

interface Parts {
  env: Pick<Env, 'TASK_POLL_SECONDS' | 'HOLD_LEASE_SECONDS'>;
  clock: Clock;
  log: Log;
  db: Database;
  ledger: Ledger;
  routing: Pick<Awaited<ReturnType<typeof createRouting>>, 'snapshot' | 'anyChannel'>;
  upstream: UpstreamClient;
  node: string;
}

/** Work that upstreams do in the background: what surfaces do with it, and what keeps it going. */
export function createTasks({ env, clock, log, db, ledger, routing, upstream, node }: Parts) {
  const gate = { db, clock, log, ledger, options: () => routing.snapshot().options };
  const desk = createTaskDesk(gate);
  const channel = async (id: number) => routing.snapshot().channel(id) ?? (await routing.anyChannel(id));
  const ask = createAskUpstream({ upstream, channel });
  const periodMs = env.TASK_POLL_SECONDS * 1000;
  const submitMs = env.HOLD_LEASE_SECONDS * 1000;
  const leaseMs = Math.min(longestLeaseMs, submitMs);
  const poller = createPoller({ ...gate, desk, ask, node, periodMs, leaseMs, submitMs, random: Math.random });
  return { desk, channel, poller };
}
