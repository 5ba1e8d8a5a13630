import { findMember, memberNumber } from '../json-member.ts';
import { scanObject } from '../json-scan.ts';
import { isAbsent, isEmpty, readCap, readFlag, readModel, refuse } from '../peek.ts';
import type { PeekResult, RequestEdits, RequestPeek } from '../request.ts';
import { routingRemoved, splice } from '../splice.ts';

/** Reads a request body without parsing it. Never throws. Reasons are the texts of contract 6.11 where it has one. */
export function peekRequest(body: Buffer): PeekResult {
  const result = scanObject(body);
  if (!result.ok) return { ok: false, code: 'invalid_request', reason: result.reason };
  const { scan } = result;
  const messages = findMember(scan, 'messages');
  if (messages?.kind !== 'array' || isEmpty(body, messages)) return refuse('field messages is required');
  const model = readModel(body, scan);
  if (typeof model !== 'string') return model.reason === 'model is required' ? refuse('field model is required') : model;
  const cap = readCap(body, findMember(scan, 'max_tokens'));
  if (cap === 'invalid') return refuse('max_tokens is invalid');
  const stream = readFlag(body, findMember(scan, 'stream'));
  if (stream === undefined) return refuse('stream is invalid');
  return { ok: true, peek: { scan, model, stream, wantsUsage: true, cap, n: 1 } };
}

/**
 * The bytes for the upstream: the body with the edits spliced in and the fields removed with which a body could steer
 * other gateways. Without an effective edit the same Buffer comes back.
 */
export function editRequest(body: Buffer, peek: RequestPeek, edits: RequestEdits): Buffer {
  const plan = routingRemoved(peek.scan);
  if (edits.model !== undefined && edits.model !== peek.model) plan.set('model', JSON.stringify(edits.model));
  if (edits.cap !== undefined && exceeds(body, peek, edits.cap)) plan.set('max_tokens', String(edits.cap));
  for (const [key, raw] of edits.more ?? []) plan.set(key, raw);
  return splice(body, peek.scan, plan);
}

/** A cap of 0 stays: this dialect has it mean "only fill the cache". */
function exceeds(body: Buffer, { scan }: RequestPeek, cap: number): boolean {
  const member = findMember(scan, 'max_tokens');
  return isAbsent(member) || (memberNumber(body, member) ?? 0) > cap;
}
