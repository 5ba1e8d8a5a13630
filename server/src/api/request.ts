import type { ErrorCode } from '@tollgate/contract';
import { createGatherer } from '@tollgate/wire';
import type * as z from 'zod/mini';
import { PublicError } from '../platform/errors.ts';
import { JsonRefused, parseStrictJson } from '../platform/strict-json.ts';

const maxBodyBytes = 1_048_576;
const bodyTimeoutMs = 60_000;
const maxDetailLength = 200;

/** A JSON body. Throws PublicError `body_not_json` or `body_too_large`. */
export async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  if (type !== 'application/json' || encoding !== 'identity') throw new PublicError('body_not_json');
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readBytes(request));
    return parseStrictJson(text);
  } catch (error) {
    if (error instanceof JsonRefused || error instanceof TypeError) throw new PublicError('body_not_json');
    throw error;
  }
}

/** A body as text, byte for byte. Throws PublicError `body_too_large`, and `body_not_json` for what is no text. */
export async function readText(request: Request, maxBytes: number): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readBytes(request, maxBytes));
  } catch (error) {
    if (error instanceof TypeError) throw new PublicError('body_not_json');
    throw error;
  }
}

async function readBytes(request: Request, maxBytes = maxBodyBytes): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw new PublicError('body_too_large');
  const reader = request.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  // Cancelling ends the pending read; what came so far is no JSON and is answered as such.
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), bodyTimeoutMs);
  try {
    return await readAll(reader, maxBytes);
  } finally {
    clearTimeout(timer);
  }
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const gathered = createGatherer(maxBytes);
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const { buffer, byteOffset, byteLength } = part.value;
    if (gathered.add(Buffer.from(buffer, byteOffset, byteLength))) continue;
    await reader.cancel();
    throw new PublicError('body_too_large');
  }
  return gathered.take();
}

/** The query as a record; a name that stands twice is refused, since readers differ on which one counts. */
export function readQuery(url: string): Record<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of new URL(url).searchParams) {
    if (values.has(name) || value.includes('\0')) throw new PublicError('invalid_parameters');
    values.set(name, value);
  }
  return Object.fromEntries(values);
}

/** Applies a contract schema; `refusal` is the code whose text the contract gives for this route. */
export function judge<Schema extends z.ZodMiniType>(schema: Schema, value: unknown, refusal: ErrorCode): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new PublicError(refusal, { detail: describeIssue(parsed.error.issues[0]) });
}

interface Issue {
  readonly code?: string | undefined;
  readonly path?: readonly PropertyKey[] | undefined;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly errors?: readonly (readonly Issue[])[] | undefined;
}

/** "password: at least 8": which field broke which rule, never its value. */
function describeIssue(issue: Issue | undefined): string {
  const path = (issue?.path ?? []).map(String).join('.');
  const reason = describeReason(issue);
  return (path === '' ? reason : `${path}: ${reason}`).slice(0, maxDetailLength);
}

function describeReason(issue: Issue | undefined): string {
  if (issue?.code === 'too_small') return `at least ${String(issue.minimum)}`;
  if (issue?.code === 'too_big') return `at most ${String(issue.maximum)}`;
  if (issue?.code === 'invalid_union') return describeReason(issue.errors?.[0]?.[0]);
  return issue?.code?.replaceAll('_', ' ') ?? 'invalid';
}

/** The path's id: plain digits only, so that no two readers see two numbers. */
export function readId(text: string | undefined): number {
  if (text === undefined) return 0;
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw new PublicError('invalid_parameters');
  return id;
}
