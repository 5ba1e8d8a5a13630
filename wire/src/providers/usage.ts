import type { JsonObject } from '../json.ts';
import { buildUsage, readFigure, type TokenUsage } from '../usage.ts';

/** Usage from figures of which the prompt includes what was cached; absent ones are 0. */
export function plainUsage(figures: {
  readonly prompt: unknown;
  readonly completion: unknown;
  readonly total?: unknown;
  readonly cached?: unknown;
  readonly reasoning?: unknown;
}): TokenUsage | undefined {
  const completion = readFigure(figures.completion);
  const stated = readFigure(figures.prompt);
  const total = readFigure(figures.total);
  // Some tell only the total and one of the two.
  const prompt = stated.value > 0 ? stated : { value: Math.max(0, total.value - completion.value), odd: stated.odd || total.odd };
  return buildUsage({
    prompt,
    completion,
    cached: readFigure(figures.cached),
    cacheWrite: readFigure(undefined),
    reasoning: readFigure(figures.reasoning),
  });
}

/** The usual names in an object of figures. */
export function namedUsage(usage: JsonObject | undefined): TokenUsage | undefined {
  if (usage === undefined) return undefined;
  return plainUsage({ prompt: usage.prompt_tokens, completion: usage.completion_tokens, total: usage.total_tokens });
}
