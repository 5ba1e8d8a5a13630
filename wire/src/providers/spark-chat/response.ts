import { noArguments, type Part } from '../../chat/parts.ts';
import type { ChatResponse, Finish } from '../../chat/response.ts';
import type { WireError } from '../../error.ts';
import { asObject, asObjects, asText, type JsonObject } from '../../json.ts';
import type { TokenUsage } from '../../usage.ts';
import { type ErrorKind, errorReader, strangeAnswer, vendorError } from '../errors.ts';
import { namedUsage } from '../usage.ts';
import { dialect } from './request.ts';

/** What one message carries: a piece of a streamed answer, or a whole one. */
export interface SparkMessage {
  readonly id: string;
  readonly reasoning: string;
  readonly text: string;
  readonly call: { readonly id: string; readonly name: string; readonly arguments: string } | undefined;
  readonly isLast: boolean;
  readonly usage: TokenUsage | undefined;
}

export function readMessage(body: JsonObject): SparkMessage {
  const header = asObject(body.header) ?? {};
  const payload = asObject(body.payload) ?? {};
  const choices = asObject(payload.choices) ?? {};
  const texts = asObjects(choices.text);
  const id = asText(header.sid);
  const joined = (field: string) => texts.map((entry) => asText(entry[field])).join('');
  const call = asObject(texts.find((entry) => asObject(entry.function_call) !== undefined)?.function_call);
  return {
    id,
    reasoning: joined('reasoning_content'),
    text: joined('content'),
    call: call && { id: `call_${id}`, name: asText(call.name), arguments: asText(call.arguments) },
    isLast: header.status === 2 || choices.status === 2,
    usage: namedUsage(asObject(asObject(payload.usage)?.text)),
  };
}

export function finishOf(hasCall: boolean): Finish {
  return hasCall ? { reason: 'tool-calls', raw: 'function_call' } : { reason: 'stop', raw: '2' };
}

/** Never sent by this upstream, which only streams; whoever folds its messages into one body gets it read. */
export function decodeResponse(body: JsonObject): ChatResponse {
  const { id, reasoning, text, call, usage } = readMessage(body);
  const parts: Part[] = [];
  if (reasoning !== '') parts.push({ kind: 'reasoning', text: reasoning, dialect });
  if (text !== '') parts.push({ kind: 'text', text });
  if (call !== undefined && call.name !== '')
    parts.push({ kind: 'tool-call', ...call, arguments: call.arguments || noArguments });
  const finish = finishOf(call !== undefined && call.name !== '');
  return { id, model: '', answers: [{ parts, finish }], ...(usage === undefined ? {} : { usage }) };
}

const kinds: readonly (readonly [RegExp, ErrorKind])[] = [
  [/^(10013|10014|10019)$/, 'invalid_request_error'],
  [/^(10003|10004|10005|10006|10007|10163|10907|10910)$/, 'invalid_request_error'],
  [/^(11200|10009|10313|10317)$/, 'permission_error'],
  [/^(11201|11202|11203|10010|10011)$/, 'rate_limit_error'],
  [/^(10008|10012|10110|10222)$/, 'overloaded_error'],
];

/** `{header: {code, message}}` with a code that is not 0. */
export function findError(body: JsonObject): WireError | undefined {
  const header = asObject(body.header);
  if (header === undefined || typeof header.code !== 'number' || header.code === 0) return undefined;
  return vendorError(asText(header.message), kinds.find(([pattern]) => pattern.test(String(header.code)))?.[1], header.code);
}

export const readError = errorReader(findError);

export function readFailure(body: JsonObject): WireError | undefined {
  return findError(body) ?? (asObject(asObject(body.payload)?.choices) === undefined ? strangeAnswer(body) : undefined);
}
