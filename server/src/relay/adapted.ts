import type { JsonObject } from '@tollgate/wire';
import type { Provider, UpstreamCallFacts } from '../providers/index.ts';

/** Said elsewhere than in the body, or about the way of an answer alone. */
const noLoss: ReadonlySet<string> = new Set(['model', 'stream', 'stream_options']);

/**
 * A body as the vendor wants it, and what its caller said in vain: members that are gone and did not only change their
 * name. The same body when the record wants nothing.
 */
export function adapted(body: JsonObject, { adapt }: Provider, call: UpstreamCallFacts) {
  if (adapt === undefined) return { body, losses: [] };
  const after = adapt(body, call);
  if (after === body) return { body, losses: [] };
  const fresh = new Set(Object.entries(after).flatMap(([key, value]) => (value === body[key] ? [] : [value])));
  const losses = Object.entries(body).flatMap(([key, value]) =>
    key in after || noLoss.has(key) || fresh.has(value) ? [] : [key],
  );
  return { body: after, losses };
}
