import type { Clock } from '../platform/clock.ts';
import type { BodySink, UpstreamFault } from '../platform/http/client.ts';
import { attemptText, type Target } from '../routing/index.ts';
import { localFault, plainEvidence, type RelayFault } from './faults.ts';

/** What one attempt came to. `fault`: nothing reached the caller, another channel may try. `broken`: by a defect of ours. */
export type AttemptResult =
  | { readonly kind: 'answered' }
  | { readonly kind: 'fault'; readonly fault: RelayFault }
  | { readonly kind: 'broken'; readonly error: unknown };

/** Hears nothing of what is left of an answer. */
export const ignored: BodySink = { data: () => undefined, end: () => undefined, fault: () => undefined };

/** A transport failure as the caller sees it: never the driver's text (contract 6.6), which the record of the call has. */
export function transportFault({ kind, message: detail }: UpstreamFault): RelayFault {
  if (kind === 'local') return localFault('overloaded', {}, { retryable: true, retryAfterSeconds: 1, detail });
  if (kind === 'refused') return localFault('do_request_failed', {}, { retryable: true, detail });
  const evidence = plainEvidence('network', kind);
  return localFault(kind === 'timeout' ? 'upstream_timeout' : 'do_request_failed', {}, { retryable: true, evidence, detail });
}

/** Begins the record of an attempt whose answer comes whole; what it returns writes down how it ended. Status 0: nothing came. */
export function beginRecord(attempts: string[], clock: Clock, { channelId, keyIndex }: Target) {
  const startedMs = clock.monotonicMs();
  return (status: number, error: string): void => {
    const ms = clock.monotonicMs() - startedMs;
    attempts.push(attemptText({ channelId, keyIndex, status, error, ms, headMs: status === 0 ? -1 : ms, upstreamRequestId: '' }));
  };
}
