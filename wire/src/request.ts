import type { JsonScan } from './json-scan.ts';
import type { EditPlan } from './splice.ts';

/** What the relay must know of a request before it forwards the bytes. */
export interface RequestPeek {
  readonly scan: JsonScan;
  readonly model: string;
  readonly stream: boolean;
  /** The caller asked to be told the usage, or its dialect always does. */
  readonly wantsUsage: boolean;
  /** The caller's cap per choice, the larger one when several fields give it; undefined = none. */
  readonly cap: number | undefined;
  /** Number of choices, at least 1. */
  readonly n: number;
}

/** A field of a request is missing or wrong, by what is asked for (contract 6.6). */
export type RefusalCode =
  | 'invalid_text_request'
  | 'invalid_image_request'
  | 'invalid_audio_request'
  | 'invalid_query'
  | 'invalid_documents';

export type PeekResult =
  | { readonly ok: true; readonly peek: RequestPeek }
  /** `invalid_request`: not readable at all. */
  | { readonly ok: false; readonly code: 'invalid_request' | RefusalCode; readonly reason: string };

/** The edits that a passthrough may make (rulings 10). */
export interface RequestEdits {
  /** Another model name than the caller's. */
  readonly model?: string;
  /** Ask for the usage frame although the caller did not, where a dialect must be asked. */
  readonly includeUsage?: boolean;
  /** Lower the completion cap to this; a request without one gets it. */
  readonly cap?: number;
  readonly capField?: 'max_tokens' | 'max_completion_tokens';
  /** Further edits of the channel (param_override, quirks): key -> raw JSON, null = remove. They win. */
  readonly more?: EditPlan;
}
