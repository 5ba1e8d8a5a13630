import type { JsonObject } from '@tollgate/wire';
import { openTopP, renamed, without } from './bodies.ts';
import type { UpstreamCallFacts } from './call.ts';
import { isCrossed, withEffortOf } from './openai.ts';

/** Refused with 400, or without a meaning for a model that searches. */
const unknownFields = ['stream_options', 'n', 'logprobs', 'top_logprobs', 'seed', 'user', 'parallel_tool_calls', 'store'];

const efforts = ['minimal', 'low', 'medium', 'high'];

/** The chat API takes nothing it does not know, and no nucleus of 1 (contract 6.10). */
export function adaptPerplexity(body: JsonObject, call: UpstreamCallFacts): JsonObject {
  const known = openTopP(renamed(without(body, unknownFields), 'max_completion_tokens', 'max_tokens'), 0.99);
  return isCrossed(call) ? withEffortOf(known, efforts) : known;
}
