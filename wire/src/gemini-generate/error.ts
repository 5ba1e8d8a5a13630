import {
  errorStatus,
  errorIn as foreignErrorIn,
  maxErrorBytes,
  maxMessageChars,
  readError as readForeign,
  type WireError,
} from '../error.ts';
import { asObject, asObjects, asText, type JsonObject, parseJson } from '../json.ts';
import { encodeFrame } from '../sse.ts';

const infoType = 'type.googleapis.com/google.rpc.ErrorInfo';
/** Marks details that this gateway wrote. */
const ownDomain = 'gateway';

const statusNames: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  412: 'FAILED_PRECONDITION',
  416: 'OUT_OF_RANGE',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
  529: 'UNAVAILABLE',
};
const moreNames = ['ALREADY_EXISTS', 'DATA_LOSS', 'UNKNOWN'];
const names = new Set([...Object.values(statusNames), ...moreNames]);

/** The google.rpc name of an HTTP status. */
function statusName(status: number): string {
  return statusNames[status] ?? (status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT');
}

/**
 * Reads the body of a failed answer: this dialect's own error (also inside of an array, as unframed streams have it),
 * else any shape that the neutral reader knows. `type` is the google.rpc name. Never throws.
 */
export function readError(status: number, body: Buffer): WireError {
  const parsed = body.length > maxErrorBytes ? undefined : parse(body.toString('utf8'));
  return (parsed && errorIn(parsed, status)) ?? readForeign(status, body);
}

function parse(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return asObject(value) ?? asObjects(value)[0];
}

/** The error that a JSON object carries; undefined when it has none (`"error": null` and `{}` are none). */
export function errorIn(body: JsonObject, status: number): WireError | undefined {
  const own = asObject(body.error);
  const message = asText(own?.message);
  const type = asText(own?.status);
  if (own === undefined || type === '' || message === '') return foreignErrorIn(body, status);
  const shown = message.slice(0, maxMessageChars);
  const infos = asObjects(own.details).filter((detail) => detail['@type'] === infoType);
  const info = infos.find(({ domain }) => domain === ownDomain);
  if (info !== undefined) return restored(info, shown, own.code);
  return { message: shown, type, param: null, code: codeOf(own, infos) };
}

/** A dead key is told with status 400, as is any mistake of a caller: only its reason tells them apart. */
function codeOf({ code }: JsonObject, infos: readonly JsonObject[]): string | number | null {
  if (infos.some(({ reason }) => reason === 'API_KEY_INVALID')) return 'invalid_api_key';
  return typeof code === 'number' ? code : null;
}

/** A code that was a number stands in the envelope; an empty one was none. */
function restored(info: JsonObject, message: string, number: unknown): WireError {
  const metadata = asObject(info.metadata);
  const { param, code } = metadata ?? {};
  return {
    message,
    type: asText(metadata?.type),
    param: typeof param === 'string' ? param : null,
    code: code === undefined && typeof number === 'number' ? number : asText(code) || null,
  };
}

/** The error of an answer that came with status 200; always one, whatever its shape. */
export function errorInOk(body: JsonObject): WireError {
  return errorIn(body, 200) ?? noCandidates;
}

/** Of an answer that holds neither candidates nor a reason why there are none (contract 6.13). */
export const noCandidates: WireError = { message: 'No candidates returned', type: 'server_error', param: null, code: 500 };

/** Ends an answer with a call whose arguments came in more pieces than can be kept. */
export const callTooLong = {
  kind: 'error',
  isOurs: true,
  error: { message: 'the stream holds longer arguments of calls than can be kept', type: 'server_error', param: null, code: 500 },
} as const;

/**
 * The body of an error answer. What the envelope has no member for (another dialect's type and code) stands in its
 * details, where clients of this dialect expect machine-readable reasons.
 */
export function errorBody(error: WireError, status: number): string {
  const { message, type, param, code } = error;
  const number = typeof code === 'number' ? code : status;
  if (names.has(type) && typeof code !== 'string') return envelope(message, number, type);
  const metadata = { type, ...(param === null ? {} : { param }), ...(typeof code === 'number' ? {} : { code: code ?? '' }) };
  const info = { '@type': infoType, reason: reasonOf(error), domain: ownDomain, metadata };
  return envelope(message, number, names.has(type) ? type : statusName(status), [info]);
}

/** A reason as the published format has it: capitals, digits and underscores. */
function reasonOf({ type, code }: WireError): string {
  const word = String(code ?? type).toUpperCase();
  return word.replace(/[^A-Z0-9]+/g, '_').slice(0, 63);
}

function envelope(message: string, code: number, status: string, details?: readonly JsonObject[]): string {
  return JSON.stringify({ error: { code, message, status, ...(details === undefined ? {} : { details }) } });
}

/** The event that ends a stream that failed after its first byte. */
export function errorFrame(error: WireError, status: number = errorStatus(error)): Buffer {
  return encodeFrame(errorBody(error, status));
}
