import type { Finish } from '../../chat/response.ts';
import { asObject, asText, asWord, type JsonObject } from '../../json.ts';
import type { TokenUsage } from '../../usage.ts';
import { plainUsage } from '../usage.ts';

export const dialect = 'tencent-chat';

const reasons: ReadonlyMap<string, Finish['reason']> = new Map([
  ['stop', 'stop'],
  ['tool_calls', 'tool-calls'],
  ['length', 'length'],
  ['sensitive', 'content-filter'],
]);

/** Undefined while the answer goes on. */
export function finishOf(choice: JsonObject): Finish | undefined {
  const raw = asText(choice.FinishReason);
  return raw === '' ? undefined : { reason: reasons.get(raw) ?? 'other', raw };
}

export function usageOf(answer: JsonObject): TokenUsage | undefined {
  const usage = asObject(answer.Usage);
  if (usage === undefined) return undefined;
  return plainUsage({
    prompt: usage.PromptTokens,
    completion: usage.CompletionTokens,
    total: usage.TotalTokens,
    // This figure alone is told as a text.
    cached: Number(asWord(asObject(usage.PromptTokensDetails)?.CachedTokens)),
    reasoning: asObject(usage.CompletionTokensDetails)?.ReasoningTokens,
  });
}

/** Unix seconds, where the answer has them. */
export function createdOf(answer: JsonObject): number | undefined {
  return typeof answer.Created === 'number' && answer.Created > 0 ? answer.Created : undefined;
}
