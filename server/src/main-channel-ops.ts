import type { ChannelOps } from './api/channel-ops.ts';
import type { PriceSnapshot } from './billing/index.ts';
import { createTurns, startChannelRuns } from './jobs/channel-runs.ts';
import type { JobRunner } from './jobs/runner.ts';
import type { ChangeSignal } from './platform/change-signal.ts';
import type { Clock } from './platform/clock.ts';
import type { Crypto } from './platform/crypto.ts';
import type { SystemClient } from './platform/http/system-client.ts';
import type { Log } from './platform/log.ts';
import {
  askForModels,
  below,
  providerOf,
  readModelNames,
  type SignTools,
  throughProxy,
  upstreamDialects,
} from './providers/index.ts';
import { channelTestCall } from './relay/index.ts';
import {
  type ChannelSwitch,
  type Channels,
  createChannelBalances,
  createChannelBatches,
  createChannelCopy,
  createChannelJobs,
  createChannelTags,
  createChannelTests,
  createModelLists,
  createUpstreamProbe,
} from './routing/index.ts';
import { type Options, optionOf } from './settings/index.ts';
import type { Database } from './storage/database.ts';
import { createRunBoard } from './storage/run-board.ts';

interface Parts {
  db: Database;
  clock: Clock;
  crypto: Crypto;
  changes: ChangeSignal;
  log: Log;
  /** Name of this process among the nodes. */
  node: string;
  runner: JobRunner;
  http: SystemClient;
  channels: Channels;
  options: () => Options;
  /** The price of a model in a group now; undefined without one. */
  price: (model: string, group: string) => PriceSnapshot | undefined;
  channelSwitch: Pick<ChannelSwitch, 'disable' | 'enable'>;
  signTools: SignTools;
  /** Of one test, milliseconds. */
  testTimeoutMs: number;
  tested: Parameters<typeof createChannelJobs>[0]['tested'];
}

/** The operations on channels, their background runs and the clock that starts those; `stop` ends what runs. */
export function createChannelOps(parts: Parts): { ops: ChannelOps; stop(): Promise<void> } {
  const { db, clock, crypto, changes, http, channels, options, log } = parts;
  const shared = { db, clock, crypto, changes, http, channels, providerOf };
  const option = (name: string) => optionOf(options())(name);
  const tests = createChannelTests({
    ...shared,
    price: parts.price,
    testCall: (channel, model) => channelTestCall({ signTools: parts.signTools, option }, channel, model),
    timeoutMs: parts.testTimeoutMs,
  });
  const balances = createChannelBalances(shared);
  const jobs = createChannelJobs({
    db,
    clock,
    tests,
    balances,
    switch: parts.channelSwitch,
    options,
    keyRefusals: (type) => providerOf(type)?.keyRefusals,
    tested: parts.tested,
    board: (run) => createRunBoard({ db, clock, node: parts.node, run }),
    log,
  });
  const runs = startChannelRuns({
    ...{ jobs, options, clock, runner: parts.runner },
    isOurs: createTurns({ db, clock, node: parts.node }),
  });
  const ops: ChannelOps = {
    tests,
    balances,
    lists: createModelLists({
      ...shared,
      modelAsks: {
        ask: (type, channel) => askForModels(type, channel, throughProxy(parts.signTools, channel.proxy)),
        names: readModelNames,
      },
    }),
    probe: createUpstreamProbe({ ...shared, dialects: upstreamDialects, below }),
    copy: createChannelCopy(shared),
    batches: createChannelBatches(shared),
    tags: createChannelTags(shared),
    jobs,
  };
  return {
    ops,
    async stop() {
      await runs.stop();
      await jobs.stop();
    },
  };
}
