/**
 * The OpenAI chat completions dialect as far as the gateway touches it; unknown fields pass through untouched.
 * Source: the public API reference of POST /v1/chat/completions.
 */

export interface ToolCall {
  readonly index?: number;
  readonly id?: string;
  readonly type?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

export interface ChatMessage {
  readonly role: string;
  readonly content: string | null;
  readonly reasoning_content?: string;
  readonly refusal?: string | null;
  readonly tool_calls?: readonly ToolCall[];
}

export interface ChatChoice {
  readonly index: number;
  readonly message: ChatMessage;
  readonly logprobs?: unknown;
  readonly finish_reason: string | null;
}

export interface ChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number };
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number };
}

export interface ChatCompletion {
  readonly id: string;
  readonly object: 'chat.completion';
  readonly created: number;
  readonly model: string;
  readonly choices: readonly ChatChoice[];
  readonly usage?: ChatUsage;
}

/** Those of an answer; `text` is a completion's. */
export const answerFields: readonly string[] = ['content', 'refusal', 'text'];
/** Delta and message fields that are text made by the model, in the order in which they are counted. */
export const textFields: readonly string[] = ['reasoning_content', 'reasoning', ...answerFields];
