import type { JsonObject } from '../json.ts';
import type { CacheMark, Extra, Part, TextPart } from './parts.ts';

/**
 * A chat request without a dialect. Every decoder makes one, every encoder spells one; what a target cannot say it
 * reports as a loss.
 */
export interface ChatRequest {
  readonly model: string;
  /** Instructions that stand before the conversation, in order. */
  readonly system: readonly TextPart[];
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  /** Names of those tools that may be called now; undefined = all. */
  readonly allowedTools?: readonly string[];
  readonly parallelTools?: boolean;
  /** The caller knows one call at a time, without an id, as `functions` were before `tools`. */
  readonly singleCalls?: true;
  /** Most tokens of one answer, reasoning included. */
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly stop: readonly string[];
  readonly seed?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  /** Number of answers, at least 1. */
  readonly choices: number;
  /** How many alternatives are reported beside each token; undefined = no logprobs. */
  readonly logprobs?: number;
  readonly reasoning?: Reasoning;
  readonly output?: OutputFormat;
  /** What the answer may be made of; undefined = text. */
  readonly modalities?: readonly Modality[];
  readonly audioOut?: { readonly voice: string; readonly format: string };
  readonly stream: boolean;
  /** The caller wants to be told the usage; dialects that always tell it decode to true. */
  readonly wantsUsage: boolean;
  /** Names the end user for abuse detection. */
  readonly user?: string;
  readonly metadata?: JsonObject;
  readonly serviceTier?: string;
  readonly cacheKey?: string;
  /** Top-level fields that the IR has no word for. */
  readonly extra?: Extra;
}

/** Tool results are parts of user messages. A system message may also stand between turns. */
export interface Message {
  readonly role: 'user' | 'assistant' | 'system';
  readonly parts: readonly Part[];
  /** The participant's name. */
  readonly name?: string;
}

export type Tool =
  | {
      readonly kind: 'function';
      readonly name: string;
      readonly description?: string;
      /** JSON schema of the arguments. */
      readonly parameters?: JsonObject;
      readonly strict?: boolean;
      readonly cache?: CacheMark;
      readonly extra?: Extra;
    }
  /** Run by the upstream itself (search, code); known to one dialect only. */
  | { readonly kind: 'hosted'; readonly name: string; readonly dialect: string; readonly raw: JsonObject };

/** A schema of arguments as vendors demand it: an object that says so, and its members, though there be none. */
export function argumentsSchema(parameters: JsonObject = {}): JsonObject {
  const { type, ...rest } = parameters;
  return { type: typeof type === 'string' ? type : 'object', properties: {}, ...rest };
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof efforts)[number];

/** The effort that is nearest to a budget in tokens, of those that every reasoning model knows. What a dialect with budgets makes of one of them is that one again. */
export function effortFor(budgetTokens: number): Effort {
  if (budgetTokens <= 0) return 'none';
  if (budgetTokens <= 2048) return 'low';
  return budgetTokens <= 8192 ? 'medium' : 'high';
}

/** How much to think: an effort, a budget in tokens, or both. `show` = the caller wants to read it. */
export interface Reasoning {
  readonly effort?: Effort;
  readonly budgetTokens?: number;
  readonly show?: boolean;
  /** How the caller spelled it, for dialects with several ways: they write it back as it was. */
  readonly spelled?: Extra;
}

export type OutputFormat =
  | { readonly kind: 'json' }
  | {
      readonly kind: 'schema';
      readonly name: string;
      readonly schema: JsonObject;
      readonly strict?: boolean;
      readonly description?: string;
    };

export type Modality = 'text' | 'audio' | 'image';
