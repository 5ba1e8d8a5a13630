import { type ErrorCode, errors, errorText } from '@tollgate/contract';
import { familyRefusals } from '@tollgate/wire';
import { PublicError, publicError } from '../platform/errors.ts';
import type { FailureEvidence } from '../routing/index.ts';
import { isOutage } from '../storage/errors.ts';

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
  /** The call would fail again in a moment, although clients repeat calls with such a status. */
  readonly isLasting: boolean;
  /** What it says about the channel; undefined = nothing, it is ours or the caller's. */
  readonly evidence: FailureEvidence | undefined;
  /** The credential was refused: another one of the same channel may be tried. */
  readonly allowsOtherKey: boolean;
  /** The upstream took the call (200) and said nothing at all: its prompt was read. */
  readonly isEmpty: boolean;
  /** What happened, for the operator alone: "" or a few words of the network's. */
  readonly detail: string;
  /** The message in English; undefined = it is somebody else's, and stands as it is. */
  readonly english: string | undefined;

  constructor(fault: FaultFields) {
    super(fault.message);
    this.status = fault.status;
    this.code = fault.code;
    this.type = fault.type ?? 'new_api_error';
    this.param = fault.param ?? '';
    this.retryable = fault.retryable ?? false;
    this.retryAfterSeconds = fault.retryAfterSeconds;
    this.isLasting = fault.isLasting ?? false;
    this.evidence = fault.evidence;
    this.allowsOtherKey = fault.allowsOtherKey ?? false;
    this.isEmpty = fault.isEmpty ?? false;
    this.detail = fault.detail ?? '';
    this.english = fault.english;
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
  isLasting?: boolean;
  evidence?: FailureEvidence;
  allowsOtherKey?: boolean;
  isEmpty?: boolean;
  detail?: string;
  english?: string;
}

/** A body with status 200 that is no answer. */
export function unreadableAnswer(): RelayFault {
  return new RelayFault({
    status: 502,
    code: 'bad_response_body',
    type: 'upstream_error',
    message: 'bad response body',
    retryable: true,
    evidence: plainEvidence('content', 'bad_response_body'),
  });
}

/** The same failure of an upstream that had taken the call and then said nothing. */
export function afterAcceptance(fault: RelayFault): RelayFault {
  return new RelayFault({ ...fault, message: fault.message, isEmpty: true });
}

/** The same as `localFault` with "" for a code. */
export function codelessFault(code: ErrorCode, values: Record<string, string | number> = {}): RelayFault {
  return localFault(code, values, { codeless: true });
}

/** An error of our own, from the registry. `codeless` errors carry "" as code, as authentication always did (contract 5.2). */
export function localFault(
  code: ErrorCode,
  values: Record<string, string | number> = {},
  { codeless = false, ...fields }: Partial<FaultFields> & { codeless?: boolean } = {},
): RelayFault {
  const { status, code: toldCode = code } = errors[code];
  return new RelayFault({
    ...fields,
    status,
    code: codeless ? '' : toldCode,
    message: errorText(code, values),
    english: errorText(code, values, 'en'),
  });
}

/**
 * What a caller is told when every channel failed: how much an upstream takes (contract 6.6), and what its account can
 * pay, is its operator's matter, and its words would be read as those of the caller's own account (decision 0124).
 */
export function toldOf(fault: RelayFault): RelayFault {
  const { status, evidence, retryAfterSeconds } = fault;
  if (status === 429) return localFault('upstream_saturated', {}, { retryAfterSeconds });
  if (evidence?.class !== 'quota') return fault;
  const told = localFault('upstream_unavailable');
  return status === evidence.status ? told : new RelayFault({ ...told, message: told.message, status });
}

/** What a caller is told of anything that was thrown: a database that is out is no defect, and the call may be repeated. */
export function faultOf(error: unknown): RelayFault {
  if (error instanceof RelayFault) return error;
  const known = publicError(error);
  const options = { retryAfterSeconds: known?.retryAfterSeconds, detail: wordsOf(error) };
  if (known !== undefined) return localFault(known.code, known.values, options);
  return isOutage(error) ? localFault('billing_unavailable', {}, options) : localFault('internal_error');
}

/** Of what was thrown and of what was behind it; "" for what is told as it is. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error) || error instanceof PublicError) return '';
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/** A channel of this type can never serve the caller's protocol; another one may. */
export function notServed(type: number): RelayFault {
  return localFault('convert_request_failed', { type }, { retryable: true });
}

/** The same where its models have another way: the caller is told of it. */
export function servedOtherwise(family: string, reason: string): RelayFault {
  return localFault(familyRefusals.get(family) ?? 'invalid_text_request', { reason }, { retryable: true });
}

/** Evidence without an answer of the upstream's. */
export function plainEvidence(errorClass: FailureEvidence['class'], code: string): FailureEvidence {
  return { class: errorClass, status: 0, code, type: '', message: '', coolMs: undefined };
}
