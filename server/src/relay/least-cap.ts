import { providerOf } from '../providers/index.ts';
import { type Route, upstreamModel } from '../routing/index.ts';
import { type Options, optionOf } from '../settings/index.ts';
import type { Answering } from './asked.ts';
import type { Call } from './call.ts';

const known = new WeakMap<Route, { readonly options: Options; readonly cap: number }>();

/**
 * The cap that an upstream may be given although the caller's is lower, because the model's name asks it to think: what
 * must be held. 0 = none of the channels does that.
 */
export function leastCapOf(routes: readonly Route[], options: Options): number {
  return routes.reduce((highest, route) => Math.max(highest, capOfRoute(route, options)), 0);
}

/** Routes and options are replaced, never changed. */
function capOfRoute(route: Route, options: Options): number {
  const found = known.get(route);
  if (found?.options === options) return found.cap;
  const option = optionOf(options);
  let cap = 0;
  for (const { members } of route.tiers) {
    for (const { type, modelMapping } of members) {
      const model = upstreamModel(modelMapping, route.model);
      const least = model === undefined ? undefined : providerOf(type)?.variantOf?.(model, option)?.leastCap;
      cap = Math.max(cap, least ?? 0);
    }
  }
  known.set(route, { options, cap });
  return cap;
}

/** Members with which an operator's override says how long an answer may be, or how many there are. */
const capMembers = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'n', 'generationConfig', 'inferenceConfig'];

/**
 * The call as its upstream was asked. A cap that it was not told, because its dialect has no word for it or the operator
 * overrides it, is none that it keeps to (decision 0144).
 */
export function asCapped(call: Call, { outgoing, target }: Answering): Call {
  if (!call.capIsCallers) return call;
  const { paramOverride } = target.channel;
  const isTold = !outgoing.losses.includes('max_tokens') && !capMembers.some((name) => Object.hasOwn(paramOverride, name));
  return isTold ? call : { ...call, capIsCallers: false };
}
