import { foldEvents } from '../../chat/fold.ts';
import type { ChatResponse, Finish } from '../../chat/response.ts';
import type { WireError } from '../../error.ts';
import { asObject, asText, type JsonObject } from '../../json.ts';
import type { TokenUsage } from '../../usage.ts';
import { type AnswerWriter, createAnswerWriter } from '../answer-writer.ts';
import { type ErrorKind, errorReader, strangeAnswer, vendorError } from '../errors.ts';
import { namedUsage } from '../usage.ts';
import { dialect } from './request.ts';
import { createThinkTags, type Piece } from './think-tags.ts';

export const whole: Finish = { reason: 'stop', raw: 'message_end' };

/** A whole answer says what the frames of a streamed one say. */
export function decodeResponse(body: JsonObject): ChatResponse {
  const writer = createAnswerWriter(dialect);
  const tags = createThinkTags();
  start(writer, body);
  give(writer, tags.push(asText(body.answer)));
  give(writer, tags.end());
  const usage = usageOf(body);
  if (usage !== undefined) writer.emit({ kind: 'usage', usage });
  writer.finish(0, whole);
  return foldEvents(writer.take());
}

export function start(writer: AnswerWriter, body: JsonObject): void {
  const { created_at: created } = body;
  const id = asText(body.message_id) || asText(body.id);
  writer.start(id, '', typeof created === 'number' && created > 0 ? Math.floor(created) : undefined);
}

export function give(writer: AnswerWriter, pieces: readonly Piece[]): void {
  for (const { kind, text } of pieces) writer[kind](0, text);
}

export function usageOf(body: JsonObject): TokenUsage | undefined {
  return namedUsage(asObject(asObject(body.metadata)?.usage));
}

const kinds: ReadonlyMap<string, ErrorKind> = new Map([
  ['unauthorized', 'authentication_error'],
  ['invalid_param', 'invalid_request_error'],
  ['app_unavailable', 'permission_error'],
  ['provider_not_initialize', 'permission_error'],
  ['provider_quota_exceeded', 'insufficient_quota'],
  ['too_many_requests', 'rate_limit_error'],
  ['rate_limit_error', 'rate_limit_error'],
]);

/** `{code, message, status}`, in streams with `event: error`. */
export function findError(body: JsonObject): WireError | undefined {
  const { status, code } = body;
  if (typeof status !== 'number' || status < 400 || (body.event !== undefined && body.event !== 'error')) return undefined;
  const word = asText(code);
  return vendorError(asText(body.message), kinds.get(word), kinds.get(word) === undefined ? status : word);
}

export const readError = errorReader(findError);

export function readFailure(body: JsonObject): WireError | undefined {
  return findError(body) ?? (typeof body.answer === 'string' ? undefined : strangeAnswer(body));
}
