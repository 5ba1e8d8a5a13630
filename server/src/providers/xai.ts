import type { JsonObject } from '@tollgate/wire';
import { renamed, without } from './bodies.ts';
import type { UpstreamCallFacts } from './call.ts';
import { nearestEffort } from './openai-efforts.ts';
import type { Provider } from './provider.ts';
import { effortNames } from './variant.ts';

/** The small reasoning models name their effort behind their own name. */
export const miniEffort = effortNames(/^(grok-3-mini.*?)-(low|medium|high)$/);

/** They think as they like, and refuse to be told how much. */
const ownEffort = /^grok-(?:2|3(?!-mini)|4(?:$|-)|code)/;
/** Refused by those that think. */
const reasonless = ['presence_penalty', 'frequency_penalty', 'stop'];
const reasons = /^grok-(?:3-mini|4|code)/;

/** A dead key has the status and code of a wrong request, an empty account those of a lack of rights. */
export const xaiBlames: Provider['blames'] = ({ message }) => {
  if (/^Incorrect(?: |%20)API(?: |%20)key(?: |%20)provided/.test(message)) return 'auth';
  return /^Your (?:newly created )?team\b.{0,80}\bcredits\b/.test(message) ? 'quota' : undefined;
};

/** Pictures have no size here; the small reasoning models name their cap apart (contract 6.10). */
export function adaptXai(body: JsonObject, { protocol, model, spoken }: UpstreamCallFacts): JsonObject {
  if (protocol === 'images') return without(body, ['size', 'quality', 'style', 'background', 'moderation', 'output_format']);
  if (protocol !== 'openai-chat') return body;
  const fitted = spoken === undefined || spoken === protocol ? body : withinReach(body, model);
  return model.startsWith('grok-3-mini') ? renamed(fitted, 'max_tokens', 'max_completion_tokens') : fitted;
}

/** A caller of another dialect cannot know what a model refuses. */
function withinReach(body: JsonObject, model: string): JsonObject {
  const sayable = reasons.test(model) ? without(body, reasonless) : body;
  if (ownEffort.test(model)) return without(sayable, ['reasoning_effort']);
  const { reasoning_effort: effort } = sayable;
  if (typeof effort !== 'string' || !model.startsWith('grok-3-mini')) return sayable;
  return { ...sayable, reasoning_effort: nearestEffort(effort, ['low', 'high']) };
}
