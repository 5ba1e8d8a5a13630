import { findMember, memberNumber } from '../json-member.ts';
import { type JsonScan, type Member, scanObject } from '../json-scan.ts';
import { isAbsent, isEmpty, readCap, readFlag, readModel, refuse } from '../peek.ts';
import type { PeekResult, RequestEdits, RequestPeek } from '../request.ts';
import { routingRemoved, splice } from '../splice.ts';

const maxChoices = 128;

/** Reads a request body without parsing it. Never throws. Reasons are the texts of contract 6.2 where it has one. */
export function peekRequest(body: Buffer): PeekResult {
  const result = scanObject(body);
  if (!result.ok) return { ok: false, code: 'invalid_request', reason: result.reason };
  const { scan } = result;
  const model = readModel(body, scan);
  if (typeof model !== 'string') return model;
  const messages = findMember(scan, 'messages');
  if (messages?.kind !== 'array' || isEmpty(body, messages)) return refuse('field messages is required');
  const short = readCap(body, findMember(scan, 'max_tokens'));
  const long = readCap(body, findMember(scan, 'max_completion_tokens'));
  if (short === 'invalid') return refuse('max_tokens is invalid');
  if (long === 'invalid') return refuse('max_completion_tokens is invalid');
  const n = readCount(body, findMember(scan, 'n'));
  if (n === undefined) return refuse('n is invalid');
  const stream = readFlag(body, findMember(scan, 'stream'));
  if (stream === undefined) return refuse('stream is invalid');
  const wantsUsage = readWantsUsage(body, findMember(scan, 'stream_options'));
  if (wantsUsage === undefined) return refuse('stream_options is invalid');
  const cap = short === undefined || long === undefined ? (short ?? long) : Math.max(short, long);
  return { ok: true, peek: { scan, model, stream, wantsUsage, cap, n } };
}

/** A number of answers, 1 when absent; undefined = invalid. */
export function readCount(body: Buffer, member: Member | undefined): number | undefined {
  if (isAbsent(member)) return 1;
  const value = memberNumber(body, member);
  return value !== undefined && Number.isInteger(value) && value >= 1 && value <= maxChoices ? value : undefined;
}

/** Does `stream_options` ask for the usage? undefined = invalid. */
export function readWantsUsage(body: Buffer, member: Member | undefined): boolean | undefined {
  if (member === undefined || member.kind === 'null') return false;
  const inner = innerObject(body, member);
  return inner === undefined ? undefined : readFlag(inner.bytes, findMember(inner.scan, 'include_usage'));
}

function innerObject(body: Buffer, member: Member): { bytes: Buffer; scan: JsonScan } | undefined {
  const bytes = body.subarray(member.valueStart, member.valueEnd);
  const result = scanObject(bytes);
  return result.ok ? { bytes, scan: result.scan } : undefined;
}

/**
 * The bytes for the upstream: the body with the edits spliced in and the fields removed with which a body could steer
 * other gateways. Without an effective edit the same Buffer comes back.
 */
export function editRequest(body: Buffer, peek: RequestPeek, edits: RequestEdits): Buffer {
  const plan = routingRemoved(peek.scan);
  if (edits.model !== undefined && edits.model !== peek.model) plan.set('model', JSON.stringify(edits.model));
  if (edits.includeUsage === true && !peek.wantsUsage) plan.set('stream_options', withUsage(body, peek.scan));
  if (edits.cap !== undefined) lowerCap(plan, body, peek.scan, edits.cap, edits.capField ?? 'max_tokens');
  for (const [key, raw] of edits.more ?? []) plan.set(key, raw);
  return splice(body, peek.scan, plan);
}

function withUsage(body: Buffer, scan: JsonScan): string {
  const member = findMember(scan, 'stream_options');
  const inner = member === undefined || member.kind === 'null' ? undefined : innerObject(body, member);
  if (inner === undefined) return '{"include_usage":true}';
  return splice(inner.bytes, inner.scan, new Map([['include_usage', 'true']])).toString('utf8');
}

function lowerCap(plan: Map<string, string | null>, body: Buffer, scan: JsonScan, cap: number, field: string): void {
  let found = false;
  for (const key of ['max_tokens', 'max_completion_tokens']) {
    const present = readCap(body, findMember(scan, key));
    if (typeof present !== 'number') continue;
    found = true;
    if (present > cap) plan.set(key, String(cap));
  }
  if (!found) plan.set(field, String(cap));
}
