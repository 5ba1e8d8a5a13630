import type { Served } from '../../chat/response.ts';
import { asObject, asObjects, asText, type JsonObject } from '../../json.ts';
import { buildUsage, type Figure, readFigure, type TokenUsage } from '../../usage.ts';

const sum = (...figures: Figure[]): Figure => ({
  value: figures.reduce((total, { value }) => total + value, 0),
  odd: figures.some(({ odd }) => odd),
});

/** `inputTokens` counts what was neither read from nor written to the cache. */
export function readUsage(raw: unknown): TokenUsage | undefined {
  const usage = asObject(raw);
  if (usage === undefined) return undefined;
  const cached = readFigure(usage.cacheReadInputTokens);
  const cacheWrite = readFigure(usage.cacheWriteInputTokens);
  const lasting = asObjects(usage.cacheDetails).find(({ ttl }) => ttl === '1h');
  return buildUsage({
    prompt: sum(readFigure(usage.inputTokens), cached, cacheWrite),
    completion: readFigure(usage.outputTokens),
    cached,
    cacheWrite,
    cacheWrite1h: readFigure(lasting?.inputTokens),
    reasoning: readFigure(undefined),
  });
}

/** The tier that an answer was made with: a member of the whole one, and of the last event of a stream. */
export function readServed({ serviceTier }: JsonObject): Served {
  const tier = asText(asObject(serviceTier)?.type);
  return tier === '' ? {} : { serviceTier: tier };
}
