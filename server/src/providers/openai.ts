import type { JsonObject } from '@tollgate/wire';
import type { UpstreamCallFacts } from './call.ts';
import { effortNames } from './variant.ts';

const reasons = /^(?:o\d|gpt-[5-9](?!.*-chat))/;
const oSeries = /^o\d/;
/** The first ones of the series take `system`, or nothing at all. */
const takesDeveloper = /^o(?:1$|1-2024-12-17|[3-9])/;

/** `o3-mini-high` is `o3-mini` with an effort; no model of the API ends like this. */
export const effortVariant = effortNames(/^((?:o\d|gpt-[5-9]).*)-(none|minimal|low|medium|high|xhigh)$/);

/** Reasoning families refuse max_tokens. */
export function capField(model: string): 'max_tokens' | 'max_completion_tokens' {
  return reasons.test(model) ? 'max_completion_tokens' : 'max_tokens';
}

/** Does `adaptReasoning` change anything for this call? */
export function isReasoning({ model, protocol }: UpstreamCallFacts): boolean {
  return protocol === 'openai-chat' && reasons.test(model);
}

/** What reasoning models want otherwise (contract 6.10, first row): the cap's name, no temperature. */
export function adaptReasoning(body: JsonObject, call: UpstreamCallFacts): JsonObject {
  if (!isReasoning(call)) return body;
  const { max_tokens: cap, ...rest } = body;
  const adapted: JsonObject = cap === undefined ? body : { ...rest, max_completion_tokens: rest.max_completion_tokens ?? cap };
  return oSeries.test(call.model) ? plainTemperature(withDeveloper(adapted, call.model)) : adapted;
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
