import type { JsonObject } from '../json.ts';

/** Marks the end of a prefix worth caching, with its lifetime. */
export type CacheMark = '5m' | '1h';

/** Fields of one dialect, of a request or a part of it: restored when encoding to the same one, reported as lost otherwise. */
export interface Extra {
  readonly dialect: string;
  readonly fields: JsonObject;
  /** Further fields of a request that mean nothing to other dialects: restored, but no loss. */
  readonly hints?: JsonObject;
}

/** One piece of a message, in either direction. */
export type Part =
  | TextPart
  | ImagePart
  | FilePart
  | AudioPart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | RefusalPart
  | ForeignPart;

export interface TextPart {
  readonly kind: 'text';
  readonly text: string;
  readonly cache?: CacheMark;
  /** Sources of the text, as the dialect `citationsOf` spells them. */
  readonly citations?: readonly JsonObject[];
  /** Remark or final answer, for the dialects that tell them apart; no loss elsewhere. */
  readonly phase?: string;
}

/** Where media is: inline as base64, at an address, or at the upstream under an id. */
export type MediaSource =
  | { readonly at: 'inline'; readonly mediaType: string; readonly base64: string }
  | { readonly at: 'url'; readonly url: string; readonly mediaType?: string }
  /** `dialect` = whose id it is, where that is known: means nothing to another. */
  | { readonly at: 'upstream'; readonly id: string; readonly mediaType?: string; readonly dialect?: string };

export interface ImagePart {
  readonly kind: 'image';
  readonly source: MediaSource;
  /** `original` = at its own size, however large. */
  readonly detail?: 'low' | 'high' | 'original' | 'auto';
  readonly cache?: CacheMark;
  readonly extra?: Extra;
}

/** A document, or a video for the dialects that take one. */
export interface FilePart {
  readonly kind: 'file';
  readonly source: MediaSource;
  readonly name?: string;
  readonly cache?: CacheMark;
  readonly extra?: Extra;
}

/** Sound in a prompt, or spoken by the model. */
export interface AudioPart {
  readonly kind: 'audio';
  readonly base64: string;
  /** `wav`, `mp3`, `pcm16` ...; "" = unknown. */
  readonly format: string;
  readonly transcript?: string;
  /** Names an earlier answer's sound instead of carrying it. */
  readonly id?: string;
  readonly extra?: Extra;
}

/**
 * What the model thought. `signature` and `redacted` are opaque to everybody but the dialect that issued them: they go
 * back only to it.
 */
export interface ReasoningPart {
  readonly kind: 'reasoning';
  readonly text: string;
  readonly signature?: string;
  /** Encrypted thinking that came instead of text. */
  readonly redacted?: string;
  readonly id?: string;
  readonly dialect: string;
}

/** Of a call for which the model wrote none: an empty text is no JSON, which callers parse and vendors demand. */
export const noArguments = '{}';

export interface ToolCallPart {
  readonly kind: 'tool-call';
  /** "" where the dialect has no ids. */
  readonly id: string;
  readonly name: string;
  /** JSON text, as the model wrote it; `noArguments` where it wrote nothing. */
  readonly arguments: string;
  /** Opaque to everybody but `dialect`: must come back with the call. */
  readonly signature?: string;
  readonly dialect?: string;
  readonly cache?: CacheMark;
  readonly extra?: Extra;
}

export interface ToolResultPart {
  readonly kind: 'tool-result';
  readonly id: string;
  /** Name of the function; "" when only the id is known. */
  readonly name: string;
  readonly content: readonly (TextPart | ImagePart | FilePart)[];
  readonly isError?: boolean;
  readonly cache?: CacheMark;
  readonly extra?: Extra;
}

export interface RefusalPart {
  readonly kind: 'refusal';
  readonly text: string;
}

/** A piece that only its own dialect knows (hosted tools and their results); elsewhere it is said as `text`, or lost. */
export interface ForeignPart {
  readonly kind: 'foreign';
  readonly dialect: string;
  readonly name: string;
  readonly raw: JsonObject;
  readonly text?: string;
  /** Of a call that another dialect made of a function: opaque to everybody but its `dialect`, and must come back with the call. */
  readonly proof?: { readonly signature: string; readonly dialect: string };
}

/** The text that stands for a piece which only another dialect than `own` knows; clients are shown it as any other. */
export function saidInText(part: Part, own: string): string | undefined {
  return part.kind === 'foreign' && part.dialect !== own ? part.text : undefined;
}
