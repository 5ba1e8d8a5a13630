/**
 * The Anthropic messages dialect as far as the gateway touches it; unknown fields pass through untouched.
 * Source: the public API reference of POST /v1/messages.
 */

export const dialectName = 'anthropic-messages';

/** What is sent where a turn has nothing to say: the dialect refuses empty ones (contract 6.11). */
export const nothingToSay = '...';

export type StopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'compaction'
  | 'refusal'
  | 'model_context_window_exceeded';

export interface Usage {
  /** Without what was read from or written to the cache. */
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation?: { readonly ephemeral_5m_input_tokens: number; readonly ephemeral_1h_input_tokens: number };
  readonly output_tokens: number;
  readonly output_tokens_details?: { readonly thinking_tokens: number };
  readonly service_tier?: string;
  readonly speed?: string;
}
