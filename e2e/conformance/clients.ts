import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { World } from './world.ts';

/** The official clients, pointed at the gateway and nothing else; they do not repeat calls. */
export function openaiOf({ gateway, key }: World): OpenAI {
  return new OpenAI({ apiKey: key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
}

export function anthropicOf({ gateway, key }: World): Anthropic {
  return new Anthropic({ apiKey: key, baseURL: gateway.url, maxRetries: 0 });
}
