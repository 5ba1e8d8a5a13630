import type { BodySink, UpstreamCall, UpstreamClient, UpstreamFault, UpstreamHeaders } from '../platform/http/client.ts';
import type { Outgoing } from './asked.ts';
import { localFault, plainEvidence, type RelayFault } from './faults.ts';

/** What one attempt came to. `fault`: nothing reached the caller, another channel may try. `broken`: by a defect of ours. */
export type AttemptResult =
  | { readonly kind: 'answered' }
  | { readonly kind: 'fault'; readonly fault: RelayFault }
  | { readonly kind: 'broken'; readonly error: unknown };

/** Chooses who reads the body; called once, synchronously, with the head. */
export type SinkForHead = (status: number, headers: UpstreamHeaders, upstream: UpstreamCall) => BodySink;

export interface AttemptTimeouts {
  /** The channel's own connections (F-20). */
  readonly pool: string;
  /** The channel's way out. */
  readonly proxy: string | undefined;
  /** Undefined = the client's own. */
  readonly connectTimeoutMs: number | undefined;
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
}

/** Hears nothing of what is left of an answer. */
export const ignored: BodySink = { data: () => undefined, end: () => undefined, fault: () => undefined };

/** Sends one request; `onFault` hears of a failure before any head, the chosen sink of everything after it. */
export function openUpstream(
  send: UpstreamClient['send'],
  outgoing: Outgoing,
  timeouts: AttemptTimeouts,
  sinkFor: SinkForHead,
  onFault: (fault: UpstreamFault) => void,
): UpstreamCall {
  const { url, headers, body: bytes } = outgoing;
  const { pool, proxy, connectTimeoutMs, firstByteTimeoutMs, idleTimeoutMs } = timeouts;
  const place = { url, method: 'POST', headers, body: bytes, pool, proxy } as const;
  const upstream: UpstreamCall = send(
    { ...place, connectTimeoutMs, firstByteTimeoutMs, idleTimeoutMs },
    {
      ...ignored,
      head: (status, headers) => sinkFor(status, headers, upstream),
      fault: onFault,
    },
  );
  return upstream;
}

/** A transport failure as the caller sees it: never the driver's text (contract 6.6), which the record of the call has. */
export function transportFault({ kind, message: detail }: UpstreamFault): RelayFault {
  if (kind === 'local') return localFault('overloaded', {}, { retryable: true, retryAfterSeconds: 1, detail });
  if (kind === 'refused') return localFault('do_request_failed', {}, { retryable: true, detail });
  const evidence = plainEvidence('network', kind);
  return localFault(kind === 'timeout' ? 'upstream_timeout' : 'do_request_failed', {}, { retryable: true, evidence, detail });
}
