import type { Served } from '../chat/response.ts';
import { asObject, asObjects, asText, type JsonObject } from '../json.ts';
import { readToolUses, type ToolUses } from '../tool-uses.ts';
import { buildUsage, type Figure, readFigure, type TokenUsage } from '../usage.ts';
import type { Usage } from './types.ts';

const promptMembers = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'] as const;

/** What a call samples beside its answer: the summary of a long context, the advice of another model. */
const besideAnswer: readonly unknown[] = ['compaction', 'advisor_message'];

/**
 * Normalises a `usage` object. Input figures exclude what was read from and written to the cache in this dialect, so the
 * prompt is their sum. What was sampled beside the answer is told in `iterations` alone, and is paid for. Undefined when
 * the value is no object or counts nothing.
 */
export function readUsage(raw: unknown): TokenUsage | undefined {
  const usage = asObject(raw);
  if (usage === undefined) return undefined;
  const own = figuresOf(usage);
  const iterations = asObjects(usage.iterations);
  const beside = iterations.filter(({ type }) => besideAnswer.includes(type)).map(figuresOf);
  if (beside.length === 0) return buildUsage(own);
  const all = sum(...iterations.map(figuresOf).map(({ prompt }) => prompt));
  return buildUsage(own.prompt.value < all.value ? beside.reduce(added, own) : own);
}

type Figures = ReturnType<typeof figuresOf>;

function figuresOf(usage: JsonObject) {
  const lifetimes = asObject(usage.cache_creation);
  const minutes = readFigure(lifetimes?.ephemeral_5m_input_tokens);
  const hour = readFigure(lifetimes?.ephemeral_1h_input_tokens);
  const total = readFigure(usage.cache_creation_input_tokens);
  const cacheWrite = total.value === 0 ? sum(minutes, hour, total) : total;
  const cached = readFigure(usage.cache_read_input_tokens);
  return {
    prompt: sum(readFigure(usage.input_tokens), cached, cacheWrite),
    completion: readFigure(usage.output_tokens),
    cached,
    cacheWrite,
    cacheWrite1h: hour,
    reasoning: readFigure(asObject(usage.output_tokens_details)?.thinking_tokens),
  };
}

function added(one: Figures, other: Figures): Figures {
  return {
    prompt: sum(one.prompt, other.prompt),
    completion: sum(one.completion, other.completion),
    cached: sum(one.cached, other.cached),
    cacheWrite: sum(one.cacheWrite, other.cacheWrite),
    cacheWrite1h: sum(one.cacheWrite1h, other.cacheWrite1h),
    reasoning: sum(one.reasoning, other.reasoning),
  };
}

function sum(...figures: readonly Figure[]): Figure {
  const value = figures.reduce((total, figure) => total + figure.value, 0);
  const within = readFigure(value);
  return { value: within.value, odd: within.odd || figures.some((figure) => figure.odd) };
}

/**
 * Adds what a later `usage` object of a stream says to what the earlier ones said: the later figures hold. Input figures
 * that are all 0 only mean that the later object is about the output.
 */
export function absorbUsage(known: JsonObject, after: JsonObject): void {
  const tellsPrompt = promptMembers.some((member) => readFigure(after[member]).value > 0);
  for (const [member, value] of Object.entries(after)) {
    if (value === null || value === undefined) continue;
    const isPrompt = member === 'cache_creation' || promptMembers.some((known) => known === member);
    if (tellsPrompt || !isPrompt) known[member] = value;
  }
}

/** The `usage` of a whole answer. */
export function writeUsage(usage: TokenUsage, { serviceTier, speed }: Served = {}): Usage {
  const { prompt, completion, cached, cacheWrite, cacheWrite1h = 0, reasoning } = usage;
  return {
    input_tokens: Math.max(0, prompt - cached - cacheWrite),
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cached,
    ...(cacheWrite === 0
      ? {}
      : {
          cache_creation: {
            ephemeral_5m_input_tokens: Math.max(0, cacheWrite - cacheWrite1h),
            ephemeral_1h_input_tokens: cacheWrite1h,
          },
        }),
    output_tokens: completion,
    ...(reasoning === 0 ? {} : { output_tokens_details: { thinking_tokens: reasoning } }),
    ...(serviceTier === undefined ? {} : { service_tier: tierOut(serviceTier) }),
    ...(speed === undefined ? {} : { speed }),
  };
}

/** How an answer was made, tiers in the words that all dialects share. */
export function readServed(raw: unknown): Served {
  const usage = asObject(raw);
  const [tier, speed, inferenceGeo] = [asText(usage?.service_tier), asText(usage?.speed), asText(usage?.inference_geo)];
  const uses = readToolUses(usage);
  return {
    ...(tier === '' ? {} : { serviceTier: tier === 'standard' ? 'default' : tier }),
    ...(speed === '' ? {} : { speed }),
    ...(inferenceGeo === '' ? {} : { inferenceGeo }),
    ...(uses === undefined ? {} : { uses }),
  };
}

/** Searches that brought something, counted block by block: for answers whose usage does not tell, or never came. */
export function countSearches(blocks: readonly JsonObject[], before: ToolUses = {}): ToolUses | undefined {
  // One that failed is told as an object.
  const found = blocks.filter(({ type, content }) => type === 'web_search_tool_result' && Array.isArray(content));
  return found.length === 0 ? undefined : { ...before, web_search: (before.web_search ?? 0) + found.length };
}

function tierOut(tier: string): string {
  return tier === 'default' ? 'standard' : tier;
}
