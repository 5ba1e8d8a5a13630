import { asNumber, asObject, asText, type JsonObject } from '../json.ts';
import { camelKeys, given, listOf, numberOf } from './fields.ts';
import { bytesOfUnits, unitsOfBytes } from './offsets.ts';

const maxCitations = 256;

/**
 * The sources of an answer's text that have an address, in the form that most dialects know:
 * `{type: 'url_citation', url_citation: {start_index, end_index, url, title}}`, still with positions in bytes.
 */
export function readCitations(candidate: JsonObject): JsonObject[] {
  const metadata = camelKeys(asObject(candidate.citationMetadata) ?? {});
  const cited = [...listOf(metadata.citationSources), ...listOf(metadata.citations)].map(camelKeys);
  const all = [...cited, ...grounded(camelKeys(asObject(candidate.groundingMetadata) ?? {}))];
  const addressed = all.filter(({ uri }) => asText(uri) !== '');
  return addressed.slice(0, maxCitations).map(neutral);
}

function neutral({ startIndex, endIndex, uri, title, license }: JsonObject): JsonObject {
  const start = numberOf(startIndex) ?? 0;
  const end = numberOf(endIndex) ?? 0;
  // Every source has a title in the form that other dialects know: clients refuse an answer with one that has none.
  const labels = { title: asText(title), ...given('license', asText(license) || undefined) };
  return { type: 'url_citation', url_citation: { start_index: start, end_index: end, url: uri, ...labels } };
}

/** Search results that support a stretch of the answer. */
function grounded({ groundingChunks, groundingSupports }: JsonObject): JsonObject[] {
  const chunks = listOf(groundingChunks).map((chunk) => camelKeys(asObject(chunk.web) ?? asObject(chunk.retrievedContext) ?? {}));
  return listOf(groundingSupports).flatMap((raw) => {
    const { segment, groundingChunkIndices } = camelKeys(raw);
    const { startIndex, endIndex } = camelKeys(asObject(segment) ?? {});
    const indices = Array.isArray(groundingChunkIndices) ? groundingChunkIndices : [];
    return indices.flatMap((index): JsonObject[] => {
      const { uri, title } = chunks[asNumber(index)] ?? {};
      return [{ startIndex, endIndex, uri, ...given('title', title) }];
    });
  });
}

/** Adds what is not yet known, by how it is spelled. */
export function addCitations(known: Map<string, JsonObject>, more: readonly JsonObject[]): void {
  for (const citation of more) {
    if (known.size >= maxCitations) return;
    const spelled = JSON.stringify(citation);
    if (!known.has(spelled)) known.set(spelled, citation);
  }
}

/** The same citations with positions in units of the text that they belong to. */
export function inUnits(citations: readonly JsonObject[], text: string): JsonObject[] {
  const inner = citations.map((citation) => asObject(citation.url_citation) ?? {});
  const units = unitsOfBytes(text, inner.flatMap(positionsOf));
  return inner.map((source) => {
    const [start, end] = positionsOf(source);
    return { type: 'url_citation', url_citation: { ...source, start_index: units.get(start), end_index: units.get(end) } };
  });
}

function positionsOf({ start_index: start, end_index: end }: JsonObject): [start: number, end: number] {
  return [numberOf(start) ?? 0, numberOf(end) ?? 0];
}

/** Spells the citations of a text, as far as they name an address; `before` = bytes of the answer in front of it. */
export function writeCitations(
  citations: readonly JsonObject[],
  text: string,
  before: number,
  losses: Set<string>,
): JsonObject[] {
  // One without a place is for all of the text.
  const inner = citations.map((citation) => ({ end_index: text.length, ...(asObject(citation.url_citation) ?? citation) }));
  const bytes = bytesOfUnits(text, inner.flatMap(positionsOf));
  return inner.flatMap((source): JsonObject[] => {
    const [start, end] = positionsOf(source);
    const own = sourceOf(source, before + (bytes.get(start) ?? 0), before + (bytes.get(end) ?? 0));
    if (own === undefined) losses.add('citations');
    return own === undefined ? [] : [own];
  });
}

function sourceOf(source: JsonObject, startIndex: number, endIndex: number): JsonObject | undefined {
  const uri = asText(source.url);
  if (uri === '') return undefined;
  return {
    startIndex,
    endIndex,
    uri,
    ...given('title', asText(source.title) || undefined),
    ...given('license', asText(source.license) || undefined),
  };
}
