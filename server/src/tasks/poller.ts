import { cautiousClock, type WallClock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { TaskDesk } from './desk.ts';
import { closeTask, type GateParts } from './gate.ts';
import { claimDue, cutWaits, postpone, renewLeases } from './leases.ts';
import { isFinal, nextState } from './machine.ts';
import { releaseStray } from './stray.ts';
import type { Task, TaskReport } from './types.ts';

/** Tasks that one upstream account can be asked about together. */
export interface PollGroup {
  readonly platform: Task['platform'];
  readonly channelId: number;
  readonly keyId: string;
  readonly tasks: readonly Task[];
}

/** What an upstream said, by its own name for each task. `gone`: there is no such channel any more. */
export type PollAnswer =
  | { readonly kind: 'reports'; readonly reports: ReadonlyMap<string, TaskReport> }
  | { readonly kind: 'gone' };

/** Asks one upstream, within `timeoutMs`. Rejects when it did not answer. */
export type AskUpstream = (group: PollGroup, timeoutMs: number) => Promise<PollAnswer>;

export interface PollerParts extends GateParts {
  readonly log: Log;
  readonly desk: Pick<TaskDesk, 'tell'>;
  readonly ask: AskUpstream;
  /** Names this process in the leases it takes. */
  readonly node: string;
  readonly periodMs: number;
  /** How long rows stay in the hands of a node that has died. */
  readonly leaseMs: number;
  /** How long nobody looks at a submit that is under way. */
  readonly submitMs: number;
  /** In [0, 1). */
  readonly random: () => number;
}

export interface Poller {
  /** Looks at everything that is due now; resolves when that is done. Rejects with what failed of it. */
  tick(): Promise<void>;
}

const timeoutMs = 15_000;
const batch = 100;
const maxRounds = 10;
const idsPerCall = 50;
const parallelCalls = 8;
const longestPauseMs = 300_000;
const jitter = 0.2;
const upkeepEveryMs = 60_000;
/** So long a clock that was set forward ends no task: whoever gives up what goes on pays for it and gets nothing. */
const doubtMs = 3_600_000;

interface Parts extends PollerParts {
  /** What deadlines are judged by. */
  readonly patient: WallClock;
}

/** Keeps tasks going: each due row is looked at by one node, in calls for many at once, within bounds of time and number. */
export function createPoller(given: PollerParts): Poller {
  const parts: Parts = { ...given, patient: cautiousClock(given.clock, doubtMs) };
  let upkeepAtMs = 0;
  return {
    async tick() {
      if (parts.clock.monotonicMs() >= upkeepAtMs) {
        upkeepAtMs = parts.clock.monotonicMs() + upkeepEveryMs;
        await cutWaits(parts.db, { nowMs: parts.clock.nowMs(), dueMs: longestWaitMs(parts), leaseMs: parts.leaseMs });
        const stray = await releaseStray(parts);
        if (stray.length > 0) parts.log.warn({ requestIds: stray }, 'gave back what was held for tasks that are over');
      }
      for (let round = 0; round < maxRounds; round += 1) {
        const nowMs = parts.clock.nowMs();
        const claimed = await claimDue(parts.db, {
          node: parts.node,
          nowMs,
          leaseUntilMs: nowMs + parts.leaseMs,
          limit: batch,
        });
        await underLease(parts, claimed, () => lookAt(parts, claimed));
        if (claimed.length < batch) return;
      }
    },
  };
}

/** What is done takes as long as upstreams take; meanwhile the rows stay in these hands. */
async function underLease(parts: PollerParts, tasks: readonly Task[], work: () => Promise<void>): Promise<void> {
  const { db, node, clock, leaseMs, log } = parts;
  if (tasks.length === 0) return;
  const renew = () => {
    renewLeases(db, node, tasks.map(idOf), clock.nowMs() + leaseMs).catch((error: unknown) =>
      log.warn({ err: error }, 'could not go on holding tasks'),
    );
  };
  const timer = setInterval(renew, leaseMs / 3);
  timer.unref();
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
}

async function lookAt(parts: Parts, tasks: readonly Task[]): Promise<void> {
  const calls = tasks.filter((task) => !isFinal(task.state) && task.state.upstreamId !== '');
  await inTurns(
    tasks.filter((task) => !calls.includes(task)),
    (task) => finish(parts, task),
  );
  await inTurns(groupsOf(calls), (group) => poll(parts, group));
}

/** What has ended is closed; what no upstream ever confirmed has ended. */
async function finish(parts: PollerParts, task: Task): Promise<void> {
  try {
    if (isFinal(task.state)) await closeTask(parts, task);
    else await giveUp(parts, task, '任务提交后没有得到上游的确认', true);
  } catch (error) {
    parts.log.warn({ err: error, task: task.id }, 'a task could not be closed; trying again');
    await postpone(parts.db, parts.node, [task.id], { dueAtMs: nextMs(parts, task.attempts + 1), isMissed: true });
  }
}

function groupsOf(tasks: readonly Task[]): PollGroup[] {
  const groups = Map.groupBy(tasks, ({ platform, channelId, keyId }) => `${platform} ${channelId} ${keyId}`);
  return [...groups.values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const { platform, channelId, keyId } = first;
    const parts = Array.from({ length: Math.ceil(all.length / idsPerCall) }, (_, index) =>
      all.slice(index * idsPerCall, (index + 1) * idsPerCall),
    );
    return parts.map((part) => ({ platform, channelId, keyId, tasks: part }));
  });
}

