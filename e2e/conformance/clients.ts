import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
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
