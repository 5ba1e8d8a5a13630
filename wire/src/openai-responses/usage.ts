import type { JsonObject } from '../json.ts';
import { readUsage as readOpenaiUsage } from '../openai-chat/usage.ts';
import type { TokenUsage } from '../usage.ts';

/** Normalises a `usage` object; input includes cached tokens. Undefined when it is no object or counts nothing. */
export const readUsage: (raw: unknown) => TokenUsage | undefined = readOpenaiUsage;

/** The `usage` object of an answer. */
export function spellUsage(usage: TokenUsage): JsonObject {
  return {
    input_tokens: usage.prompt,
    input_tokens_details: { cached_tokens: usage.cached, cache_write_tokens: usage.cacheWrite },
    output_tokens: usage.completion,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.prompt + usage.completion,
  };
}
