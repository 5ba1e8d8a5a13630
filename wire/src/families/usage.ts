import { asObject, type JsonObject } from '../json.ts';
import { readUsage } from '../openai-chat/usage.ts';
import { buildUsage, type Figure, readFigure, type TokenUsage } from '../usage.ts';

const nothing: Figure = { value: 0, odd: false };

/**
 * The usage of an answer beside chat: the common object, or the figures that rerank services give under `meta`. Answers
 * that only take a prompt have no completion.
 */
export function familyUsage(answer: JsonObject): TokenUsage | undefined {
  const own = readUsage(answer.usage);
  if (own !== undefined) return own;
  const usage = asObject(answer.usage);
  const meta = asObject(answer.meta);
  const tokens = asObject(meta?.tokens) ?? asObject(meta?.billed_units);
  const prompt = readFigure(usage?.total_tokens ?? tokens?.input_tokens ?? tokens?.search_units);
  return buildUsage({
    prompt,
    completion: readFigure(tokens?.output_tokens),
    cached: nothing,
    cacheWrite: nothing,
    reasoning: nothing,
  });
}
