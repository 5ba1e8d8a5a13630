import type { PathHints, Surface } from '../chat/dialect.ts';
import type { ChatReading } from '../chat/response.ts';
import { isErrorAnswer } from '../error.ts';
import { asObject, type JsonObject, parseObject } from '../json.ts';
import { findMember, memberText } from '../json-member.ts';
import { scanObject } from '../json-scan.ts';
import { modelName, refuse } from '../peek.ts';
import type { PeekResult, RequestEdits, RequestPeek } from '../request.ts';
import { routingRemoved, splice } from '../splice.ts';
import { type EmbedKind, renamedRequests } from './embeddings.ts';
import { errorBody, errorFrame, errorInOk, readError } from './error.ts';
import { camelKeys, numberOf } from './fields.ts';
import { plainModel } from './request.ts';
import { createTap } from './stream.ts';
import { readUsage } from './usage.ts';

/** POST /v1beta/models/{model}:embedContent, as it passes through. */
export const embedSurface: Surface = surface('gemini-embed', 'one');
/** POST /v1beta/models/{model}:batchEmbedContents, as it passes through. */
export const batchEmbedSurface: Surface = surface('gemini-batch-embed', 'many');

function surface(name: string, kind: EmbedKind): Surface {
  return {
    name,
    peekRequest: (body, hints) => peek(kind, body, hints ?? {}),
    editRequest: (body, peeked, edits) => edit(kind, body, peeked, edits),
    readResponse: (body) => read(kind, body),
    createTap,
    readError,
    errorBody,
    errorFrame,
  };
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

/** The model stands in the path and again in the body, where no other may be named. */
function edit(kind: EmbedKind, body: Buffer, { scan, model }: RequestPeek, edits: RequestEdits): Buffer {
  const plan = routingRemoved(scan);
  const name = edits.model ?? model;
  const named = findMember(scan, 'model');
  if (named !== undefined && plainModel(memberText(body, named, 4096) ?? '') !== name)
    plan.set('model', JSON.stringify(`models/${name}`));
  const requests = kind === 'one' ? undefined : renamedRequests(parseObject(body.toString('utf8'))?.requests, name);
  if (requests !== undefined) plan.set('requests', JSON.stringify(requests));
  for (const [key, raw] of edits.more ?? []) plan.set(key, raw);
  return splice(body, scan, plan);
}

function read(kind: EmbedKind, body: Buffer): ChatReading {
  const text = body.toString('utf8');
  const answer = parseObject(text);
  if (answer === undefined) return { kind: 'invalid', reason: text.trim() === '' ? 'empty' : 'not-json' };
  const isAnswer = kind === 'one' ? asObject(answer.embedding) !== undefined : Array.isArray(answer.embeddings);
  if (isErrorAnswer(answer) || !isAnswer) return { kind: 'error', error: errorInOk(answer) };
  return { kind: 'answer', usage: readUsage(promptOnly(answer)), text: () => '' };
}

/** Vectors have no tokens of their own, whatever the total says. */
function promptOnly(answer: JsonObject): JsonObject {
  const usage = camelKeys(asObject(answer.usageMetadata) ?? {});
  return { promptTokenCount: numberOf(usage.promptTokenCount ?? usage.totalTokenCount), candidatesTokenCount: 0 };
}
