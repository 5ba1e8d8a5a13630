import type { JsonObject } from '../json.ts';
import type { Extra } from './parts.ts';

/** Gathers what a target cannot say while something is spelled for it. */
export interface Losses {
  lose(word: string): void;
  /** Without repetition, in the order of appearance. */
  list(): readonly string[];
}

/** An empty list. */
export function createLosses(): Losses {
  const words = new Set<string>();
  return { lose: (word) => void words.add(word), list: () => [...words] };
}

/** Fields of the dialect that is spelled, as members to spread; those of another one are losses. */
export function spelledExtra(dialect: string, extra: Extra | undefined, lose: Losses['lose']): JsonObject {
  if (extra === undefined) return {};
  if (extra.dialect === dialect) return { ...extra.fields, ...extra.hints };
  for (const field of Object.keys(extra.fields)) lose(field);
  return {};
}
