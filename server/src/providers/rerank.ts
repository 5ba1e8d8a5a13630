import { asCount, type JsonObject } from '@tollgate/wire';
import { isObject } from './bodies.ts';
import type { FamilyShape } from './provider.ts';

/** Usage of a call that has only a prompt; a figure that cannot be is none, and the prompt is counted here. */
export function promptUsage(said: unknown): JsonObject {
  const tokens = asCount(said);
  if (tokens === undefined) return {};
  return { usage: { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens } };
}

/** `top_k` instead of `top_n`, `data` instead of `results`. */
export const rankedData: FamilyShape = {
  encode({ top_n: count, documents, ...body }) {
    return { ...body, documents: plainDocuments(documents), ...(count === undefined ? {} : { top_k: count }) };
  },
  decode(whole) {
    const { data, usage, ...answer } = whole;
    if (!Array.isArray(data)) return whole;
    return {
      ...answer,
      results: data.filter(isObject).map(rankedResult),
      ...promptUsage(isObject(usage) ? usage.total_tokens : 0),
    };
  },
};

function rankedResult({ index, relevance_score, document }: JsonObject): JsonObject {
  return { index, relevance_score, ...(typeof document === 'string' ? { document: { text: document } } : {}) };
}

/** Documents as texts: callers may also write `{text}`. */
export function plainDocuments(documents: unknown): unknown[] {
  const list: unknown[] = Array.isArray(documents) ? documents : [];
  return list.map((document) => (isObject(document) ? (document.text ?? JSON.stringify(document)) : document));
}
