import type { Decoded } from '../chat/dialect.ts';
import type { JsonObject } from '../json.ts';
import type { RequestPeek } from '../request.ts';
import { removed } from '../splice.ts';
import { decodeRequest } from './decode-request.ts';
import { editRequest } from './request.ts';

/** What callers leave in a request although counting knows nothing of it, and refuses it. */
const aboutTheAnswer: readonly string[] = [
  ...['max_tokens', 'stream', 'stop_sequences', 'temperature', 'top_p', 'top_k', 'metadata', 'service_tier'],
];

/**
 * The bytes for an upstream's `/v1/messages/count_tokens`: the caller's, without what only an answer needs and without
 * a cap. `peek` is that of `peekRequest`, which asks for no `max_tokens`.
 */
export function countTokensRequest(body: Buffer, peek: RequestPeek, model: string): Buffer {
  return editRequest(body, peek, { model, more: removed(peek.scan, aboutTheAnswer) });
}

/** What `count_tokens` counts, for an upstream that cannot. Never throws. */
export function decodeCountTokens(body: JsonObject): Decoded {
  return decodeRequest(body);
}

/** The answer of `count_tokens`. */
export function countTokensAnswer(promptTokens: number): JsonObject {
  return { input_tokens: promptTokens };
}

/** The count that an upstream answered; undefined when it gave none. */
export function readCountTokens({ input_tokens: count }: JsonObject): number | undefined {
  return typeof count === 'number' && Number.isInteger(count) && count >= 0 ? count : undefined;
}
