import type { WireError } from '../error.ts';
import type { JsonObject } from '../json.ts';
import type { ToolUses } from '../tool-uses.ts';
import type { TokenUsage } from '../usage.ts';
import type { Extra, Part } from './parts.ts';

/** How an upstream says that it made an answer: what the caller may have chosen, and the operator pays for. */
export interface Served {
  readonly serviceTier?: string;
  readonly speed?: string;
  readonly inferenceGeo?: string;
  readonly uses?: ToolUses;
  /** It stopped where it had as many tokens as it may have. */
  readonly cutByLength?: true;
}

/** A whole answer without a dialect. */
export interface ChatResponse extends Served {
  readonly id: string;
  readonly model: string;
  /** Unix seconds; undefined where the dialect has none. */
  readonly created?: number;
  /** One per choice, in order. */
  readonly answers: readonly Answer[];
  readonly usage?: TokenUsage;
  readonly extra?: Extra;
}

export interface Answer {
  readonly parts: readonly Part[];
  readonly finish?: Finish;
  /** Entries of `{token, logprob, bytes, top_logprobs}`. */
  readonly logprobs?: readonly JsonObject[];
}

/** Why an answer ended: one word for all dialects, and the upstream's own. */
export interface Finish {
  readonly reason: 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'refusal' | 'pause' | 'other';
  readonly raw: string;
  /** The stop sequence that was met. */
  readonly stopSequence?: string;
}

/** What a part is before its content comes. */
export type PartHead =
  | { readonly kind: 'text'; readonly phase?: string }
  | { readonly kind: 'refusal' }
  | { readonly kind: 'audio'; readonly id?: string; readonly format?: string }
  | { readonly kind: 'reasoning'; readonly dialect: string; readonly id?: string }
  | { readonly kind: 'tool-call'; readonly id: string; readonly name: string; readonly extra?: Extra };

/** What a part's end adds to what its deltas said. */
export interface PartTail {
  readonly signature?: string;
  readonly dialect?: string;
  readonly citations?: readonly JsonObject[];
  readonly transcript?: string;
}

/**
 * A streamed answer, step by step. Within a choice the parts are sequential: a part ends before the next one starts,
 * and `part` counts up from 0. `delta.text` is text, reasoning, refusal, a fragment of arguments, or base64 sound.
 * `whole` is a part that comes at once. After `end` or `error` nothing follows.
 */
export type ChatEvent =
  | { readonly kind: 'start'; readonly id: string; readonly model: string; readonly created?: number }
  | { readonly kind: 'part-start'; readonly choice: number; readonly part: number; readonly head: PartHead }
  | { readonly kind: 'delta'; readonly choice: number; readonly part: number; readonly text: string }
  | { readonly kind: 'part-end'; readonly choice: number; readonly part: number; readonly tail?: PartTail }
  | { readonly kind: 'whole'; readonly choice: number; readonly part: number; readonly value: Part }
  | { readonly kind: 'logprobs'; readonly choice: number; readonly entries: readonly JsonObject[] }
  /**
   * There is an answer, of which no part has come yet: the upstream works with a tool of its own, writes what a part tells
   * when it is whole, or says how it ends. `text` = what the model wrote of it since.
   */
  | { readonly kind: 'work'; readonly text?: string }
  | { readonly kind: 'finish'; readonly choice: number; readonly finish: Finish }
  /** The latest figures; later ones replace earlier ones. `partial` = those of the prompt hold, the completion still grows. */
  | { readonly kind: 'usage'; readonly usage: TokenUsage; readonly partial?: true }
  /** So many finished pictures so far; undefined = the stream does not tell after all. */
  | { readonly kind: 'pictures'; readonly count: number | undefined }
  /** How often tools of the upstream's own were used so far; later ones replace earlier ones. */
  | { readonly kind: 'uses'; readonly uses: ToolUses }
  | ({ readonly kind: 'extra'; readonly extra: Extra } & Served)
  /** `isOurs`: it is we who end the answer. The upstream said no such thing, and would go on. */
  | { readonly kind: 'error'; readonly error: WireError; readonly isOurs?: true }
  /** Data that is no JSON of this dialect: skipped a few times, then the stream counts as cut. */
  | { readonly kind: 'malformed' }
  /** The dialect's terminator. */
  | { readonly kind: 'end' };

/** What a complete body with a 2xx status turned out to be. */
export type ChatReading =
  | {
      readonly kind: 'answer';
      /** The upstream's figures; undefined when it gave none. Not yet compared with the caller's cap (`capUsage`). */
      readonly usage: TokenUsage | undefined;
      /** How many pictures it holds; absent = it does not tell, or was asked for something else. */
      readonly pictures?: number;
      /** Absent = it does not tell. */
      readonly served?: Served;
      /** All output text, for counting when there is no usage. */
      text(): string;
    }
  /** A failure that came with a success status; nothing of it may reach the client as 2xx. */
  | { readonly kind: 'error'; readonly error: WireError }
  | { readonly kind: 'invalid'; readonly reason: 'empty' | 'not-json' };

/** A reading of an answer that will be spelled in another dialect. */
export type CrossedReading =
  | Exclude<ChatReading, { kind: 'answer' }>
  | { readonly kind: 'answer'; readonly response: ChatResponse };
