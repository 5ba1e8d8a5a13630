import { asObject, type JsonObject } from '../json.ts';
import { findMember } from '../json-member.ts';
import { type JsonScan, type Member, scanObject } from '../json-scan.ts';
import { editRequest as editAsChat, readCount, readWantsUsage } from '../openai-chat/request.ts';
import { isAbsent, isEmpty, readCap, readFlag, readModel, refuse } from '../peek.ts';
import type { PeekResult, RequestEdits, RequestPeek } from '../request.ts';

/** Prompts of one call, times answers to each. */
const maxAnswers = 1024;

/** Reads a request body; only a list of prompts is parsed, to be counted. Never throws. */
export function peekRequest(body: Buffer): PeekResult {
  const result = scanObject(body);
  if (!result.ok) return { ok: false, code: 'invalid_request', reason: result.reason };
  const { scan } = result;
  const model = readModel(body, scan);
  if (typeof model !== 'string') return model;
  const prompts = countPrompts(body, findMember(scan, 'prompt'));
  if (prompts === 0) return refuse('field prompt is required');
  const cap = readCap(body, findMember(scan, 'max_tokens'));
  if (cap === 'invalid') return refuse('max_tokens is invalid');
  const n = readAnswers(body, scan);
  if (n === undefined || n * prompts > maxAnswers) return refuse('n is invalid');
  const stream = readFlag(body, findMember(scan, 'stream'));
  if (stream === undefined) return refuse('stream is invalid');
  const wantsUsage = readWantsUsage(body, findMember(scan, 'stream_options'));
  if (wantsUsage === undefined) return refuse('stream_options is invalid');
  return { ok: true, peek: { scan, model, stream, wantsUsage, cap, n: n * prompts } };
}

/** The bytes for the upstream. There is one cap here: what is one for the younger sibling too means nothing. */
export function editRequest(body: Buffer, peek: RequestPeek, { cap, more, ...edits }: RequestEdits): Buffer {
  if (cap === undefined || (peek.cap !== undefined && peek.cap <= cap)) return editAsChat(body, peek, { ...edits, more });
  return editAsChat(body, peek, { ...edits, more: new Map([['max_tokens', String(cap)], ...(more ?? [])]) });
}

/** Answers that are made for a prompt: of `best_of` some are thrown away, but all are paid for. */
function readAnswers(body: Buffer, scan: JsonScan): number | undefined {
  const n = readCount(body, findMember(scan, 'n'));
  const best = readCount(body, findMember(scan, 'best_of'));
  return n === undefined || best === undefined ? undefined : Math.max(n, best);
}

/** A text, a list of texts, a text in tokens or a list of those. */
function countPrompts(body: Buffer, member: Member | undefined): number {
  if (member === undefined || isAbsent(member)) return 0;
  if (member.kind === 'string') return isEmpty(body, member) ? 0 : 1;
  if (member.kind !== 'array' || isEmpty(body, member)) return 0;
  const first = body
    .subarray(member.valueStart + 1, member.valueEnd)
    .toString('latin1', 0, 64)
    .trimStart();
  if (/^[-\d]/.test(first)) return 1;
  try {
    const list: unknown = JSON.parse(body.toString('utf8', member.valueStart, member.valueEnd));
    return Array.isArray(list) ? list.length : 0;
  } catch {
    return 0;
  }
}

/** The one text that a request asks to go on with; undefined when there are several, or when it is in tokens. */
export function singlePrompt({ prompt }: JsonObject): string | undefined {
  const only = Array.isArray(prompt) && prompt.length === 1 ? prompt[0] : prompt;
  return typeof only === 'string' && only !== '' ? only : undefined;
}

/** `stream_options.include_usage` of a parsed body. */
export function wantsUsage({ stream_options }: JsonObject): boolean {
  return asObject(stream_options)?.include_usage === true;
}
