import { type Dialect, jsonAnswer } from '../dialect.ts';
import { geminiVendor } from './gemini/answer.ts';
import { messagesVendor } from './messages/answer.ts';
import { responsesVendor } from './responses/answer.ts';
import { list, only } from './strict.ts';
import { guarded } from './vendor.ts';

/** What the vendors say of every prompt: no tokenizer would. */
export const vendorCount = 4_242;

/** Refuses what belongs to an answer, as the vendor does. */
export const countMessages: Dialect = guarded(messagesVendor.error, ({ json }) => {
  const body = only(
    json,
    'body',
    'model messages system tools tool_choice thinking output_config mcp_servers context_management',
  );
  list(body.messages, 'messages');
  return jsonAnswer(200, { input_tokens: vendorCount });
});

export const countInput: Dialect = guarded(responsesVendor.error, ({ json }) => {
  only(
    json,
    'body',
    'model input instructions tools tool_choice parallel_tool_calls reasoning text truncation previous_response_id conversation',
  );
  return jsonAnswer(200, { object: 'response.input_tokens', input_tokens: vendorCount });
});

export const countContents: Dialect = guarded(geminiVendor.error, ({ json }) => {
  only(json, 'body', 'contents generateContentRequest');
  return jsonAnswer(200, { totalTokens: vendorCount, promptTokensDetails: [{ modality: 'TEXT', tokenCount: vendorCount }] });
});
