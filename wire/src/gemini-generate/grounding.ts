import { asObject, asText, type JsonObject } from '../json.ts';
import type { ToolUses } from '../tool-uses.ts';
import { camelKeys, listOf } from './fields.ts';

/** Members of a chunk that name what it was found with. */
const sources = [
  ['web', 'google_search'],
  ['maps', 'google_maps'],
  ['retrievedContext', 'file_search'],
] as const;
const maxQueries = 1_000;

/**
 * What an answer rests on. Some models pay once for an answer that searched (`google_search`), others for each query
 * (`google_search_query`): both are counted, chunks that repeat themselves once.
 */
export class Grounding {
  readonly #queries = new Set<string>();
  readonly #used = new Set<string>();
  #isNew = false;

  /** As it came. */
  add(candidate: JsonObject): void {
    const raw = asObject(candidate.groundingMetadata ?? candidate.grounding_metadata);
    if (raw === undefined) return;
    const { webSearchQueries, groundingChunks } = camelKeys(raw);
    for (const query of Array.isArray(webSearchQueries) ? webSearchQueries : [])
      if (asText(query) !== '' && this.#queries.size < maxQueries) this.#queries.add(asText(query));
    for (const chunk of listOf(groundingChunks).map(camelKeys))
      for (const [member, tool] of sources) if (chunk[member] !== undefined) this.#used.add(tool);
    if (this.#queries.size > 0) this.#used.add('google_search');
    this.#isNew = this.#used.size > 0;
  }

  /** So far; undefined = nothing more since the last time. */
  taken(): ToolUses | undefined {
    if (!this.#isNew) return undefined;
    this.#isNew = false;
    const queries = this.#queries.size === 0 ? [] : [['google_search_query', this.#queries.size] as const];
    return Object.fromEntries([...[...this.#used].map((tool) => [tool, 1] as const), ...queries]);
  }
}
