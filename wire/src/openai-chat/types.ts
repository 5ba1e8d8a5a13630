/**
 * The OpenAI chat completions dialect as far as the gateway touches it; unknown fields pass through untouched.
 * Source: the public API reference of POST /v1/chat/completions.
 */

/** Those of an answer; `text` is a completion's. */
export const answerFields: readonly string[] = ['content', 'refusal', 'text'];
/** Delta and message fields that are text made by the model, in the order in which they are counted. */
export const textFields: readonly string[] = ['reasoning_content', 'reasoning', ...answerFields];
