import { asObject, asObjects, type JsonObject } from '../json.ts';
import { readToolUses, type ToolUses } from '../tool-uses.ts';
import { buildUsage, type Figure, mergeUsage, readFigure, type TokenUsage } from '../usage.ts';

/**
 * Normalises a `usage` object. Input figures include cached tokens in this dialect. Undefined when the value is no
 * object or counts nothing.
 */
export function readUsage(raw: unknown): TokenUsage | undefined {
  const usage = asObject(raw);
  if (usage === undefined) return undefined;
  // Transcripts name them in the singular.
  const input = asObject(usage.prompt_tokens_details ?? usage.input_tokens_details ?? usage.input_token_details);
  const output = asObject(usage.completion_tokens_details ?? usage.output_tokens_details ?? usage.output_token_details);
  const prompt = readFigure(usage.prompt_tokens ?? usage.input_tokens);
  const completion = readFigure(usage.completion_tokens ?? usage.output_tokens);
  const reasoning = readFigure(output?.reasoning_tokens);
  return buildUsage({
    prompt: prompt.value === 0 ? restOf(usage, completion, prompt) : prompt,
    completion: withReasoning(usage, prompt, completion, reasoning),
    cached: readFigure(input?.cached_tokens ?? usage.cached_tokens ?? usage.prompt_cache_hit_tokens),
    cacheWrite: readFigure(writtenIn(input ?? {}, usage)),
    cacheWrite1h: readFigure(asObject(input?.cache_write_tokens_details)?.ttl_12h_tokens),
    reasoning,
    audioPrompt: readFigure(input?.audio_tokens),
    imagePrompt: readFigure(input?.image_tokens),
    audioCompletion: readFigure(output?.audio_tokens),
    imageCompletion: readFigure(output?.image_tokens),
  });
}

/** What was written to the cache, by its vendors' names; the last is a part of the prompt only where that has its usual name. */
function writtenIn(input: JsonObject, usage: JsonObject): unknown {
  const within = input.cache_write_tokens ?? input.cached_creation_tokens ?? input.cache_creation_input_tokens;
  return within ?? (usage.prompt_tokens === undefined ? undefined : usage.cache_creation_input_tokens);
}

/** Some upstreams give only the total and the completion. */
function restOf(usage: JsonObject, completion: Figure, prompt: Figure): Figure {
  const total = readFigure(usage.total_tokens);
  return { value: Math.max(0, total.value - completion.value), odd: prompt.odd || total.odd };
}

/** Some upstreams count reasoning beside the completion; their total shows it. */
function withReasoning(usage: JsonObject, prompt: Figure, completion: Figure, reasoning: Figure): Figure {
  const sum = prompt.value + completion.value + reasoning.value;
  if (reasoning.value === 0 || usage.total_tokens !== sum) return completion;
  return { value: completion.value + reasoning.value, odd: completion.odd };
}

/**
 * Uses of hosted tools after a whole answer or one stream chunk; undefined = none was told. Where no figure is, an answer
 * that cites pages, or lists them beside its choices, searched once.
 */
export function usesOf(answer: JsonObject, before?: ToolUses): ToolUses | undefined {
  const told = readToolUses(asObject(answer.usage));
  const known = told === undefined ? before : { ...before, ...told };
  return known?.web_search === undefined && hasPages(answer) ? { ...known, web_search: 1 } : known;
}

function hasPages({ web_search, choices }: JsonObject): boolean {
  if (Array.isArray(web_search) && web_search.length > 0) return true;
  if (!Array.isArray(choices)) return false;
  for (const choice of choices) {
    const said = asObject(choice?.message ?? choice?.delta);
    if (said?.annotations !== undefined && asObjects(said.annotations).some(({ type }) => type === pageMark)) return true;
  }
  return false;
}

/** The kind of citation that names a page. */
export const pageMark = 'url_citation';

/** The usage that a whole answer or one stream chunk carries: at its top, else inside a choice. */
export function usageOf(answer: JsonObject): TokenUsage | undefined {
  const top = readUsage(answer.usage);
  if (top !== undefined) return top;
  let found: TokenUsage | undefined;
  for (const choice of asObjects(answer.choices)) {
    const usage = readUsage(choice.usage);
    if (usage !== undefined) found = mergeUsage(found, usage);
  }
  return found;
}
