import { encodeRequest } from '../src/anthropic-messages/encode-request.ts';
import type { Part } from '../src/chat/parts.ts';
import type { ChatRequest, Message } from '../src/chat/request.ts';

export const user = (...parts: Part[]): Message => ({ role: 'user', parts });
export const assistant = (...parts: Part[]): Message => ({ role: 'assistant', parts });
export const text = (value: string): Part => ({ kind: 'text', text: value });
export const call = (id: string, name = 'f', args = '{"a":1}'): Part => ({ kind: 'tool-call', id, name, arguments: args });
export const result = (id: string, value: string): Part => ({
  kind: 'tool-result',
  id,
  name: 'f',
  content: value === '' ? [] : [{ kind: 'text', text: value }],
});

/** Nothing is said and nothing wished for. */
export const plain: ChatRequest = {
  model: 'asked',
  system: [],
  messages: [user(text('hi'))],
  tools: [],
  stop: [],
  choices: 1,
  stream: false,
  wantsUsage: false,
};
export const tool = {
  kind: 'function',
  name: 'f',
  parameters: { type: 'object', properties: { a: { type: 'number' } } },
} as const;

/** The request as an upstream of the dialect gets it. */
export function encode(request: Partial<ChatRequest>, model = 'claude-sonnet-4-5') {
  return encodeRequest({ ...plain, ...request }, { model, defaultMaxTokens: 8192 });
}
