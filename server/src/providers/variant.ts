import type { JsonObject } from '@tollgate/wire';
import type { UpstreamCallFacts } from './call.ts';

/** A model's name that also says how it is to think: `o3-mini-high`, `claude-3-7-sonnet-thinking`. */
export interface Variant {
  /** The upstream's name for the model. */
  readonly model: string;
  /** As the log row tells it. */
  readonly effort?: string;
  /** The body gets at least this cap, in tokens, whatever the caller said. */
  readonly leastCap?: number;
  /** The body, in the dialect of the call, with what the name asks for. Pure. */
  readonly ask: (body: JsonObject, call: UpstreamCallFacts) => JsonObject;
}

/** Reads such names; undefined for a plain one. */
export type VariantOf = (model: string, option: (name: string) => unknown) => Variant | undefined;

/** Names that end in an effort: the pattern's first group is the model, its second one the effort. */
export function effortNames(pattern: RegExp): VariantOf {
  return (name) => {
    const [, model, effort] = pattern.exec(name) ?? [];
    if (model === undefined || effort === undefined) return undefined;
    return { model, effort, ask: (body, call) => withEffort(body, call, effort) };
  };
}

/** The first reading that there is. */
export function anyOf(...readings: readonly VariantOf[]): VariantOf {
  return (model, option) => {
    for (const read of readings) {
      const variant = read(model, option);
      if (variant !== undefined) return variant;
    }
    return undefined;
  };
}

function withEffort(body: JsonObject, { protocol }: UpstreamCallFacts, effort: string): JsonObject {
  if (protocol === 'openai-chat') return { ...body, reasoning_effort: effort };
  if (protocol !== 'openai-responses') return body;
  const { reasoning } = body;
  return { ...body, reasoning: { ...(typeof reasoning === 'object' ? reasoning : {}), effort } };
}
