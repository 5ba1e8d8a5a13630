import type { Answer, ChatResponse } from '../../chat/response.ts';
import type { WireError } from '../../error.ts';
import { asObject, asObjects, asText, type JsonObject } from '../../json.ts';
import { type ErrorKind, errorReader, strangeAnswer, vendorError } from '../errors.ts';
import { namedUsage } from '../usage.ts';

/** `{code, msg, success, data: {task_id, choices, usage}}`. */
export function decodeResponse(body: JsonObject): ChatResponse {
  const data = asObject(body.data) ?? {};
  const usage = namedUsage(asObject(data.usage));
  return {
    id: asText(data.task_id) || asText(data.request_id),
    model: '',
    answers: asObjects(data.choices).map(({ content }) => answerOf(unquoted(asText(content)))),
    ...(usage === undefined ? {} : { usage }),
  };
}

function answerOf(text: string): Answer {
  return { parts: text === '' ? [] : [{ kind: 'text', text }], finish: { reason: 'stop', raw: 'finish' } };
}

/** Some models send their text as a JSON string inside the string. */
function unquoted(text: string): string {
  if (!/^\s*".*"\s*$/s.test(text)) return text;
  try {
    return asText(JSON.parse(text)) || text;
  } catch {
    return text;
  }
}

/** 100x: the key; 111x and 122x: the account; 121x and 126x: the request; 130x: too many. */
const kinds: readonly (readonly [RegExp, ErrorKind])[] = [
  [/^100\d$/, 'authentication_error'],
  [/^(111[0-2]|1220|1221|1222)$/, 'permission_error'],
  [/^(1113|130[2-5]|1308)$/, 'rate_limit_error'],
  [/^(12[1-9]\d|1301)$/, 'invalid_request_error'],
  [/^(1120|1230|1234|500)$/, 'overloaded_error'],
];

/** Errors come with status 200: `{code, msg, success: false}`. */
export function findError(body: JsonObject): WireError | undefined {
  return body.success === false ? errorOf(body) : undefined;
}

export function errorOf(body: JsonObject): WireError {
  const code = typeof body.code === 'number' || typeof body.code === 'string' ? body.code : null;
  return vendorError(asText(body.msg), kinds.find(([pattern]) => pattern.test(String(code)))?.[1], code);
}

export const readError = errorReader(findError);

export function readFailure(body: JsonObject): WireError | undefined {
  return findError(body) ?? (Array.isArray(asObject(body.data)?.choices) ? undefined : strangeAnswer(body));
}
