import type { JsonObject } from '@tollgate/wire';
import { UpstreamFault } from '../../platform/http/client.ts';
import type { SubmitReading } from '../../providers/index.ts';
import type { Target } from '../../routing/index.ts';
import type { Task } from '../../tasks/index.ts';
import { beginRecord, transportFault } from '../attempt.ts';
import type { Arrival } from '../call.ts';
import { jsonOf, type WholeAnswer } from '../exchange.ts';
import { describe, disableRules } from '../failure.ts';
import { localFault, RelayFault, unreadableAnswer } from '../faults.ts';
import type { RelayParts } from '../parts.ts';
import { retryAfterTold } from '../refusal-fault.ts';
import { saidByCaller } from '../said-by-caller.ts';
import type { AdmittedTask } from './admit.ts';
import type { TaskOrder } from './order.ts';
import { refusedAs, saidNo } from './refusals.ts';
import { askUpstream, type TaskUpstream, taskUpstream } from './upstream.ts';

/** A task on its way to its upstreams. */
export interface Trial {
  readonly parts: RelayParts;
  readonly arrival: Arrival;
  readonly order: TaskOrder;
  readonly admitted: AdmittedTask;
  readonly task: Task;
  /** The beginning of the route's record. */
  readonly plan: string;
  readonly attempts: string[];
  readonly tried: number[];
}

/** An upstream answered what its surface reads. */
export interface Said {
  readonly kind: 'said';
  readonly reading: SubmitReading;
  readonly answer: JsonObject;
  readonly target: Target;
  /** It refused because its account can do nothing more: another one may take it. */
  readonly isSpent?: boolean;
}

export type Outcome = Said | { readonly kind: 'fault'; readonly fault: RelayFault; readonly isFinal: boolean };

/** Nothing reached the upstream. */
const unsent: ReadonlySet<string> = new Set(['refused', 'connect', 'local']);
/** For one upstream (contract 6.7). */
const submitTimeoutMs = 60_000;
const maxAnswerBytes = 1024 * 1024;

/** One upstream is asked, once, and what it said or what kept it from that is told to its channel's health. */
export async function tryOne(trial: Trial, target: Target): Promise<Outcome> {
  const { parts, order, tried, attempts } = trial;
  tried.push(target.channelId);
  const record = beginRecord(attempts, parts.clock, target);
  parts.watch.began(target);
  const outcome = await ask(trial, target).catch((error: unknown): Outcome => {
    if (error instanceof RelayFault) return { kind: 'fault', fault: error, isFinal: !error.retryable };
    if (!(error instanceof UpstreamFault)) throw error;
    // Who was heard of no more may have begun: asking another one could make it twice.
    return { kind: 'fault', fault: transportFault(error), isFinal: !unsent.has(error.kind) };
  });
  const fault = outcome.kind === 'fault' ? outcome.fault : refusedAs(trial, target, outcome.reading);
  record(outcome.kind === 'said' ? 200 : (fault?.evidence?.status ?? 0), fault === undefined ? '' : describe(fault));
  if (outcome.kind === 'said' && outcome.reading.kind === 'accepted') parts.watch.succeeded(target);
  else if (fault?.evidence === undefined) parts.watch.released(target);
  else {
    const wasSaid = (text: string) => saidByCaller(order.bytes, text);
    parts.watch.failed(target, fault.evidence, disableRules(parts.snapshot().options, target, wasSaid));
  }
  return outcome.kind === 'said' ? { ...outcome, isSpent: fault?.evidence?.class === 'quota' } : outcome;
}

async function ask(trial: Trial, target: Target): Promise<Outcome> {
  const { parts, order, admitted } = trial;
  const { channel } = target;
  const upstream = taskUpstream(channel, order.platform);
  if (upstream === undefined) throw localFault('channel_type_planned', { type: channel.type }, { retryable: true });
  const limits = { timeoutMs: submitTimeoutMs, maxBytes: maxAnswerBytes };
  const answer = await askUpstream(parts.upstream, upstream, await order.build(upstream, admitted.isTimed), limits);
  if (answer === undefined) throw localFault('do_request_failed', {}, { retryable: true });
  return read(trial, upstream, target, answer);
}

function read(trial: Trial, { api, channel }: TaskUpstream, target: Target, answer: WholeAnswer): Outcome {
  const body = jsonOf(answer, channel.key);
  // Some say 201 or 202 to what they have only begun.
  if (answer.status < 200 || answer.status > 299) {
    const { status, headers } = answer;
    const retryAfter = retryAfterTold(status, headers, trial.parts.clock.nowMs());
    throw saidNo(trial, channel, { status, error: api.readError(status, body), retryAfter });
  }
  // What cannot be read may have been accepted: nobody else is asked.
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { kind: 'fault', fault: unreadableAnswer(), isFinal: true };
  const reading = api.readSubmit(body, trial.order.action);
  return { kind: 'said', reading, answer: body as JsonObject, target };
}
