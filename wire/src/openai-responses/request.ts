import { findMember, memberText } from '../json-member.ts';
import { type JsonScan, scanObject } from '../json-scan.ts';
import { isAbsent, isEmpty, readCap, readFlag, readModel, refuse } from '../peek.ts';
import type { PeekResult, RequestEdits, RequestPeek } from '../request.ts';
import { routingRemoved, splice } from '../splice.ts';

const maxIdBytes = 1024;

/**
 * Reads a request body without parsing it. Never throws. A call in the background is refused, streamed or not: it goes on
 * when its connection ends, so that nobody would learn what it came to (decision 0120).
 */
export function peekRequest(body: Buffer): PeekResult {
  const result = scanObject(body);
  if (!result.ok) return { ok: false, code: 'invalid_request', reason: result.reason };
  const { scan } = result;
  const model = readModel(body, scan);
  if (typeof model !== 'string') return model;
  if (!hasInput(body, scan)) return refuse('field input is required');
  const cap = readCap(body, findMember(scan, 'max_output_tokens'));
  if (cap === 'invalid') return refuse('max_output_tokens is invalid');
  const stream = readFlag(body, findMember(scan, 'stream'));
  if (stream === undefined) return refuse('stream is invalid');
  const background = readFlag(body, findMember(scan, 'background'));
  if (background !== false) return refuse(background === true ? 'background is not supported' : 'background is invalid');
  return { ok: true, peek: { scan, model, stream, wantsUsage: true, cap, n: 1 } };
}

/** A stored prompt brings its own input, and what is continued may have it already. */
const bringingInput = ['prompt', 'previous_response_id', 'conversation'];

function hasInput(body: Buffer, scan: JsonScan): boolean {
  const input = findMember(scan, 'input');
  const isList = input?.kind === 'string' || input?.kind === 'array';
  if (isList && !isEmpty(body, input)) return true;
  if (!isList && !isAbsent(input)) return false;
  return bringingInput.some((key) => {
    const member = findMember(scan, key);
    return member?.kind === 'object' || (key !== 'prompt' && member?.kind === 'string' && !isEmpty(body, member));
  });
}

/** The answer that this request continues, which only the upstream that gave it knows. */
export function previousResponseId(body: Buffer, scan: JsonScan): string | undefined {
  const id = memberText(body, findMember(scan, 'previous_response_id'), maxIdBytes);
  return id === '' ? undefined : id;
}

/** In front of its other objects: some vendors name an answer by a bare number, and not first. */
const answerId = /(?:^\s*|"response"\s*:\s*)\{[^{}]*?"id"\s*:\s*"(?!chatcmpl-)([^"\\]{1,256})"/;
const markedId = /"id"\s*:\s*"(resp_[^"\\]{1,256})"/;
const headBytes = 4096;

/** The id of an answer, from the first bytes of its body or of its stream; undefined when they do not tell. */
export function responseId(head: Buffer): string | undefined {
  const text = head.toString('latin1', 0, headBytes);
  return (answerId.exec(text) ?? markedId.exec(text))?.[1];
}

/** The bytes for an upstream of the same dialect: see `ClientDialect.editRequest`. Usage is always told here. */
export function editRequest(body: Buffer, peek: RequestPeek, edits: RequestEdits): Buffer {
  const { scan } = peek;
  const plan = routingRemoved(scan);
  if (edits.model !== undefined && edits.model !== peek.model) plan.set('model', JSON.stringify(edits.model));
  if (edits.cap !== undefined && (peek.cap === undefined || peek.cap > edits.cap)) {
    plan.set('max_output_tokens', String(edits.cap));
  }
  for (const [key, raw] of edits.more ?? []) plan.set(key, raw);
  return splice(body, scan, plan);
}