async function poll(parts: Parts, group: PollGroup): Promise<void> {
  let answer: PollAnswer | undefined;
  try {
    answer = await parts.ask(group, timeoutMs);
  } catch (error) {
    const { platform, channelId } = group;
    parts.log.info({ err: error, platform, channel: channelId }, 'an upstream did not say how its tasks are');
  }
  const asIs: Task[] = [];
  const missed: Task[] = [];
  for (const task of group.tasks) {
    try {
      const outcome = await heard(parts, task, answer);
      if (outcome === 'as-is') asIs.push(task);
      else if (outcome === 'missed') missed.push(task);
    } catch (error) {
      parts.log.warn({ err: error, task: task.id }, 'a task could not be updated; trying again');
      missed.push(task);
    }
  }
  const { db, node } = parts;
  await postpone(db, node, asIs.map(idOf), { dueAtMs: nextMs(parts, 0), isMissed: false });
  for (const task of missed) await postpone(db, node, [task.id], { dueAtMs: nextMs(parts, task.attempts + 1), isMissed: true });
}

/** What the answer says of one task: told to it when that changes anything. */
async function heard(parts: Parts, task: Task, answer: PollAnswer | undefined): Promise<'told' | 'as-is' | 'missed'> {
  if (answer?.kind === 'gone') {
    await giveUp(parts, task, `获取渠道信息失败，请联系管理员，渠道ID：${task.channelId}`);
    return 'told';
  }
  const nowMs = parts.clock.nowMs();
  const report = answer?.reports.get(task.state.upstreamId);
  const event = report === undefined ? undefined : ({ kind: 'report', report } as const);
  const next = event === undefined ? task.state : nextState(task.state, event, nowMs);
  // Its last chance is an answer; of none, which is all that a machine just woken or started may get, the second.
  const isLast = event !== undefined || task.attempts > 0;
  if (!isFinal(next) && isLast && parts.patient.nowMs() >= task.deadlineAtMs) {
    await giveUp(parts, task, tooLate(task));
    return 'told';
  }
  if (event === undefined) return 'missed';
  if (next === task.state) return 'as-is';
  await parts.desk.tell(task, event, { dueAtMs: nextMs(parts, 0) });
  return 'told';
}

function tooLate({ platform }: Task): string {
  return platform === 'mj' ? '上游任务超时（超过1小时）' : '上游任务超时（超过24小时）';
}

async function giveUp(parts: PollerParts, task: Task, reason: string, isUnconfirmed = false): Promise<void> {
  await parts.desk.tell(task, { kind: 'given-up', reason, isUnconfirmed }, { dueAtMs: nextMs(parts, 0) });
}

/** When to look again: later the longer nobody answers, and never all at the same moment. */
function nextMs({ clock, periodMs, random }: PollerParts, attempts: number): number {
  const pauseMs = Math.min(periodMs * 2 ** Math.min(attempts, 10), Math.max(periodMs, longestPauseMs));
  return Math.round(clock.nowMs() + pauseMs * (1 + (random() - 0.5) * jitter));
}

function longestWaitMs({ periodMs, submitMs }: PollerParts): number {
  return Math.max(submitMs, Math.max(periodMs, longestPauseMs) * (1 + jitter));
}

function idOf({ id }: Task): number {
  return id;
}

/** A few at a time. */
async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const lane = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(parallelCalls, items.length) }, lane));
}
