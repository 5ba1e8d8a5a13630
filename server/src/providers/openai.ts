import type { JsonObject } from '@tollgate/wire';
import type { UpstreamCallFacts } from './call.ts';

/** `o3-mini-high` is `o3-mini` with an effort; no model of the API ends like this. */
const effortSuffix = /^((?:o\d|gpt-[5-9]).*)-(none|minimal|low|medium|high|xhigh)$/;
const reasons = /^(?:o\d|gpt-[5-9](?!.*-chat))/;
const oSeries = /^o\d/;
/** The first ones of the series take `system`, or nothing at all. */
const takesDeveloper = /^o(?:1$|1-2024-12-17|[3-9])/;

/** The model without an effort in its name. */
export function withoutEffort(model: string): string {
  return effortSuffix.exec(model)?.[1] ?? model;
}

/** Reasoning families refuse max_tokens. */
export function capField(model: string): 'max_tokens' | 'max_completion_tokens' {
  return reasons.test(model) ? 'max_completion_tokens' : 'max_tokens';
}

/** Does `adaptReasoning` change anything for this model? */
export function isReasoning({ model }: UpstreamCallFacts): boolean {
  return reasons.test(model);
}

/** What reasoning models want otherwise (contract 6.10, first row): the cap's name, no temperature, effort in its own field. */
export function adaptReasoning(body: JsonObject, call: UpstreamCallFacts): JsonObject {
  if (!isReasoning(call)) return body;
  const [, model, effort] = effortSuffix.exec(call.model) ?? [];
  const named = model === undefined ? body : { ...body, model };
  if (call.protocol === 'openai-responses')
    return effort === undefined ? named : { ...named, reasoning: withEffort(body, effort) };
  if (call.protocol !== 'openai-chat') return named;
  const { max_tokens: cap, ...rest } = named;
  const adapted: JsonObject = cap === undefined ? named : { ...rest, max_completion_tokens: rest.max_completion_tokens ?? cap };
  const settled = effort === undefined ? adapted : { ...adapted, reasoning_effort: effort };
  return oSeries.test(call.model) ? plainTemperature(withDeveloper(settled, withoutEffort(call.model))) : settled;
}

function withEffort({ reasoning }: JsonObject, effort: string): JsonObject {
  return { ...(typeof reasoning === 'object' ? reasoning : {}), effort };
}

function plainTemperature(body: JsonObject): JsonObject {
  const { temperature, ...rest } = body;
  return temperature === undefined ? body : rest;
}

function withDeveloper(body: JsonObject, model: string): JsonObject {
  const { messages } = body;
  if (!takesDeveloper.test(model) || !Array.isArray(messages)) return body;
  const [first, ...others] = messages as (JsonObject | null)[];
  return first?.role === 'system' ? { ...body, messages: [{ ...first, role: 'developer' }, ...others] } : body;
}
