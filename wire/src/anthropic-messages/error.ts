import { errorIn, readError as readAny, type WireError } from '../error.ts';
import { asObject, asText, type JsonObject, parseObject } from '../json.ts';
import { encodeFrame } from '../sse.ts';

const typeByStatus: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};
const ownTypes: ReadonlySet<string> = new Set(Object.values(typeByStatus));
/** Faults of the gateway itself keep their type in every dialect (contract 6.6). */
const gatewayType = 'new_api_error';
/** Of an error that is read for more than its message. */
const maxReadBytes = 4096;
const requestId = / \(request id: ([^\s()]{1,128})\)$/;

/** The type that an error is sent with: its own where the dialect knows it, else what its status means. */
export function errorType(type: string, status: number): string {
  if (type === gatewayType || ownTypes.has(type)) return type;
  const known = typeByStatus[status];
  if (known !== undefined) return known;
  return status >= 400 && status < 500 ? 'invalid_request_error' : 'api_error';
}

/** What clients act on of this dialect's own codes: the official one says all of a conversation again, or without a thread. */
const detailCode = /^(thread|compaction|tool|available_tools|request_body|file)_[a-z_]{1,64}$/;

function detailsOf({ code, param }: WireError): JsonObject | undefined {
  const isThread = code === 'state_not_kept' && param === 'thread';
  const error_code = isThread ? 'thread_unsupported_request' : String(code);
  return detailCode.test(error_code) ? { error_code } : undefined;
}

/** The body of an error answer in this dialect. It has no place for `param`, nor for codes of others. */
export function errorBody(error: WireError, status: number): string {
  const { message, type } = error;
  const request_id = requestId.exec(message)?.[1];
  const told = { type: errorType(type, status), message, details: detailsOf(error) };
  return JSON.stringify({ type: 'error', error: told, request_id });
}

/** The event that ends a stream that failed after its first byte. No `message_stop` follows it. */
export function errorFrame(error: WireError, status: number): Buffer {
  return encodeFrame(errorBody(error, status), 'error');
}

/** Reads the body of a failed answer: `{type: "error", error: {type, message}}`, or any other shape. Never throws. */
export function readError(status: number, body: Buffer): WireError {
  const error = readAny(status, body);
  const parsed = body.length > maxReadBytes ? undefined : parseObject(body.toString('utf8'));
  const code = asText(asObject(asObject(parsed?.error)?.details)?.error_code);
  if (error.code === null && detailCode.test(code)) return { ...error, code };
  if (error.code !== 'bad_response_status_code') return error;
  // An error of this dialect may have a type and nothing to say.
  const type = asText(asObject(parsed?.error)?.type);
  return type === '' || (parsed && errorIn(parsed, status)) ? error : { message: type, type, param: null, code: null };
}
