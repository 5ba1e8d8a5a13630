import { maxMessageChars, type WireError } from '../error.ts';
import { asObject, asText, entryOf, type JsonObject } from '../json.ts';
import { codeText, errorInOk, isErrorAnswer } from '../openai-chat/error.ts';
import { encodeFrame } from '../sse.ts';

/** The envelope of an error answer is that of the chat dialect of the same vendor. */
export { errorBody, readError } from '../openai-chat/error.ts';

/** Codes that do not say that the request itself was wrong. */
const types: Readonly<Record<string, string>> = {
  server_error: 'server_error',
  vector_store_timeout: 'server_error',
  rate_limit_exceeded: 'rate_limit_error',
};

/** The error of a body with status 200 that is no answer; undefined for an answer, an incomplete one too. */
export function readFailure(body: JsonObject): WireError | undefined {
  const ended = body.status === 'failed' || body.status === 'cancelled';
  if (isErrorAnswer(body) || ended) return failureOf(body);
  return Array.isArray(body.output) ? undefined : errorInOk(body);
}

/** The error that a failed response, or an `error` event, carries: its members stand inside `error` or beside `type`. */
export function failureOf(body: JsonObject): WireError {
  const error = asObject(body.error) ?? (body.type === 'error' ? { ...body, type: undefined } : undefined);
  const message = asText(error?.message);
  if (error === undefined || message === '') {
    if (isErrorAnswer(body)) return errorInOk(body);
    return { message: `the response is ${asText(body.status) || 'failed'}`, type: 'server_error', param: null, code: null };
  }
  const code = typeof error.code === 'string' || typeof error.code === 'number' ? error.code : null;
  const type =
    asText(error.type) || (code === null ? 'upstream_error' : (entryOf(types, String(code)) ?? 'invalid_request_error'));
  return { message: message.slice(0, maxMessageChars), type, param: typeof error.param === 'string' ? error.param : null, code };
}

/**
 * The event that ends a stream that failed. The reference names the members beside `type`, clients also look for them
 * inside `error`: both hold.
 */
export function errorFrame(told: WireError, sequence = 0): Buffer {
  const { message, type, param } = told;
  const code = codeText(told);
  const error = { type, code, message, param };
  return encodeFrame(JSON.stringify({ type: 'error', code, message, param, sequence_number: sequence, error }), 'error');
}
