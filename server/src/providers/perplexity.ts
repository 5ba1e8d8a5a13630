import type { JsonObject } from '@tollgate/wire';
import { openTopP, renamed, without } from './bodies.ts';

/** Refused with 400, or without a meaning for a model that searches. */
const unknownFields = ['stream_options', 'n', 'logprobs', 'top_logprobs', 'seed', 'user', 'parallel_tool_calls', 'store'];

/** The chat API takes nothing it does not know, and no nucleus of 1 (contract 6.10). */
export function adaptPerplexity(body: JsonObject): JsonObject {
  return openTopP(renamed(without(body, unknownFields), 'max_completion_tokens', 'max_tokens'), 0.99);
}
