import { providerOf } from '../providers/index.ts';
import { type Route, upstreamModel } from '../routing/index.ts';
import { type Options, optionOf } from '../settings/index.ts';

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
