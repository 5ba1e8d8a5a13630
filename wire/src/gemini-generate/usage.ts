import { asObject, asText, type JsonObject } from '../json.ts';
import { buildUsage, type Figure, readFigure, type TokenUsage } from '../usage.ts';
import { camelKeys, listOf } from './fields.ts';

/**
 * Normalises `usageMetadata`. Here the prompt includes cached tokens, what hosted tools put in stands beside it, and
 * thoughts stand beside the candidates. Undefined when the value is no object or counts nothing.
 */
export function readUsage(raw: unknown): TokenUsage | undefined {
  const object = asObject(raw);
  if (object === undefined) return undefined;
  const usage = camelKeys(object);
  const prompt = sum(readFigure(usage.promptTokenCount), readFigure(usage.toolUsePromptTokenCount));
  const reasoning = readFigure(usage.thoughtsTokenCount);
  const inputs = [...listOf(usage.promptTokensDetails), ...listOf(usage.toolUsePromptTokensDetails)];
  const outputs = [...listOf(usage.candidatesTokensDetails), ...listOf(usage.responseTokensDetails)];
  return buildUsage({
    prompt,
    completion: sum(candidates(usage, prompt, reasoning), reasoning),
    cached: readFigure(usage.cachedContentTokenCount),
    cacheWrite: { value: 0, odd: false },
    reasoning,
    audioPrompt: ofModality(inputs, 'AUDIO'),
    imagePrompt: ofModality(inputs, 'IMAGE'),
    audioCompletion: ofModality(outputs, 'AUDIO'),
    imageCompletion: ofModality(outputs, 'IMAGE'),
  });
}

/** The tier that an answer was made with, in the words that all dialects share; "" = it does not tell. */
export function readTier(raw: unknown): string {
  const usage = asObject(raw);
  const tier = asText(usage?.serviceTier ?? usage?.service_tier)
    .toLowerCase()
    .replace(/^service_tier_/, '');
  return tier === 'standard' ? 'default' : tier === 'unspecified' ? '' : tier;
}

function sum(a: Figure, b: Figure): Figure {
  return { value: a.value + b.value, odd: a.odd || b.odd };
}

/** Where the answer's own count is missing, the total tells it. */
function candidates(usage: JsonObject, prompt: Figure, reasoning: Figure): Figure {
  const raw = usage.candidatesTokenCount ?? usage.responseTokenCount;
  if (raw !== undefined && raw !== null) return readFigure(raw);
  const total = readFigure(usage.totalTokenCount);
  return { value: Math.max(0, total.value - prompt.value - reasoning.value), odd: total.odd };
}

function ofModality(details: readonly JsonObject[], modality: string): Figure {
  return details
    .map(camelKeys)
    .filter((detail) => asText(detail.modality) === modality)
    .map((detail) => readFigure(detail.tokenCount))
    .reduce(sum, { value: 0, odd: false });
}

/** Spells a usage in this dialect, which has no word for written cache. */
export function usageMetadata(usage: TokenUsage): JsonObject {
  const { prompt, completion, cached, reasoning } = usage;
  const inputs = details(prompt, usage.audioPrompt, usage.imagePrompt);
  const outputs = details(completion - reasoning, usage.audioCompletion, usage.imageCompletion);
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: completion - reasoning,
    totalTokenCount: prompt + completion,
    ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
    ...(reasoning === 0 ? {} : { thoughtsTokenCount: reasoning }),
    ...(inputs === undefined ? {} : { promptTokensDetails: inputs }),
    ...(outputs === undefined ? {} : { candidatesTokensDetails: outputs }),
  };
}

function details(whole: number, audio = 0, image = 0): JsonObject[] | undefined {
  if (audio === 0 && image === 0) return undefined;
  const counts: [string, number][] = [
    ['TEXT', Math.max(0, whole - audio - image)],
    ['AUDIO', audio],
    ['IMAGE', image],
  ];
  return counts.filter(([, tokenCount]) => tokenCount > 0).map(([modality, tokenCount]) => ({ modality, tokenCount }));
}
