import { familySurfaces, geminiGenerate, type JsonObject } from '@tollgate/wire';
import { localFault } from './faults.ts';
import { bodyOf, type Inquiry } from './inquiry.ts';

type EmbedKind = geminiGenerate.EmbedKind;

/** Protocols that are another spelling of a family: their requests become canonical as they come in. */
const kinds: Readonly<Record<string, EmbedKind>> = { 'gemini-embed': 'one', 'gemini-batch-embed': 'many' };

/** The same inquiry in the canonical shape, which will be answered in the caller's. Throws RelayFault. */
export function canonical(inquiry: Inquiry): Inquiry {
  const kind = kinds[inquiry.protocol];
  const surface = familySurfaces.get('embeddings');
  if (kind === undefined || surface === undefined) return inquiry;
  const decoded = geminiGenerate.decodeEmbedRequest(bodyOf(inquiry.bytes), kind, inquiry.peek.model);
  if (!decoded.ok) throw localFault('invalid_text_request', { reason: decoded.reason });
  const bytes = Buffer.from(JSON.stringify(decoded.body));
  const result = surface.peekRequest(bytes);
  if (!result.ok) throw localFault(result.code, { reason: result.reason });
  const spell = (answer: JsonObject) => geminiGenerate.encodeEmbedAnswer(answer, kind);
  const { losses, inputs } = decoded;
  // The hold covers what only some upstreams are told, too.
  const { textBytes } = inquiry.peek.scan;
  const scan = { ...result.peek.scan, textBytes: Math.max(textBytes, result.peek.scan.textBytes) };
  return { ...inquiry, protocol: 'embeddings', surface, bytes, peek: { ...result.peek, scan }, losses, inputs, spell };
}
