import type { JsonObject } from '../json.ts';
import type { RequestPeek } from '../request.ts';
import { removed } from '../splice.ts';
import { editRequest } from './request.ts';

/** What callers leave in a request although counting knows nothing of it, and refuses it. */
const aboutTheAnswer: readonly string[] = [
  ...['background', 'include', 'max_output_tokens', 'max_tool_calls', 'metadata', 'prompt_cache_key', 'prompt_cache_retention'],
  ...['safety_identifier', 'service_tier', 'store', 'stream', 'stream_options', 'temperature', 'top_logprobs', 'top_p', 'user'],
];

/** The bytes for an upstream's `/v1/responses/input_tokens`: the caller's, without what only an answer needs. */
export function countTokensRequest(body: Buffer, peek: RequestPeek, model: string): Buffer {
  return editRequest(body, peek, { model, more: removed(peek.scan, aboutTheAnswer) });
}

/** The answer of `/v1/responses/input_tokens`. */
export function countTokensAnswer(promptTokens: number): JsonObject {
  return { object: 'response.input_tokens', input_tokens: promptTokens };
}
