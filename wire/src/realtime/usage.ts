import { asObject } from '../json.ts';
import { buildUsage, type Figure, readFigure, type TokenUsage } from '../usage.ts';

/**
 * The `usage` of a `response.done`: input includes what was cached, whose sound counts as cached and no more as sound.
 * Undefined when it is no object or counts nothing.
 */
export function readRealtimeUsage(raw: unknown): TokenUsage | undefined {
  const usage = asObject(raw);
  if (usage === undefined) return undefined;
  const input = asObject(usage.input_token_details) ?? asObject(usage.input_tokens_details);
  const output = asObject(usage.output_token_details) ?? asObject(usage.output_tokens_details);
  const cached = asObject(input?.cached_tokens_details);
  return buildUsage({
    prompt: readFigure(usage.input_tokens),
    completion: readFigure(usage.output_tokens),
    cached: readFigure(input?.cached_tokens),
    cacheWrite: readFigure(undefined),
    reasoning: readFigure(output?.reasoning_tokens),
    audioPrompt: without(readFigure(input?.audio_tokens), readFigure(cached?.audio_tokens)),
    imagePrompt: without(readFigure(input?.image_tokens), readFigure(cached?.image_tokens)),
    audioCompletion: readFigure(output?.audio_tokens),
  });
}

function without(all: Figure, part: Figure): Figure {
  return { value: Math.max(0, all.value - part.value), odd: all.odd || part.odd || part.value > all.value };
}
