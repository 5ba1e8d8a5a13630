import type { JsonObject } from '@tollgate/wire';
import { renamed, without } from './bodies.ts';
import type { UpstreamCallFacts } from './call.ts';
import { effortNames } from './variant.ts';

/** The small reasoning models name their effort behind their own name. */
export const miniEffort = effortNames(/^(grok-3-mini.*?)-(low|medium|high)$/);

/** Pictures have no size here; the small reasoning models name their cap apart (contract 6.10). */
export function adaptXai(body: JsonObject, { protocol, model }: UpstreamCallFacts): JsonObject {
  if (protocol === 'images') return without(body, ['size', 'quality', 'style', 'background', 'moderation', 'output_format']);
  if (protocol !== 'openai-chat' || !model.startsWith('grok-3-mini')) return body;
  return renamed(body, 'max_tokens', 'max_completion_tokens');
}
