import { entryOf, type JsonObject } from '@tollgate/wire';
import type { Provider, UpstreamCallFacts } from '../providers/index.ts';

/** Said elsewhere than in the body, or about the way of an answer alone. */
const noLoss: ReadonlySet<string> = new Set(['model', 'stream', 'stream_options']);

const isNothing = (value: unknown) => value === 0;
const isOne = (value: unknown) => value === 1;
const isFloat = (value: unknown) => value === 'float';
const isNoEffort = (value: unknown) => value === 'none';
const isAuto = (value: unknown) => value === 'auto';
const isUsualTier = (value: unknown) => value === 'auto' || value === 'default' || value === 'standard_only';

/** Members that say what holds anyway. */
const sayNothing: Readonly<Record<string, (value: unknown) => boolean>> = {
  temperature: isOne,
  top_p: isOne,
  frequency_penalty: isNothing,
  presence_penalty: isNothing,
  encoding_format: isFloat,
  reasoning_effort: isNoEffort,
  n: isOne,
  response_format: (value) => value === 'b64_json' || value === 'json',
  size: isAuto,
  quality: (value) => value === 'auto' || value === 'standard',
  background: isAuto,
  moderation: isAuto,
  return_documents: (value) => value === false,
  service_tier: isUsualTier,
  reasoning: (value) => isNoEffort((value as { effort?: unknown } | null)?.effort),
};

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
    key in after || noLoss.has(key) || fresh.has(value) || entryOf(sayNothing, key)?.(value) === true ? [] : [key],
  );
  return { body: after, losses };
}

/**
 * A body that notes which of its members are read. `unread` names those that its caller said in vain: neither read by
 * their names nor, where they were copied with the rest, in the body that was made of it.
 */
export function noted(body: JsonObject): { readonly body: JsonObject; unread(made?: JsonObject): string[] } {
  const read = new Set<unknown>();
  let copying: unknown;
  return {
    body: new Proxy(body, {
      // A copy of all, or of the rest, looks at each member before it reads it.
      getOwnPropertyDescriptor(target, name) {
        copying = name;
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
      get(target, name, receiver) {
        if (copying !== name) read.add(name);
        copying = undefined;
        return Reflect.get(target, name, receiver);
      },
    }),
    unread: (made = {}) =>
      Object.entries(body).flatMap(([key, value]) => {
        const saysNothing = value === null || value === undefined || entryOf(sayNothing, key)?.(value) === true;
        const isTold = read.has(key) || key in made;
        return isTold || noLoss.has(key) || toldAnyway.has(key) || saysNothing ? [] : [key];
      }),
  };
}

/** What the answer is told in, whoever made it. */
const toldAnyway: ReadonlySet<string> = new Set(['encoding_format']);
