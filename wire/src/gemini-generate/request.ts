import type { PathHints } from '../chat/dialect.ts';
import { findMember, memberNumber, memberText } from '../json-member.ts';
import { foldedName, type JsonScan, type Member, scanObject } from '../json-scan.ts';
import { isEmpty, maxCap, maxModelBytes, modelName, refuse } from '../peek.ts';
import type { PeekResult, RequestEdits, RequestPeek } from '../request.ts';
import { routingRemoved, splice } from '../splice.ts';

const maxChoices = 128;

const spellings = {
  config: ['generationConfig', 'generation_config'],
  cap: ['maxOutputTokens', 'max_output_tokens'],
  count: ['candidateCount', 'candidate_count'],
} as const;

/**
 * Reads a request body without parsing it; model and streaming stand in the path. Never throws. Numbers must be numbers:
 * what an upstream would read out of a string is not seen here.
 */
export function peekRequest(body: Buffer, hints: PathHints = {}): PeekResult {
  const result = scanObject(body);
  if (!result.ok) return { ok: false, code: 'invalid_request', reason: result.reason };
  const { scan } = result;
  const model = plainModel(hints.model ?? memberText(body, findMember(scan, 'model'), maxModelBytes) ?? '');
  if (model === '') return refuse('model is required');
  if (!modelName.test(model)) return refuse('model is invalid');
  if (!hasContents(body, findMember(scan, 'contents'))) return refuse('contents is required');
  const limits = readLimits(body, scan);
  if (typeof limits === 'string') return refuse(limits);
  return { ok: true, peek: { scan, model, stream: hints.stream ?? false, wantsUsage: true, ...limits } };
}

/** Addresses and bodies may name a model with its collection in front. */
export function plainModel(name: string): string {
  return name.startsWith('models/') ? name.slice('models/'.length) : name;
}

function hasContents(body: Buffer, member: Member | undefined): boolean {
  return (member?.kind === 'array' || member?.kind === 'object') && !isEmpty(body, member);
}

/** The member under either of its spellings; 'twice' when both are there. */
function either(scan: JsonScan, names: readonly [string, string]): Member | undefined | 'twice' {
  const [camel, snake] = [findMember(scan, names[0]), findMember(scan, names[1])];
  return camel !== undefined && snake !== undefined ? 'twice' : (camel ?? snake);
}

interface Config {
  readonly bytes: Buffer;
  readonly scan: JsonScan;
}

function configOf(body: Buffer, scan: JsonScan): Config | undefined | 'invalid' {
  const member = either(scan, spellings.config);
  if (member === 'twice') return 'invalid';
  if (member === undefined || member.kind === 'null') return undefined;
  const bytes = body.subarray(member.valueStart, member.valueEnd);
  const inner = scanObject(bytes);
  return inner.ok ? { bytes, scan: inner.scan } : 'invalid';
}

function readLimits(body: Buffer, scan: JsonScan): { readonly cap: number | undefined; readonly n: number } | string {
  const config = configOf(body, scan);
  if (config === 'invalid') return 'generationConfig is invalid';
  if (config === undefined) return { cap: undefined, n: 1 };
  const cap = readCount(config, spellings.cap, maxCap);
  if (cap === 'invalid') return 'maxOutputTokens is invalid';
  const n = readCount(config, spellings.count, maxChoices);
  if (n === 'invalid') return 'candidateCount is invalid';
  // 0 is the default of both, thus "not given".
  return { cap: cap === 0 ? undefined : cap, n: n === undefined || n === 0 ? 1 : n };
}

function readCount({ bytes, scan }: Config, names: readonly [string, string], most: number): number | undefined | 'invalid' {
  const member = either(scan, names);
  if (member === 'twice' || scan.members.some(({ key }) => isMisspelt(key, names))) return 'invalid';
  if (member === undefined || member.kind === 'null') return undefined;
  const value = memberNumber(bytes, member);
  return value !== undefined && Number.isInteger(value) && value >= 0 && value <= most ? value : 'invalid';
}

/** Some upstreams read names without regard to case. */
function isMisspelt(key: string, names: readonly [string, string]): boolean {
  return !names.includes(key) && names.some((name) => foldedName(name) === foldedName(key));
}

/**
 * The bytes for the upstream: the body with the edits spliced in. The model is in the path; a body that names another
 * one loses that name, as it loses the fields with which it could steer other gateways.
 */
export function editRequest(body: Buffer, peek: RequestPeek, edits: RequestEdits): Buffer {
  const { scan } = peek;
  const plan = routingRemoved(scan);
  const named = findMember(scan, 'model');
  if (named !== undefined) {
    const text = memberText(body, named, maxModelBytes);
    if (text === undefined || plainModel(text) !== (edits.model ?? peek.model)) plan.set('model', null);
  }
  if (edits.cap !== undefined) lowerCap(plan, body, peek, edits.cap);
  for (const [key, raw] of edits.more ?? []) plan.set(key, raw);
  return splice(body, scan, plan);
}

function lowerCap(plan: Map<string, string | null>, body: Buffer, peek: RequestPeek, cap: number): void {
  if (peek.cap !== undefined && peek.cap <= cap) return;
  const config = configOf(body, peek.scan);
  if (config === 'invalid') return;
  const member = either(peek.scan, spellings.config);
  const name = typeof member === 'object' ? member.key : spellings.config[0];
  plan.set(name, config === undefined ? `{"maxOutputTokens":${cap}}` : withCap(config, cap));
}

function withCap({ bytes, scan }: Config, cap: number): string {
  const member = either(scan, spellings.cap);
  const key = typeof member === 'object' ? member.key : spellings.cap[0];
  return splice(bytes, scan, new Map([[key, String(cap)]])).toString('utf8');
}
