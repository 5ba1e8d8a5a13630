import { type chat, familySurfaces, geminiGenerate, type JsonObject } from '@tollgate/wire';
import { localFault } from './faults.ts';
import { bodyOf, type Inquiry } from './inquiry.ts';

type EmbedKind = geminiGenerate.EmbedKind;

/** Protocols that are another spelling of a family: their requests become canonical as they come in. */
const kinds: Readonly<Record<string, EmbedKind>> = { 'gemini-embed': 'one', 'gemini-batch-embed': 'many' };

/** The same inquiry in the canonical shape, which will be answered in the caller's. Throws RelayFault. */
export function canonical(inquiry: Inquiry, ranksAll = false): Inquiry {
  if (ranksAll) return rankingAll(inquiry);
  const kind = kinds[inquiry.protocol];
  const surface = familySurfaces.get('embeddings');
  if (kind === undefined || surface === undefined) return inquiry;
  const decoded = geminiGenerate.decodeEmbedRequest(bodyOf(inquiry.bytes), kind, inquiry.peek.model);
  if (!decoded.ok) throw localFault('invalid_text_request', { reason: decoded.reason });
  const { bytes, peek } = peeked(surface, decoded.body);
  const spell = (answer: JsonObject) => geminiGenerate.encodeEmbedAnswer(answer, kind);
  const { losses, inputs } = decoded;
  // The hold covers what only some upstreams are told, too.
  const { textBytes } = inquiry.peek.scan;
  const scan = { ...peek.scan, textBytes: Math.max(textBytes, peek.scan.textBytes) };
  return { ...inquiry, protocol: 'embeddings', surface, bytes, peek: { ...peek, scan }, losses, inputs, spell };
}

/** What the path of version 2 says, said in the body: upstreams of version 1 rank as few as they like, and tell the texts. */
function rankingAll(inquiry: Inquiry): Inquiry {
  const body = bodyOf(inquiry.bytes);
  const { documents, top_n = Array.isArray(documents) ? documents.length : undefined } = body;
  return { ...inquiry, ...peeked(inquiry.surface, { return_documents: false, ...body, top_n }) };
}

/** Throws RelayFault. */
function peeked(surface: chat.Surface, body: JsonObject) {
  const bytes = Buffer.from(JSON.stringify(body));
  const result = surface.peekRequest(bytes);
  if (!result.ok) throw localFault(result.code, { reason: result.reason });
  return { bytes, peek: result.peek };
}
