import { providerOf } from '../providers/index.ts';
import type { RoutePlan, Target } from '../routing/index.ts';
import type { Asked, Outgoing } from './asked.ts';
import { enterBackup } from './backup-pool.ts';
import { codelessFault, localFault, RelayFault } from './faults.ts';
import type { Hedge, OpenCall } from './open-call.ts';
import type { RelayParts } from './parts.ts';
import { buildOutgoing } from './upstream-request.ts';

interface Trial {
  readonly parts: RelayParts;
  readonly plan: RoutePlan;
  /** Attempts at most, hedges included. */
  readonly limit: number;
  readonly open: OpenCall;
  readonly asked: Asked;
}

/**
 * Tries channels until one answers, then one of the backup pool's if the caller wants that. Undefined: the caller was
 * served (or left) and the call is settled.
 */
export async function tryChannels(trial: Trial): Promise<RelayFault | undefined> {
  const { parts, plan, open } = trial;
  const fault = await tryOrdinary(trial);
  if (fault === undefined || !(fault.retryable || open.tried.length === 0)) return fault;
  const target = await enterBackup(parts, open, plan.input.seed);
  return target === undefined ? fault : tryOne(trial, target, false);
}

async function tryOrdinary(trial: Trial): Promise<RelayFault | undefined> {
  const { parts, plan, limit, open } = trial;
  const { call } = open;
  let fault: RelayFault | undefined;
  let tries = 0;
  while (Math.max(tries, open.tried.length) < limit && !open.caller.gone) {
    const target = plan.next();
    if (target === undefined || (fault !== undefined && !parts.budget.take())) break;
    tries += 1;
    fault = await tryOne(trial, target, true);
    if (fault === undefined) return undefined;
    const { status, code } = fault;
    parts.log.info({ requestId: call.id, channel: target.channelId, status, code }, 'attempt failed');
    if (!fault.retryable) break;
    if (fault.allowsOtherKey) plan.allowOtherKeys(open.lastFailed ?? target);
  }
  if (fault !== undefined) return fault;
  return open.caller.gone ? localFault('caller_left') : codelessFault('no_channel', { group: call.group, model: call.model });
}

async function tryOne(trial: Trial, target: Target, mayHedge: boolean): Promise<RelayFault | undefined> {
  try {
    const outgoing = outgoingFor(trial.asked, target);
    const ready = outgoing instanceof Promise ? await outgoing : outgoing;
    // Signing and fetching take time; for a caller who left meanwhile nothing is asked.
    if (trial.open.caller.gone) return localFault('caller_left');
    const result = await trial.open.attempt(target, ready, mayHedge ? hedgeFor(trial, target) : undefined);
    if (result.kind === 'broken') throw result.error;
    return result.kind === 'fault' ? result.fault : undefined;
  } catch (error) {
    if (!(error instanceof RelayFault)) throw error;
    // What its caller's leaving cut short is no fault of the request's.
    if (trial.open.caller.gone) return localFault('caller_left');
    trial.open.skipped(target, error);
    return error;
  }
}

/** The request to one target. Throws or rejects with RelayFault. */
export function outgoingFor(asked: Asked, { channel }: Target): Outgoing | Promise<Outgoing> {
  const provider = providerOf(channel.type);
  if (provider === undefined || provider.tasksOnly === true)
    throw localFault('channel_type_planned', { type: channel.type }, { retryable: true });
  return buildOutgoing(asked, channel, provider);
}

/** A caller whose call is the probe of a sick channel does not wait longer than this for its first sign of life. */
const probeHedgeMs = 5_000;

function hedgeFor(trial: Trial, { channel, probe }: Target): Hedge | undefined {
  const afterMs = channel.setting.hedgeMs ?? (probe ? probeHedgeMs : undefined);
  return afterMs === undefined ? undefined : { afterMs, start: () => secondTarget(trial) };
}

/** A hedge is an attempt like any other: it counts, and the retry budget pays for it. */
async function secondTarget(trial: Trial): ReturnType<Hedge['start']> {
  const { plan, open, limit, parts } = trial;
  if (open.tried.length >= limit || !parts.budget.take()) return undefined;
  const target = plan.next();
  if (target === undefined) return undefined;
  try {
    return { target, outgoing: await outgoingFor(trial.asked, target) };
  } catch (error) {
    if (!(error instanceof RelayFault)) throw error;
    if (!open.caller.gone) open.skipped(target, error);
    return undefined;
  }
}
