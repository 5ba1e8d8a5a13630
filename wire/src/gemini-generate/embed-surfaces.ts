import type { PathHints, Surface } from '../chat/dialect.ts';
import { familySurface } from '../families/family.ts';
import { findMember } from '../json-member.ts';
import { scanObject } from '../json-scan.ts';
import { modelName, refuse } from '../peek.ts';
import type { PeekResult } from '../request.ts';
import type { EmbedKind } from './embeddings.ts';
import { errorBody, errorFrame } from './error.ts';
import { plainModel } from './request.ts';

/** POST /v1beta/models/{model}:embedContent. */
export const embedSurface: Surface = surface('gemini-embed', 'one');
/** POST /v1beta/models/{model}:batchEmbedContents. */
export const batchEmbedSurface: Surface = surface('gemini-batch-embed', 'many');

/** Requests become canonical as they come in: only how they are peeked at, and how errors are told, is this dialect's own. */
function surface(name: string, kind: EmbedKind): Surface {
  return { ...familySurface({ name }), peekRequest: (body, hints) => peek(kind, body, hints ?? {}), errorBody, errorFrame };
}

function peek(kind: EmbedKind, body: Buffer, hints: PathHints): PeekResult {
  const result = scanObject(body);
  if (!result.ok) return { ok: false, code: 'invalid_request', reason: result.reason };
  const { scan } = result;
  const model = plainModel(hints.model ?? '');
  if (model === '') return refuse('model is required');
  if (!modelName.test(model)) return refuse('model is invalid');
  const [field, wanted] = kind === 'one' ? ['content', 'object'] : ['requests', 'array'];
  if (findMember(scan, field)?.kind !== wanted) return refuse(`${field} is required`);
  return { ok: true, peek: { scan, model, stream: false, wantsUsage: true, cap: undefined, n: 1 } };
}
