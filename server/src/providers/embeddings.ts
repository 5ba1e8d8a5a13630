import type { JsonObject } from '@tollgate/wire';
import { isObject, renamed, without } from './bodies.ts';
import type { UpstreamCallFacts } from './call.ts';
import { promptUsage } from './rerank.ts';

/** The texts of a canonical embeddings request; an input of token ids has none. */
export function inputTexts({ input }: JsonObject): string[] {
  const list: unknown[] = Array.isArray(input) ? input : [input];
  return list.filter((text): text is string => typeof text === 'string');
}

/** Why an upstream that takes texts alone is not asked; undefined = it is. */
export function notOnlyTexts(body: JsonObject): string | undefined {
  const { input } = body;
  const inputs: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (inputTexts(body).length === inputs.length) return undefined;
  return inputs.some(isObject)
    ? 'input: this model takes texts here, no pictures or other parts: say in words what they show'
    : 'input: this model takes texts, no token ids';
}

/** For vendors that call the number of dimensions otherwise and refuse what they do not know. Numbers come unasked. */
export function adaptEmbeddings(body: JsonObject, { protocol }: UpstreamCallFacts): JsonObject {
  if (protocol !== 'embeddings') return body;
  const unknown = body.encoding_format === 'float' ? ['user', 'encoding_format'] : ['user'];
  return without(renamed(body, 'dimensions', 'output_dimension'), unknown);
}

interface Vectors {
  /** One list of numbers for each input. */
  readonly vectors: readonly unknown[];
  readonly model: string;
  /** Tokens of the prompt; anything but a number = unknown. */
  readonly tokens: unknown;
}

/** The canonical answer; vectors become base64 where the request asked for that, as the official libraries do unasked. */
export function embeddingList({ vectors, model, tokens }: Vectors, { encoding_format }: JsonObject): JsonObject {
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: encoding_format === 'base64' ? base64(vector) : vector,
  }));
  return { object: 'list', data, model, ...promptUsage(tokens) };
}

function base64(vector: unknown): unknown {
  if (!Array.isArray(vector)) return vector;
  return Buffer.from(Float32Array.from(vector, Number).buffer).toString('base64');
}
