import type { JsonObject } from '@tollgate/wire';
import type { HoldResult } from '../../billing/index.ts';
import type { KeyRecord } from '../../identity/index.ts';
import { nowSeconds, toSeconds } from '../../platform/clock.ts';
import { randomAlphanumerics } from '../../platform/ids.ts';
import type { SubmitReading } from '../../providers/index.ts';
import { describePlan } from '../../routing/index.ts';
import { isFinal, longestMs, type Task } from '../../tasks/index.ts';
import type { Authenticated } from '../authenticate.ts';
import type { Arrival } from '../call.ts';
import { noteFailure, noteRefusal } from '../error-rows.ts';
import { codelessFault, localFault, RelayFault, toldOf } from '../faults.ts';
import type { RelayParts } from '../parts.ts';
import { insufficient } from '../reserve.ts';
import { inPlaceMs, insist } from '../settle.ts';
import { type AdmittedTask, admitTask } from './admit.ts';
import { withRoute } from './charge.ts';
import type { TaskOrder } from './order.ts';
import { passedOn } from './refusals.ts';
import { type Outcome, type Said, type Trial, tryOne } from './trial.ts';

/** The upstream's own word, for the caller. */
export interface Submitted {
  readonly reading: SubmitReading;
  readonly answer: JsonObject;
  readonly task: Task;
}

const publicIdChars = 24;

/**
 * One task from its admission to the upstream's answer, through the same doors as every call: key, limits, price, a hold
 * before anybody is asked. The row is durable before the hold, so that no hold is without somebody to close it. Rejects
 * with RelayFault when no upstream said anything that its surface could pass on.
 */
export async function submitTask(parts: RelayParts, arrival: Arrival, who: Authenticated, order: TaskOrder): Promise<Submitted> {
  const refused = (error: unknown): never => {
    noteRefusal(parts, arrival, who, order.model, error);
    throw error;
  };
  return submit(parts, arrival, order, await admitTask(parts, arrival, who, order).catch(refused), refused);
}

async function submit(
  parts: RelayParts,
  arrival: Arrival,
  order: TaskOrder,
  admitted: AdmittedTask,
  refused: (error: unknown) => never,
): Promise<Submitted> {
  const { pass } = admitted;
  let task: Task | undefined;
  // A stopping process waits until it is known what became of it.
  const open = { tick: keeper(parts, () => task), shutdown: () => undefined };
  parts.active.add(open);
  try {
    task = await begin(parts, arrival, order, admitted).catch((error: unknown) => {
      pass?.cancel();
      return refused(error);
    });
    parts.budget.countCall();
    const plan = describePlan(admitted.plan, parts.snapshot().version, admitted.limit, parts.watch.health.quiet());
    return await withErrorRow({ parts, arrival, order, admitted, task, plan, attempts: [], tried: [] });
  } finally {
    parts.active.remove(open);
    pass?.leave();
  }
}

/** Says from time to time that the submit is under way: when this process dies, another one soon knows. */
function keeper(parts: RelayParts, task: () => Task | undefined): (nowMs: number) => void {
  const everyMs = parts.env.HOLD_CHECKPOINT_SECONDS * 1000;
  let keptMs = parts.clock.monotonicMs();
  return (nowMs) => {
    const kept = task();
    if (kept === undefined || nowMs - keptMs < everyMs) return;
    keptMs = nowMs;
    parts.tasks
      .keep(kept, leaseEndMs(parts))
      .catch((error: unknown) => parts.log.warn({ err: error, task: kept.id }, 'could not say that a submit is under way'));
  };
}

function leaseEndMs({ clock, env }: RelayParts): number {
  return clock.nowMs() + env.HOLD_LEASE_SECONDS * 1000;
}

async function begin(parts: RelayParts, { id }: Arrival, order: TaskOrder, admitted: AdmittedTask): Promise<Task> {
  const { key, group, charge, heldQuota, pass } = admitted;
  if (pass?.claim(heldQuota) === false) throw pass.beyond(heldQuota);
  const nowMs = parts.clock.nowMs();
  const deadlineAtMs = nowMs + longestMs[order.platform];
  const { platform, action, model, input, mode } = order;
  const task = await parts.tasks.begin({
    ...{ platform, action, model, input, mode, group, charge },
    publicId: randomAlphanumerics(publicIdChars),
    userId: key.user.id,
    tokenId: key.tokenId,
    channelId: 0,
    keyId: '',
    holdId: id,
    quota: heldQuota,
    submitAtMs: nowMs,
    deadlineAtMs,
    nowMs,
    dueAtMs: leaseEndMs(parts),
  });
  const held = await parts.ledger.hold({
    ...{ id, userId: key.user.id, tokenId: key.tokenId, amount: heldQuota, floorCost: charge.cost },
    node: parts.node,
    now: nowSeconds(parts.clock),
    leaseUntil: toSeconds(deadlineAtMs),
    draft: charge.draft,
    keeper: 'task',
  });
  if (held.ok) return task;
  await parts.tasks.forget(task);
  throw unpaid(parts, { order, key }, held, heldQuota);
}

