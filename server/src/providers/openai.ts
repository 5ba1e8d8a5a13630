import type { JsonObject } from '@tollgate/wire';
import { isObject, without } from './bodies.ts';
import type { UpstreamCallFacts } from './call.ts';
import { type EffortsOf, effortsOf, nearestEffort, thinksUnasked, usualEfforts } from './openai-efforts.ts';
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

/** Does `adaptReasoning` change anything for a caller of the upstream's own dialect? */
export function isReasoning({ model, protocol }: UpstreamCallFacts): boolean {
  return protocol === 'openai-chat' ? reasons.test(model) : protocol === 'openai-responses' && oSeries.test(model);
}

/**
 * What reasoning models want otherwise (contract 6.10, first row): the cap's name, no temperature. A caller of another
 * dialect cannot know what else a model refuses: that is left out or brought to what the model takes. `efforts`: what the
 * vendor takes of models that are not the OpenAI API's.
 */
export function adaptReasoning(body: JsonObject, call: UpstreamCallFacts, efforts = usualEfforts): JsonObject {
  const own = isReasoning(call) ? asItTakes(body, call) : body;
  return isCrossed(call) ? withinReach(own, call, efforts) : own;
}

/** Its caller spoke another dialect. */
export function isCrossed({ spoken, protocol }: UpstreamCallFacts): boolean {
  return spoken !== undefined && spoken !== protocol;
}

function asItTakes(body: JsonObject, { model, protocol }: UpstreamCallFacts): JsonObject {
  const named = protocol === 'openai-chat' ? withCap(body) : body;
  if (!oSeries.test(model)) return named;
  return without(protocol === 'openai-chat' ? withDeveloper(named, model) : named, ['temperature']);
}

function withCap(body: JsonObject): JsonObject {
  const { max_tokens: cap, ...rest } = body;
  return cap === undefined ? body : { ...rest, max_completion_tokens: rest.max_completion_tokens ?? cap };
}

function withDeveloper(body: JsonObject, model: string): JsonObject {
  const { messages } = body;
  if (!takesDeveloper.test(model) || !Array.isArray(messages)) return body;
  const [first, ...others] = messages as (JsonObject | null)[];
  return first?.role === 'system' ? { ...body, messages: [{ ...first, role: 'developer' }, ...others] } : body;
}

const responses: readonly string[] = ['openai-responses', 'responses-compact'];

/** The caller's betas, where its own dialect is spoken: without them an upstream refuses what they allow. */
export function betasOf(call: UpstreamCallFacts): Record<string, string> | undefined {
  const betas = isCrossed(call) || !responses.includes(call.protocol) ? undefined : call.header?.('openai-beta');
  return betas === undefined ? undefined : { 'openai-beta': betas };
}

/** What decides how tokens are drawn: a model that reasons refuses it. */
const drawing = [
  ...['temperature', 'top_p', 'frequency_penalty', 'presence_penalty'],
  ...['logit_bias', 'logprobs', 'top_logprobs', 'stop'],
];
const thoughts = 'reasoning.encrypted_content';
const logprobs = 'message.output_text.logprobs';

function withinReach(body: JsonObject, { model, protocol }: UpstreamCallFacts, efforts: EffortsOf): JsonObject {
  if (protocol !== 'openai-chat' && protocol !== 'openai-responses') return body;
  const known = effortsOf(model);
  if (known === undefined) return withEffortOf(body, efforts(model));
  if (known.length === 0) return withoutIncluded(without(body, ['reasoning_effort', 'reasoning']), thoughts);
  const fitted = withFitting(body, known);
  const { effort } = isObject(fitted.reasoning) ? fitted.reasoning : { effort: fitted.reasoning_effort };
  const thinks = effort === undefined ? thinksUnasked(model) : effort !== 'none';
  return thinks ? withoutIncluded(without(fitted, drawing), logprobs) : fitted;
}

/** For a model of which no more is known than the efforts it takes; its caller spoke another dialect. */
export function withEffortOf(body: JsonObject, known: readonly string[]): JsonObject {
  return known.length === 0 ? without(body, ['reasoning_effort', 'reasoning']) : withFitting(body, known);
}

function withFitting(body: JsonObject, known: readonly string[]): JsonObject {
  const { reasoning_effort: effort, reasoning } = body;
  if (typeof effort === 'string') return { ...body, reasoning_effort: nearestEffort(effort, known) };
  if (!isObject(reasoning) || typeof reasoning.effort !== 'string') return body;
  return { ...body, reasoning: { ...reasoning, effort: nearestEffort(reasoning.effort, known) } };
}

function withoutIncluded(body: JsonObject, unwanted: string): JsonObject {
  if (!Array.isArray(body.include) || !body.include.includes(unwanted)) return body;
  const include = body.include.filter((each) => each !== unwanted);
  return include.length === 0 ? without(body, ['include']) : { ...body, include };
}
