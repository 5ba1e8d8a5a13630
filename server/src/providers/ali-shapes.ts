import type { JsonObject } from '@tollgate/wire';
import { isObject } from './bodies.ts';
import type { FamilyShape } from './provider.ts';
import { plainDocuments, promptUsage } from './rerank.ts';

const pollMs = 3_000;

/** These models answer at once, in the shape of a conversation; the others work in the background. */
export function isMultimodal(model: string): boolean {
  return /^(qwen-image-(plus|max|edit|2)|wan2\.[6-9]|wan[3-9]|z-image)/.test(model);
}

export const embeddings: FamilyShape = {
  encode({ model, input, dimensions }) {
    const texts = Array.isArray(input) ? input : [input];
    return { model, input: { texts }, ...(dimensions === undefined ? {} : { parameters: { dimension: dimensions } }) };
  },
  decode(answer, { model }) {
    const { output, usage } = parts(answer);
    const data = list(output.embeddings).map(({ text_index, embedding }) => ({
      object: 'embedding',
      index: text_index,
      embedding,
    }));
    return failure(answer) ?? { object: 'list', data, model, ...promptUsage(usage.total_tokens) };
  },
};

export const rerank: FamilyShape = {
  encode({ model, query, documents, top_n, return_documents }) {
    const parameters = {
      ...(top_n === undefined ? {} : { top_n }),
      ...(return_documents === undefined ? {} : { return_documents }),
    };
    return { model, input: { query, documents: plainDocuments(documents) }, parameters };
  },
  decode(answer) {
    const { output, usage } = parts(answer);
    return failure(answer) ?? { results: list(output.results), ...promptUsage(usage.total_tokens) };
  },
};

export const images: FamilyShape = {
  encode(body, { model }) {
    const { prompt, n, size, seed, negative_prompt } = body;
    const parameters = defined({ n, seed, negative_prompt, size: typeof size === 'string' ? size.replace('x', '*') : undefined });
    if (!isMultimodal(model)) return { model: body.model, input: { prompt }, parameters };
    return { model: body.model, input: { messages: [{ role: 'user', content: [{ text: prompt }] }] }, parameters };
  },
  decode(answer) {
    const { output } = parts(answer);
    const made = [...list(output.results), ...list(output.choices).flatMap(picturesOf)].filter(
      ({ url }) => typeof url === 'string',
    );
    const data = made.map(({ url, actual_prompt }) => defined({ url, revised_prompt: actual_prompt }));
    return (made.length === 0 ? (failure(answer) ?? failure(list(output.results)[0] ?? {})) : undefined) ?? { data };
  },
  poll(answer, base) {
    const { output } = parts(answer);
    const isOpen = output.task_status === 'PENDING' || output.task_status === 'RUNNING';
    if (!isOpen || typeof output.task_id !== 'string') return undefined;
    return { url: `${base}/api/v1/tasks/${encodeURIComponent(output.task_id)}`, afterMs: pollMs };
  },
};

/** Pictures in an answer that is a conversation. */
function picturesOf({ message }: JsonObject): JsonObject[] {
  const content = isObject(message) ? list(message.content) : [];
  return content.map(({ image }) => ({ url: image }));
}

/** Errors stand at the top, those of a background task in its output. */
function failure(answer: JsonObject): JsonObject | undefined {
  const { output } = parts(answer);
  const at = typeof answer.code === 'string' && answer.code !== '' ? answer : output;
  if (typeof at.code !== 'string' || at.code === '') return undefined;
  return { error: { message: at.message, type: 'upstream_error', param: null, code: at.code } };
}

function parts({ output, usage }: JsonObject): { readonly output: JsonObject; readonly usage: JsonObject } {
  return { output: isObject(output) ? output : {}, usage: isObject(usage) ? usage : {} };
}

function list(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function defined(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}
