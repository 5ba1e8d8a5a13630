import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import type { Cell } from './table.ts';
import type { Front } from './world.ts';

type Door = Pick<Front, 'gateway' | 'key'>;

/** The official clients, pointed at the gateway and nothing else; they do not repeat calls. */
export function openaiOf({ gateway, key }: Door): OpenAI {
  return new OpenAI({ apiKey: key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
}

export function anthropicOf({ gateway, key }: Door): Anthropic {
  return new Anthropic({ apiKey: key, baseURL: gateway.url, maxRetries: 0 });
}

export function googleOf({ gateway, key }: Door): GoogleGenAI {
  return new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gateway.url } });
}

/** One chat through the official client. */
export function askOpenai(
  { world, model }: Cell,
  content: string | OpenAI.ChatCompletionContentPart[],
  more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {},
) {
  return openaiOf(world).chat.completions.create({ model, messages: [{ role: 'user', content }], ...more });
}

/** One message through the official client. */
export function askAnthropic(
  { world, model }: Cell,
  content: string | Anthropic.ContentBlockParam[],
  more: Partial<Anthropic.MessageCreateParamsNonStreaming> = {},
) {
  return anthropicOf(world).messages.create({ model, max_tokens: 4_000, messages: [{ role: 'user', content }], ...more });
}
