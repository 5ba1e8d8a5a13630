import type { Losses } from '../chat/losses.ts';
import { asCount, asObject, asText, type JsonObject } from '../json.ts';

const ownKinds: ReadonlySet<unknown> = new Set(['file_citation', 'container_file_citation', 'file_path']);

/**
 * Citations as annotations of a text of that length: those of this dialect as they are, sources on the web of every
 * other one as `url_citation`. What names no address is a loss.
 */
export function spellCitations(citations: readonly JsonObject[], textLength: number, losses: Losses): JsonObject[] {
  const annotations: JsonObject[] = [];
  for (const citation of citations) {
    const annotation = spellCitation(citation, textLength);
    if (annotation === undefined) losses.lose('citations');
    else annotations.push(annotation);
  }
  return annotations;
}

function spellCitation(citation: JsonObject, textLength: number): JsonObject | undefined {
  if (ownKinds.has(citation.type) || (citation.type === 'url_citation' && typeof citation.url === 'string')) return citation;
  const inner = asObject(citation.url_citation) ?? citation;
  const url = asText(inner.url);
  if (url === '') return undefined;
  const { start_index: start, end_index: end } = inner;
  return {
    type: 'url_citation',
    start_index: asCount(start) ?? 0,
    end_index: asCount(end) ?? textLength,
    url,
    title: asText(inner.title),
  };
}
