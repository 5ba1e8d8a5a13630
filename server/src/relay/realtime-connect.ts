import { openaiChat } from '@tollgate/wire';
import type { WebSocket } from 'ws';
import { UpstreamFault } from '../platform/http/client.ts';
import type { RoutePlan, Target } from '../routing/index.ts';
import type { Asked, Outgoing } from './asked.ts';
import { beginRecord, transportFault } from './attempt.ts';
import type { Call } from './call.ts';
import { describe, disableRules } from './failure.ts';
import { codelessFault, localFault, RelayFault } from './faults.ts';
import type { RelayParts } from './parts.ts';
import { refusalFault, retryAfterTold } from './refusal-fault.ts';
import { outgoingFor } from './try-channels.ts';

/** An upstream that agreed to a session. */
export interface Connected {
  readonly socket: WebSocket;
  readonly target: Target;
  readonly outgoing: Outgoing;
  readonly tried: readonly number[];
  /** Every attempt, as the log row keeps it. */
  readonly attempts: readonly string[];
}

interface Trial {
  readonly parts: RelayParts;
  readonly call: Call;
  readonly plan: RoutePlan;
  /** Attempts at most. */
  readonly limit: number;
  readonly asked: Asked;
  /** Sent beside what the channel's requests always have. */
  readonly headers: Readonly<Record<string, string>>;
  /** The caller left. */
  readonly signal: AbortSignal;
}

const switching = 101;

/** Asks channels until one agrees. Rejects with RelayFault. */
export async function connectUpstream(trial: Trial): Promise<Connected> {
  const { parts, call, plan, limit, signal } = trial;
  const tried: number[] = [];
  const attempts: string[] = [];
  let fault: RelayFault | undefined;
  while (tried.length < limit && !signal.aborted) {
    const target = plan.next();
    if (target === undefined || (fault !== undefined && !parts.budget.take())) break;
    tried.push(target.channelId);
    const record = beginRecord(attempts, parts.clock, target);
    try {
      const { socket, outgoing } = await ask(trial, target);
      record(switching, '');
      return { socket, target, outgoing, tried, attempts };
    } catch (error) {
      if (!(error instanceof RelayFault)) throw error;
      fault = error;
    }
    record(fault.evidence?.status ?? 0, describe(fault));
    const { status, code } = fault;
    parts.log.info({ requestId: call.id, channel: target.channelId, status, code }, 'attempt failed');
    if (!fault.retryable) break;
    if (fault.allowsOtherKey) plan.allowOtherKeys(target);
  }
  if (fault !== undefined) throw fault;
  throw signal.aborted ? localFault('caller_left') : codelessFault('no_channel', { group: call.group, model: call.model });
}

async function ask(trial: Trial, target: Target): Promise<Pick<Connected, 'socket' | 'outgoing'>> {
  const { parts, call, asked, headers, signal } = trial;
  const { channel } = target;
  // An opening says nothing of its caller's that an upstream could quote.
  const rules = disableRules(call.snapshot.options, target, () => false);
  const outgoing = await outgoingFor(asked, target);
  parts.watch.began(target);
  const request = {
    url: outgoing.url,
    headers: { ...headers, ...outgoing.headers },
    proxy: channel.setting.proxy,
    connectTimeoutMs: channel.setting.connectTimeoutMs,
    signal,
  };
  try {
    const opened = await parts.askForSocket(request);
    if (opened.kind === 'refused') {
      const error = openaiChat.dialect.readError(opened.status, opened.body);
      const nowMs = parts.clock.nowMs();
      const refusal = { status: opened.status, error, retryAfter: retryAfterTold(opened.status, opened.headers, nowMs) };
      throw refusalFault(channel, refusal, nowMs, rules);
    }
    parts.watch.alive(target);
    return { socket: opened.socket, outgoing };
  } catch (error) {
    const fault = error instanceof UpstreamFault ? transportFault(error) : error;
    if (!(fault instanceof RelayFault) || fault.evidence === undefined || signal.aborted) parts.watch.released(target);
    else parts.watch.failed(target, fault.evidence, rules);
    throw fault;
  }
}