/** In the word of the older protocols, or with the figures that every other call gets. */
function unpaid(
  parts: RelayParts,
  { order: { platform }, key }: { order: TaskOrder; key: KeyRecord },
  held: Exclude<HoldResult, { ok: true }>,
  amount: number,
): RelayFault {
  if (platform !== 'video' && held.reason !== 'duplicate') return localFault('quota_not_enough');
  return insufficient({ key, snapshot: parts.snapshot() }, held, amount);
}

const routeOf = ({ plan, attempts }: Trial): string => `${plan},"a":[${attempts.join(',')}]}`;

/** Whatever kept it from being made stands in the log: a fault of ours, and the upstream's own refusal, which is passed on. */
async function withErrorRow(trial: Trial): Promise<Submitted> {
  const { parts, arrival, admitted, order, tried } = trial;
  const note = (fault: RelayFault): void => {
    const failed = { ...arrival, key: admitted.key, model: order.model, group: admitted.group, isStream: false };
    noteFailure(parts, failed, { tried, route: routeOf(trial) }, fault, fault);
  };
  try {
    const submitted = await tryUpstreams(trial);
    const { reading } = submitted;
    if (reading.kind === 'refused') note(passedOn(reading.error));
    return submitted;
  } catch (error) {
    if (error instanceof RelayFault) note(error);
    throw error;
  }
}

async function tryUpstreams(trial: Trial): Promise<Submitted> {
  const { parts, admitted, order } = trial;
  let last: Outcome | undefined;
  for (let tries = 0; tries < admitted.limit; tries += 1) {
    const target = admitted.next();
    if (target === undefined || (last !== undefined && !parts.budget.take())) break;
    last = await tryOne(trial, target);
    if (last.kind === 'fault' ? last.isFinal : !mayMoveOn(last)) break;
    if (last.kind === 'fault' && last.fault.allowsOtherKey) admitted.plan.allowOtherKeys(target);
  }
  const { model } = order;
  last ??= {
    kind: 'fault',
    fault: codelessFault('no_channel', { group: admitted.group, model }),
    isFinal: true,
  };
  return last.kind === 'fault' ? refuse(trial, last.fault) : conclude(trial, last);
}

function mayMoveOn({ reading, isSpent }: Said): boolean {
  return reading.kind === 'refused' && (reading.elsewhere || isSpent === true);
}

async function refuse({ parts, task }: Trial, fault: RelayFault): Promise<never> {
  const { message: reason } = fault;
  const dueAtMs = parts.clock.nowMs();
  await parts.tasks.tell(task, { kind: 'refused', code: 0, reason }, { dueAtMs });
  throw toldOf(fault);
}

async function conclude(trial: Trial, said: Said): Promise<Submitted> {
  const { parts, admitted, tried } = trial;
  const { reading, answer, target } = said;
  const { input, charge } = admitted.at(target);
  const sentTo = {
    channelId: target.channelId,
    keyId: target.keyId,
    group: target.group,
    input,
    charge: withRoute(charge, tried, routeOf(trial)),
  };
  const dueAtMs = parts.clock.nowMs() + parts.env.TASK_POLL_SECONDS * 1000;
  const { code } = reading;
  const event =
    reading.kind === 'accepted'
      ? ({ kind: 'accepted', upstreamId: reading.upstreamId, code, report: reading.task } as const)
      : ({ kind: 'refused', code, reason: reading.error.message } as const);
  const told = await tellLastingly(trial, event, { dueAtMs, sentTo });
  if (reading.kind === 'accepted') admitted.pass?.settle(admitted.tokens, charge.cost);
  if (told === undefined) throw localFault('internal_error');
  // It was given up meanwhile, and what was held is given back.
  if (reading.kind === 'accepted' && isFinal(told.state) && told.state.status === 'FAILURE') throw localFault('upstream_timeout');
  return { reading, answer, task: told };
}

type Telling = Parameters<RelayParts['tasks']['tell']>;

/**
 * What an upstream has begun goes on, and is paid for there: while the database is out it is told again for some seconds.
 * After that the task is a failure, and nothing is charged for it.
 */
async function tellLastingly({ parts, task }: Trial, event: Telling[1], along: Telling[2]): Promise<Task | undefined> {
  let told: Task | undefined;
  const fault = await insist(parts.clock, inPlaceMs, async () => {
    told = await parts.tasks.tell(task, event, along);
  });
  if (fault === undefined) return told;
  if (event.kind === 'accepted') {
    const { upstreamId } = event;
    const { log } = parts;
    log.error(
      { err: fault, requestId: task.holdId, channel: along.sentTo?.channelId, upstreamId },
      'a task that an upstream has begun could not be kept; it goes on there for nobody',
    );
  }
  throw fault;
}
