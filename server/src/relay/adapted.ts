import { entryOf, type JsonObject } from '@tollgate/wire';
import type { Provider, UpstreamCallFacts } from '../providers/index.ts';

/** Said elsewhere than in the body, or about the way of an answer alone. */
const noLoss: ReadonlySet<string> = new Set(['model', 'stream', 'stream_options']);

/** Members with the values by which they say what holds anyway; of `reasoning` that of its effort. */
const usualValues: Readonly<Record<string, readonly unknown[]>> = {
  temperature: [1],
  top_p: [1],
  frequency_penalty: [0],
  presence_penalty: [0],
  encoding_format: ['float'],
  reasoning_effort: ['none'],
  n: [1],
  response_format: ['b64_json', 'json'],
  size: ['auto'],
  quality: ['auto', 'standard'],
  background: ['auto'],
  moderation: ['auto'],
  return_documents: [false],
  service_tier: ['auto', 'default', 'standard_only'],
  reasoning: ['none'],
};

function saysNothing(key: string, value: unknown): boolean {
  const said = key === 'reasoning' ? (value as { effort?: unknown } | null)?.effort : value;
  return entryOf(usualValues, key)?.includes(said) === true;
}

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
    key in after || noLoss.has(key) || fresh.has(value) || saysNothing(key, value) ? [] : [key],
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
        const isEmpty = value === null || value === undefined || saysNothing(key, value);
        const isTold = read.has(key) || key in made;
        return isTold || noLoss.has(key) || toldAnyway.has(key) || isEmpty ? [] : [key];
      }),
  };
}

/** What the answer is told in, whoever made it. */
const toldAnyway: ReadonlySet<string> = new Set(['encoding_format']);
