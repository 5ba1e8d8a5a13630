import type { PathHints, Surface } from '../chat/dialect.ts';
import { createPassingTap } from '../chat/event-tap.ts';
import type { ChatReading } from '../chat/response.ts';
import type { WireError } from '../error.ts';
import { asObjects, type JsonObject, parseObject } from '../json.ts';
import { findMember, memberBoolean, memberNumber, memberText } from '../json-member.ts';
import { type JsonScan, scanObject } from '../json-scan.ts';
import { errorBody, errorFrame, errorIn, errorInOk, isErrorAnswer, readError } from '../openai-chat/error.ts';
import { maxModelBytes, modelName, refuse } from '../peek.ts';
import type { PeekResult, RefusalCode, RequestEdits, RequestPeek } from '../request.ts';
import { routingRemoved, splice } from '../splice.ts';
import { familyDecoder } from './stream.ts';
import { familyUsage, picturesIn } from './usage.ts';

/** What tells one family from another; everything else they share. */
export interface FamilySpec {
  readonly name: string;
  /** What a request is told in that lacks something; absent = as a text's. */
  readonly code?: RefusalCode;
  /** Members that a request must have, the text of their absence, and its code where it has one of its own. */
  readonly required?: readonly { readonly field: string; readonly reason: string; readonly code?: RefusalCode }[];
  /** Used when neither the body nor the path names a model; absent = a model must be named. */
  readonly defaultModel?: string;
  /** Further checks, with the model that is meant; the reason of a refusal, or undefined. */
  readonly check?: (body: Buffer, scan: JsonScan, model: string) => string | undefined;
  /** A member that every answer has; absent = any object without an error is an answer. */
  readonly answered?: string;
  /** Of pictures: what an answer without any comes to: nothing is charged for it, and nobody is asked once more. */
  readonly none?: WireError;
  /** The answer need not be JSON: sound, or words as plain text. */
  readonly opaque?: 'sound' | 'words';
}

const maxCount = 128;

/** The caller's side of a family: the canonical shape is that of the OpenAI API. */
export function familySurface(spec: FamilySpec): Surface {
  return {
    name: spec.name,
    peekRequest: (body, hints) => peek(spec, body, hints ?? {}),
    editRequest: edit,
    readResponse: (body) => (spec.opaque === undefined ? read(spec, body) : readOpaque(spec.opaque, body)),
    createTap: (options) => createPassingTap(familyDecoder(), options),
    readError,
    errorBody,
    errorFrame,
  };
}

function peek(spec: FamilySpec, body: Buffer, hints: PathHints): PeekResult {
  const result = scanObject(body);
  if (!result.ok) return { ok: false, code: 'invalid_request', reason: result.reason };
  const { scan } = result;
  const model = memberText(body, findMember(scan, 'model'), maxModelBytes) || hints.model || spec.defaultModel;
  const { code, required = [] } = spec;
  if (model === undefined) return refuse('model is required', code);
  if (!modelName.test(model)) return refuse('model is invalid', code);
  const missing = required.find(({ field }) => isEmpty(body, scan, field));
  if (missing !== undefined) return refuse(missing.reason, missing.code ?? code);
  const reason = spec.check?.(body, scan, model);
  if (reason !== undefined) return refuse(reason, code);
  const n = count(body, scan);
  if (n === undefined) return refuse('n is invalid', code);
  const stream = memberBoolean(body, findMember(scan, 'stream')) ?? false;
  return { ok: true, peek: { scan, model, stream, wantsUsage: true, cap: undefined, n } };
}

function isEmpty(body: Buffer, scan: JsonScan, field: string): boolean {
  const member = findMember(scan, field);
  if (member === undefined || member.kind === 'null') return true;
  const raw = body.toString('latin1', member.valueStart, Math.min(member.valueEnd, member.valueStart + 64));
  return /^(""|\[\s*\])$/.test(raw);
}

function count(body: Buffer, scan: JsonScan): number | undefined {
  const member = findMember(scan, 'n');
  if (member === undefined || member.kind === 'null') return 1;
  // Forms carry numbers as text.
  const value = member.kind === 'string' ? Number(memberText(body, member, 8)) : memberNumber(body, member);
  return value !== undefined && Number.isInteger(value) && value >= 1 && value <= maxCount ? value : undefined;
}

function edit(body: Buffer, { scan, model }: RequestPeek, edits: RequestEdits): Buffer {
  const plan = routingRemoved(scan);
  const name = edits.model ?? model;
  if (memberText(body, findMember(scan, 'model'), maxModelBytes) !== name) plan.set('model', JSON.stringify(name));
  for (const [key, raw] of edits.more ?? []) plan.set(key, raw);
  return splice(body, scan, plan);
}

function readOpaque(kind: 'sound' | 'words', body: Buffer): ChatReading {
  const json = body[0] === 0x7b ? parseObject(body.toString('utf8')) : undefined;
  if (json !== undefined && isRefusal(json)) return { kind: 'error', error: errorInOk(json) };
  if (body.length === 0) return { kind: 'invalid', reason: 'empty' };
  const start = json === undefined ? body.toString('latin1', 0, judgedBytes) : '';
  if (page.test(start) || (kind === 'sound' && plainText.test(start))) return { kind: 'invalid', reason: 'not-json' };
  return { kind: 'answer', usage: json && familyUsage(json), text: () => '' };
}

const judgedBytes = 4096;
/** Of somebody who wants a sign-in, or has no such address. */
const page = /^\s*<(!doctype\s+html|html)\b/i;
/** Sound has other bytes among its first ones. */
const plainText = /^[\t\n\r -~]+$/;
/** In one of these lies what was asked for. */
const carriers = ['text', 'segments', 'data', 'audio'] as const;

function isRefusal(json: JsonObject): boolean {
  return isErrorAnswer(json) || (errorIn(json, 200) !== undefined && !carriers.some((name) => json[name] !== undefined));
}

function read({ answered, none }: FamilySpec, body: Buffer): ChatReading {
  const text = body.toString('utf8');
  const answer = parseObject(text);
  if (answer === undefined) return { kind: 'invalid', reason: text.trim() === '' ? 'empty' : 'not-json' };
  const items = answered === undefined ? undefined : answer[answered];
  if (isErrorAnswer(answer) || (answered !== undefined && !Array.isArray(items)))
    return { kind: 'error', error: errorInOk(answer) };
  const pictures = none === undefined ? undefined : picturesIn(answer);
  if (none !== undefined && pictures === 0) {
    const [failed = {}] = asObjects(items);
    return { kind: 'error', error: { ...none, message: errorIn(failed, 200)?.message ?? none.message } };
  }
  return { kind: 'answer', usage: familyUsage(answer), ...(pictures === undefined ? {} : { pictures }), text: () => '' };
}
