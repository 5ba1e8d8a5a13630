import type { WireError } from '../error.ts';
import type { JsonObject } from '../json.ts';
import type { PeekResult, RequestEdits, RequestPeek } from '../request.ts';
import type { SseFrame } from '../sse.ts';
import type { Tap, TapOptions } from '../tap.ts';
import type { TokenUsage } from '../usage.ts';
import type { ChatRequest } from './request.ts';
import type { ChatEvent, ChatReading, ChatResponse } from './response.ts';

/** Something spelled in a dialect, and the names of what it could not say (`seed`, `logprobs`, `cache_control` ...). */
export interface Encoded {
  readonly body: JsonObject;
  /** Snake case, without repetition, in the IR's words. Empty = nothing was lost. */
  readonly losses: readonly string[];
}

/** What encoding a request needs beside the request. */
export interface RequestContext {
  /** The name the upstream knows. */
  readonly model: string;
  /** Cap to send when the request has none and the dialect must have one. */
  readonly defaultMaxTokens: number;
  /** Members beyond the published dialect that this upstream takes; what needs one is lost without it. */
  readonly extensions?: readonly Extension[];
}

/**
 * Widespread additions to `openai-chat`: sampling by `top_k`, `cache_control` marks, earlier thoughts as
 * `reasoning_content` or signed in `reasoning_details`, media in tool results, pictures made by the model, and tools that
 * take a text, which the vendor has and those who speak like it do not.
 */
export type Extension = (typeof everyExtension)[number];

/** All of them: what a caller of the dialect may have said to an upstream of it. */
export const everyExtension = [
  'top_k',
  'cache_control',
  'reasoning_content',
  'reasoning_details',
  'tool_media',
  'images',
  'custom_tools',
] as const;

export type Decoded = { readonly ok: true; readonly request: ChatRequest } | { readonly ok: false; readonly reason: string };

/** Reads one stream. `push` takes whole frames and never throws; `end` says what the end of the bytes implies. */
export interface StreamDecoder {
  push(frame: SseFrame): readonly ChatEvent[];
  end(): readonly ChatEvent[];
}

/** What an answer must repeat or may choose. */
export interface AnswerContext {
  /** Unique; a dialect adds its own prefix. */
  readonly id: string;
  /** As the caller named it. */
  readonly model: string;
  /** Unix seconds. */
  readonly created: number;
  /** The caller wants to be told the usage where that is a choice. */
  readonly wantsUsage: boolean;
  /** Likely size of the prompt: for dialects that name it before it is counted. */
  readonly promptEstimate: number;
  /** The request, for dialects that echo it: without what was said, which would be kept as long as the answer is written. */
  readonly request?: Omit<ChatRequest, 'messages'>;
}

/**
 * Writes one stream. `push` returns bytes for the client, undefined when there are none yet; usage, and what must come
 * after it, waits for `close`, which ends an answer that is whole with what was charged. An `error` event becomes the
 * dialect's own; `end` and `usage` give nothing.
 */
export interface StreamEncoder {
  push(event: ChatEvent): Buffer | undefined;
  close(usage: TokenUsage | undefined): Buffer;
  /** What could not be said so far; same words as `Encoded.losses`. */
  readonly losses: readonly string[];
}

/** A dialect that an upstream answers in. Nothing here throws on any JSON. */
export interface UpstreamDialect {
  readonly name: string;
  /** Takes one text and holds no conversation: asked only on behalf of its own callers. */
  readonly promptOnly?: true;
  /** Media this dialect takes by address; all other must be inline before `encodeRequest` sees it. */
  readonly mediaByUrl: readonly ('image' | 'file')[];
  /** Names that functions may have; absent = any. Others must be spelled so before `encodeRequest` sees them. */
  readonly functionNames?: RegExp;
  /** Says which of its tools may be called now; for others those that may not must be gone before `encodeRequest` sees them. */
  readonly namesAllowed?: true;
  encodeRequest(request: ChatRequest, context: RequestContext): Encoded;
  /** Of a body that `readFailure` found no error in. */
  decodeResponse(body: JsonObject): ChatResponse;
  createDecoder(): StreamDecoder;
  /** The error of a failed answer, whatever its shape (`status` = HTTP status); see `errorIn` for foreign ones. */
  readError(status: number, body: Buffer): WireError;
  /** The error of a body with status 200 that is no answer of this dialect; undefined for an answer. */
  readFailure(body: JsonObject): WireError | undefined;
}

/** What the caller's address said, for dialects whose model and streaming stand in the path. */
export interface PathHints {
  readonly model?: string;
  readonly stream?: boolean;
}

/** What a whole answer needs to be told as a stream. */
export interface Unfolding {
  /** The caller wants to be told the usage where that is a choice. */
  readonly wantsUsage: boolean;
  /** Stands in for a usage that the answer does not tell. */
  readonly charged: TokenUsage;
}

/** A dialect that callers speak, too. */
export interface ClientDialect extends UpstreamDialect {
  /** Requests must name a cap: one without gets the operator's. */
  readonly needsCap?: true;
  /** No cap can be told: who cannot pay for an answer of the usual length gets none. */
  readonly uncapped?: true;
  /** The header in which clients of this dialect read the id of their call; absent = `x-request-id`. */
  readonly idHeader?: string;
  /** Does a request bring back what was sealed for its caller, and what an upstream of this dialect could not read? */
  holdsSealed?(body: Buffer): boolean;
  /** Reads what the relay must know from the bytes, without parsing them. Never throws. */
  peekRequest(body: Buffer, hints?: PathHints): PeekResult;
  /** The caller's bytes for an upstream of the same dialect, with the allowed edits spliced in (rulings 10). */
  editRequest(body: Buffer, peek: RequestPeek, edits: RequestEdits): Buffer;
  decodeRequest(body: JsonObject, hints?: PathHints): Decoded;
  encodeResponse(response: ChatResponse, context: AnswerContext): Encoded;
  createEncoder(context: AnswerContext): StreamEncoder;
  /** A whole answer of this dialect as the stream that says the same: all of it, also what nobody here knows. */
  unfold(body: JsonObject, unfolding: Unfolding): Buffer;
  /** Reads a whole answer that goes through as it is. */
  readResponse(body: Buffer): ChatReading;
  /** Passes a stream of this dialect through and reads it on the way. */
  createTap(options: TapOptions): Tap;
  /** The body of an error answer; `status` = the HTTP status it is sent with. */
  errorBody(error: WireError, status: number): string;
  /** The event that ends a stream that failed after its first byte; no terminator follows it. */
  errorFrame(error: WireError, status: number): Buffer;
}

/** What a relay needs of the caller's side when an answer passes through unchanged. */
export type Surface = Pick<
  ClientDialect,
  | 'name'
  | 'needsCap'
  | 'uncapped'
  | 'idHeader'
  | 'peekRequest'
  | 'editRequest'
  | 'readResponse'
  | 'createTap'
  | 'readError'
  | 'errorBody'
  | 'errorFrame'
>;
