import { asObject, asObjects, asText, type JsonObject, parseJson } from './json.ts';

/** An error as an upstream told it, without its dialect's wrapping. */
export interface WireError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | number | null;
}

/** The HTTP status that an error of a 200 answer would have had: the one it names or implies, else 502. */
export function errorStatus(error: WireError): number {
  const code = Number(error.code ?? Number.NaN);
  if (Number.isInteger(code) && code >= 400 && code <= 599) return code;
  const words = `${error.type} ${error.code}`.toLowerCase();
  if (/rate_limit|too_many|quota|saturated/.test(words)) return 429;
  if (/overload|unavailable/.test(words)) return 503;
  if (/authentication|api_key/.test(words)) return 401;
  if (/permission/.test(words)) return 403;
  if (/not_found/.test(words)) return 404;
  return /invalid_request|user_error|moderation_blocked|content_policy/.test(words) ? 400 : 502;
}

/** An error body larger than this is not read for its message. */
export const maxErrorBytes = 256 * 1024;
export const maxMessageChars = 4096;

/** Of the codes in an envelope. */
const envelopeTypes: ReadonlyMap<number, string> = new Map([
  [1002, 'rate_limit_error'],
  [1039, 'rate_limit_error'],
  [1041, 'rate_limit_error'],
  [1008, 'insufficient_quota'],
  [1004, 'authentication_error'],
  [2049, 'authentication_error'],
  [1026, 'invalid_request_error'],
  [2013, 'invalid_request_error'],
]);

/**
 * Reads the body of a failed upstream answer (contract 6.6): `{error: {message, type, param, code}}` as it is, the first
 * message of any other JSON (of a list, its first object's), else `bad response status code N`. `status` is the upstream's
 * HTTP status. Never throws.
 */
export function readError(status: number, body: Buffer): WireError {
  const parsed = body.length > maxErrorBytes ? undefined : firstObject(body.toString('utf8'));
  return (parsed && errorIn(parsed, status)) ?? foreignError(`bad response status code ${status}`, status);
}

/** Google lists its errors, also where it speaks as OpenAI does. */
function firstObject(text: string): JsonObject | undefined {
  const parsed = parseJson(text);
  return asObject(parsed) ?? asObjects(parsed)[0];
}

/** The error that a JSON object carries, or undefined when it has none (`"error": null` is none). */
export function errorIn(body: JsonObject, status: number): WireError | undefined {
  const own = asObject(body.error);
  if (own !== undefined && asText(own.message) !== '') {
    return {
      message: asText(own.message).slice(0, maxMessageChars),
      type: asText(own.type) || 'upstream_error',
      param: typeof own.param === 'string' ? own.param : null,
      code: typeof own.code === 'string' || typeof own.code === 'number' ? own.code : null,
    };
  }
  const enveloped = envelopeError(body);
  if (enveloped !== undefined) return enveloped;
  const message = foreignMessage(body);
  return message === '' ? undefined : foreignError(message, status);
}

/** In an answer of the OpenAI dialect with `{base_resp: {status_code, status_msg}}` around it; code 0 is none. */
function envelopeError({ base_resp: reply }: JsonObject): WireError | undefined {
  const code = asObject(reply)?.status_code;
  if (typeof code !== 'number' || code === 0) return undefined;
  const message = asText(asObject(reply)?.status_msg).slice(0, maxMessageChars) || `error ${code}`;
  return { message, type: envelopeTypes.get(code) ?? 'upstream_error', param: null, code };
}

function foreignMessage(body: JsonObject): string {
  const inner = asObject(asObject(body.response)?.error);
  const candidates = [
    body.message,
    body.msg,
    body.err,
    body.error_msg,
    asObject(body.header)?.message,
    inner?.message,
    body.error,
    body.detail,
    ...asObjects(body.detail).map(complaint),
    asObjects(body.errors)[0]?.message,
  ];
  return candidates.map(asText).find((text) => text !== '') ?? '';
}

/** One of those that frameworks for Python list, with the member that it is about. */
function complaint({ loc, msg }: JsonObject): string {
  const place = Array.isArray(loc) ? loc.filter((step) => typeof step !== 'object').join('.') : '';
  return place === '' ? asText(msg) : `${place}: ${asText(msg)}`;
}

function foreignError(message: string, status: number): WireError {
  const text = message.slice(0, maxMessageChars);
  return { message: text, type: 'upstream_error', param: String(status), code: 'bad_response_status_code' };
}

/** Does a chunk or an answer with status 200 say that it failed? `error: null`, `""` and `{}` do not. */
export function isErrorAnswer(body: JsonObject): boolean {
  const { error } = body;
  if (body.base_resp !== undefined && envelopeError(body) !== undefined) return true;
  if (typeof error === 'string') return error !== '';
  const object = asObject(error);
  return object !== undefined && Object.keys(object).length > 0;
}

/** The error of an answer that came with status 200; always one, whatever its shape. */
export function errorInOk(body: JsonObject): WireError {
  return errorIn(body, 200) ?? foreignError('the upstream answered with an error', 200);
}
