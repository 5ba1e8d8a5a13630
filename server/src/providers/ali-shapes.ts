import { asNumber, asObjects, defined, type JsonObject } from '@tollgate/wire';
import { inside } from './bodies.ts';
import { embeddingList, inputTexts, notOnlyTexts } from './embeddings.ts';
import { pictureCount, sizeAsked } from './pictures.ts';
import type { FamilyShape } from './provider.ts';
import { plainDocuments, promptUsage } from './rerank.ts';

const pollMs = 3_000;

/** These models answer at once, in the shape of a conversation; the others work in the background. */
export function isMultimodal(model: string): boolean {
  return /^(qwen-image-(plus|max|edit|2)|wan2\.[6-9]|wan[3-9]|z-image)/.test(model);
}

export const embeddings: FamilyShape = {
  refuses: notOnlyTexts,
  encode: (body) => ({
    model: body.model,
    input: { texts: inputTexts(body) },
    ...(body.dimensions === undefined ? {} : { parameters: { dimension: body.dimensions } }),
  }),
  decode(answer, { model }, asked) {
    const embeddings = inside(answer, 'output', 'embeddings');
    if (!Array.isArray(embeddings)) return failure(answer) ?? answer;
    const vectors = asObjects(embeddings)
      .toSorted((a, b) => asNumber(a.text_index) - asNumber(b.text_index))
      .map(({ embedding }) => embedding);
    return embeddingList({ vectors, model, tokens: inside(answer, 'usage', 'total_tokens') }, asked);
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
    const results = inside(answer, 'output', 'results');
    if (!Array.isArray(results)) return failure(answer) ?? answer;
    return { results: asObjects(results), ...promptUsage(inside(answer, 'usage', 'total_tokens')) };
  },
};

export const images: FamilyShape = {
  encode(body, { model }) {
    const { prompt, seed, negative_prompt } = body;
    // Some of its models make four where nothing is said.
    const n = pictureCount(body);
    const parameters = defined({ n, seed, negative_prompt, size: sizeAsked(body)?.replace('x', '*') });
    if (!isMultimodal(model)) return { model: body.model, input: { prompt }, parameters };
    return { model: body.model, input: { messages: [{ role: 'user', content: [{ text: prompt }] }] }, parameters };
  },
  decode(answer) {
    const results = asObjects(inside(answer, 'output', 'results'));
    const said = asObjects(inside(answer, 'output', 'choices')).flatMap(({ message }) => asObjects(inside(message, 'content')));
    const made = [...results, ...said.map(({ image }) => ({ url: image }))].filter(({ url }) => typeof url === 'string');
    const data = made.map((each) => defined({ url: each.url, revised_prompt: inside(each, 'actual_prompt') }));
    const wrong = made.length > 0 ? undefined : (failure(answer) ?? failure(results[0] ?? {}));
    return wrong ?? { created: 0, data };
  },
  poll(answer, base) {
    const status = inside(answer, 'output', 'task_status');
    const id = inside(answer, 'output', 'task_id');
    if ((status !== 'PENDING' && status !== 'RUNNING') || typeof id !== 'string') return undefined;
    return { url: `${base}/api/v1/tasks/${encodeURIComponent(id)}`, afterMs: pollMs };
  },
};

/** Errors stand at the top, those of a background task in its output. */
function failure(answer: JsonObject): JsonObject | undefined {
  for (const at of [answer, answer.output]) {
    const code = inside(at, 'code');
    if (typeof code !== 'string' || code === '') continue;
    return { error: { message: inside(at, 'message') ?? code, type: 'upstream_error', param: null, code } };
  }
  return undefined;
}
