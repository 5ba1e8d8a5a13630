import { type ErrorCode, errors, errorText } from '@tollgate/contract';
import type { FailureEvidence } from '../routing/index.ts';

/**
 * An error that the caller of the relay will see, in the caller's dialect. `retryable` says whether another channel may
 * still answer; local errors never are.
 */
export class RelayFault extends Error {
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly param: string;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | undefined;
  /** What it says about the channel; undefined = nothing, it is ours or the caller's. */
  readonly evidence: FailureEvidence | undefined;

  constructor(fault: FaultFields) {
    super(fault.message);
    this.status = fault.status;
    this.code = fault.code;
    this.type = fault.type ?? 'new_api_error';
    this.param = fault.param ?? '';
    this.retryable = fault.retryable ?? false;
    this.retryAfterSeconds = fault.retryAfterSeconds;
    this.evidence = fault.evidence;
  }
}

interface FaultFields {
  status: number;
  code: string;
  message: string;
  type?: string;
  param?: string;
  retryable?: boolean;
  retryAfterSeconds?: number;
  evidence?: FailureEvidence;
}

/** An error of our own, from the registry. `codeless` errors carry "" as code, as authentication always did (contract 5.2). */
export function localFault(
  code: ErrorCode,
  values: Record<string, string | number> = {},
  options: { codeless?: boolean; retryable?: boolean; retryAfterSeconds?: number; evidence?: FailureEvidence } = {},
): RelayFault {
  return new RelayFault({
    status: errors[code].status,
    code: options.codeless === true ? '' : code,
    message: errorText(code, values),
    retryable: options.retryable,
    retryAfterSeconds: options.retryAfterSeconds,
    evidence: options.evidence,
  });
}

/** A channel of this type can never serve the caller's protocol; another one may. */
export function notServed(type: number): RelayFault {
  return localFault('convert_request_failed', { type }, { retryable: true });
}

/** Evidence without an answer of the upstream's. */
export function plainEvidence(errorClass: FailureEvidence['class'], code: string): FailureEvidence {
  return { class: errorClass, status: 0, code, type: '', message: '', coolMs: undefined };
}
