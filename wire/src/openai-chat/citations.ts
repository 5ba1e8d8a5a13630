import type { Part } from '../chat/parts.ts';
import { asCount, asObject, asText, type JsonObject } from '../json.ts';

/** The sources of all texts of a message, as annotations of the texts put together. */
export function messageAnnotations(parts: readonly Part[], lose: (word: string) => void): JsonObject[] {
  let offset = 0;
  return parts.flatMap((part) => {
    if (part.kind !== 'text') return [];
    const annotations = spellCitations(part.citations ?? [], offset, part.text.length, lose);
    offset += part.text.length;
    return annotations;
  });
}

/**
 * Citations of a text of that length, `offset` behind the start of its message: those of this dialect as they are,
 * sources with an address as `url_citation`. What names no address is a loss.
 */
export function spellCitations(
  citations: readonly JsonObject[],
  offset: number,
  length: number,
  lose: (word: string) => void,
): JsonObject[] {
  return citations.flatMap((citation): JsonObject[] => {
    const annotation = spellCitation(citation, offset, length);
    if (annotation === undefined) lose('citations');
    return annotation === undefined ? [] : [annotation];
  });
}

function spellCitation(citation: JsonObject, offset: number, length: number): JsonObject | undefined {
  if (asObject(citation[asText(citation.type)]) !== undefined && offset === 0) return citation;
  const inner = asObject(citation.url_citation) ?? citation;
  const url = asText(inner.url);
  if (url === '') return undefined;
  const { start_index: start, end_index: end } = inner;
  return {
    type: 'url_citation',
    url_citation: {
      start_index: offset + (asCount(start) ?? 0),
      end_index: offset + (asCount(end) ?? length),
      url,
      title: asText(inner.title),
    },
  };
}
