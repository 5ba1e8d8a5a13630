import { asObject, asText, type JsonObject } from '../json.ts';

const kinds: ReadonlyMap<number, string> = new Map([
  [1002, 'rate_limit_error'],
  [1039, 'rate_limit_error'],
  [1041, 'rate_limit_error'],
  [1008, 'insufficient_quota'],
  [1004, 'authentication_error'],
  [2049, 'authentication_error'],
  [1026, 'invalid_request_error'],
  [2013, 'invalid_request_error'],
]);

/** Structurally a WireError, which knows this module. */
interface EnvelopeError {
  readonly message: string;
  readonly type: string;
  readonly param: null;
  readonly code: number;
}

/** The error in an answer of the OpenAI dialect with `{base_resp: {status_code, status_msg}}` around it; code 0 is none. */
export function envelopeError({ base_resp: reply }: JsonObject): EnvelopeError | undefined {
  const code = asObject(reply)?.status_code;
  if (typeof code !== 'number' || code === 0) return undefined;
  const message = asText(asObject(reply)?.status_msg).slice(0, 4096) || `error ${code}`;
  return { message, type: kinds.get(code) ?? 'upstream_error', param: null, code };
}
