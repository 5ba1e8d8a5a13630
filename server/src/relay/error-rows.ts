import { redactText } from '../platform/log.ts';
import type { ErrorEntry } from '../usage/index.ts';
import type { Authenticated } from './authenticate.ts';
import type { Arrival, Call } from './call.ts';
import { describe } from './failure.ts';
import { faultOf, type RelayFault } from './faults.ts';
import type { RelayParts } from './parts.ts';

const maxModel = 255;

/** Leaves the error row of a call that never went anywhere; the words of a defect stand in the program's log. */
export function noteRefusal(
  parts: RelayParts,
  arrival: Arrival,
  { key }: Pick<Authenticated, 'key'>,
  model: string,
  error: unknown,
): void {
  // The caller has left.
  if (error === undefined) return;
  const fault = faultOf(error);
  const { id, ip, startedMonotonicMs } = arrival;
  parts.errorLog.note({
    ...ownerOf(key),
    ...toldBy(fault),
    model: model.slice(0, maxModel),
    group: key.group === '' ? key.user.group : key.group,
    channelId: 0,
    isStream: false,
    requestId: id,
    ip,
    durationMs: parts.clock.monotonicMs() - startedMonotonicMs,
    adminInfo: fault.detail === '' ? '{"use_channel":[]}' : `{"use_channel":[],"error":${reasonOf(fault)}}`,
  });
}

type Failed = Arrival & Pick<Call, 'key' | 'model' | 'group' | 'isStream'>;

/** Leaves the error row of a call that every channel failed. `told` is what the caller got, `fault` what was behind it. */
export function noteFailure(
  parts: RelayParts,
  call: Failed,
  { tried, route }: { tried: readonly number[]; route: string },
  fault: RelayFault,
  told: RelayFault,
): void {
  const channels = tried.map((id) => `"${id}"`).join(',');
  parts.errorLog.note({
    ...ownerOf(call.key),
    ...toldBy(told),
    model: call.model,
    group: call.group,
    channelId: tried.at(-1) ?? 0,
    isStream: call.isStream,
    requestId: call.id,
    ip: call.ip,
    durationMs: parts.clock.monotonicMs() - call.startedMonotonicMs,
    adminInfo: `{"use_channel":[${channels}],"error":${reasonOf(fault)},"route":${route}}`,
  });
}

const reasonOf = (fault: RelayFault): string => JSON.stringify(redactText(describe(fault)));

function ownerOf({ user, tokenId, tokenName }: Call['key']): Pick<ErrorEntry, 'userId' | 'username' | 'tokenId' | 'tokenName'> {
  return { userId: user.id, username: user.username, tokenId, tokenName };
}

function toldBy({ status, code, message }: RelayFault): Pick<ErrorEntry, 'status' | 'code' | 'message'> {
  return { status, code, message: redactText(message) };
}
