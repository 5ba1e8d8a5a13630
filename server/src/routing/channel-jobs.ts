import { type ChannelJob, type ChannelJobResult, type ChannelJobs as ChannelJobsState, channelStatus } from '@tollgate/contract';
import { type Actor, recordAudit } from '../audit/index.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { Options } from '../settings/index.ts';
import type { Database } from '../storage/database.ts';
import type { RunBoard } from '../storage/run-board.ts';
import type { ChannelBalances } from './channel-balance.ts';
import { createRun, type RunFigures } from './channel-runs.ts';
import type { ChannelTests, TestOutcome } from './channel-test.ts';
import type { ChannelSwitch } from './health-switch.ts';
import { disableReason } from './health-verdict.ts';

export interface JobDeps {
  db: Database;
  clock: Clock;
  tests: ChannelTests;
  balances: ChannelBalances;
  switch: Pick<ChannelSwitch, 'disable' | 'enable'>;
  options: () => Options;
  /** Statuses that mean, at this type's vendor, that the key is dead. */
  keyRefusals: (type: number) => readonly number[] | undefined;
  /** The run over all channels has ended. */
  tested: (run: RunFigures) => Promise<unknown>;
  /** Where the nodes read of a run, by its name. */
  board: (run: string) => RunBoard<ChannelJob>;
  log: Log;
}

/** The background runs over all channels: one of each kind at a time, on one of the nodes. */
export interface ChannelJobs {
  /** `actor`: who asked for it; undefined = it was time. Throws PublicError `测试已在运行中`. */
  startTest(actor?: Actor): Promise<void>;
  startBalance(): Promise<void>;
  /** Of whichever node runs them. */
  state(): Promise<ChannelJobsState>;
  stop(): Promise<void>;
}

type Item = { id: number; name: string; type: number; status: number; auto_ban: number };

export function createChannelJobs(deps: JobDeps): ChannelJobs {
  const pauseSeconds = () => deps.options().ChannelRunPauseSeconds;
  const test = createRun<Item>({
    // What a person switched off is left alone.
    items: () => itemsWith(deps.db, [channelStatus.enabled, channelStatus.autoDisabled]),
    each: (item, signal) => guarded(deps, item, () => testOne(deps, item, signal)),
    pauseSeconds,
    finished: deps.tested,
    refusal: 'channel_test_running',
    board: deps.board('channel-test'),
    log: deps.log,
  });
  const balance = createRun<Item>({
    items: async () => (await itemsWith(deps.db, [channelStatus.enabled])).filter(({ type }) => deps.balances.has(type)),
    each: (item, signal) => guarded(deps, item, () => refreshOne(deps, item, signal)),
    pauseSeconds,
    finished: () => Promise.resolve(),
    refusal: 'channel_balance_running',
    board: deps.board('channel-balance'),
    log: deps.log,
  });
  return {
    async startTest(actor) {
      await test.start();
      if (actor === undefined) return;
      const event = { actor, action: 'channel.test', target: 'channel:all', now: nowSeconds(deps.clock) } as const;
      await deps.db.transaction((tx) => tx.perform(recordAudit(event)));
    },
    startBalance: balance.start,
    async state() {
      const [tests, balances] = await Promise.all([test.state(), balance.state()]);
      return { test: tests, balance: balances };
    },
    async stop() {
      await Promise.all([test.stop(), balance.stop()]);
    },
  };
}

function itemsWith({ read }: Database, statuses: readonly number[]): Promise<Item[]> {
  const columns = ['id', 'name', 'type', 'status', 'auto_ban'] as const;
  return read.selectFrom('channel').select(columns).where('status', 'in', statuses).orderBy('id').execute();
}

/** One channel's misfortune must not end the run. */
async function guarded(deps: JobDeps, { id, name }: Item, work: () => Promise<ChannelJobResult>): Promise<ChannelJobResult> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PublicError) return { id, name, success: false, message: String(error.values.detail ?? error.message) };
    deps.log.warn({ err: error, channel: id }, 'a channel was left out of a run');
    return { id, name, success: false, message: 'internal error' };
  }
}

async function testOne(deps: JobDeps, item: Item, signal: AbortSignal): Promise<ChannelJobResult> {
  const outcome = await deps.tests.test(item.id, { signal });
  if (!signal.aborted) await judge(deps, item, outcome);
  const { success, message, seconds } = outcome;
  return { id: item.id, name: item.name, success, message, time: seconds };
}

/** Contract 4.8 and 4.9: a dead or slow channel goes, one that came back returns. */
async function judge(deps: JobDeps, item: Item, outcome: TestOutcome): Promise<void> {
  const options = deps.options();
  const slow = slowReason(outcome, options.ChannelDisableThreshold);
  const evidence = { source: 'test', seconds: outcome.seconds, status: outcome.evidence?.status ?? 0 };
  if (item.status === channelStatus.autoDisabled) {
    if (outcome.success && slow === undefined && options.AutomaticEnableChannelEnabled)
      await deps.switch.enable(item.id, evidence);
    return;
  }
  const enabled = options.AutomaticDisableChannelEnabled;
  const autoBan = item.auto_ban === 1;
  const keyRefusals = deps.keyRefusals(item.type);
  const rules = { enabled, autoBan, keywords: options.AutomaticDisableKeywords, keyRefusals, saidByCaller: () => false };
  const dead = outcome.evidence === undefined ? undefined : disableReason(outcome.evidence, rules);
  if (dead !== undefined) await deps.switch.disable({ channelId: item.id, reason: dead, evidence, key: outcome.key });
  else if (slow !== undefined && enabled && autoBan) await deps.switch.disable({ channelId: item.id, reason: slow, evidence });
}

/** A limit of 0 calls nothing slow. */
function slowReason({ reached, seconds }: TestOutcome, limit: number): string | undefined {
  return limit > 0 && reached && seconds > limit ? `响应时间 ${seconds.toFixed(2)}s 超过阈值 ${limit.toFixed(2)}s` : undefined;
}

async function refreshOne(deps: JobDeps, item: Item, signal: AbortSignal): Promise<ChannelJobResult> {
  const { balance, key } = await deps.balances.refresh(item.id, signal);
  const empty = balance <= 0 && item.auto_ban === 1 && deps.options().AutomaticDisableChannelEnabled;
  if (empty) await deps.switch.disable({ channelId: item.id, reason: '余额不足', evidence: { source: 'balance', balance }, key });
  return { id: item.id, name: item.name, success: true, message: '', balance };
}
