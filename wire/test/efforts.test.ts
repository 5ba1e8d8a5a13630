import { expect, test } from 'vitest';
import { anthropicMessages } from '../src/anthropic-messages/dialect.ts';
import { geminiGenerate } from '../src/gemini-generate/dialect.ts';
import { asObject, type JsonObject } from '../src/json.ts';
import { openaiChat } from '../src/openai-chat/dialect.ts';
import { openaiResponses } from '../src/openai-responses/dialect.ts';

const body = { model: 'm', messages: [{ role: 'user', content: 'hi' }], max_tokens: 60_000 };
const context = (model: string) => ({ model, defaultMaxTokens: 60_000 });

test.each(['none', 'low', 'medium', 'high'] as const)(
  'an effort that was told as a budget is the same effort in every dialect behind it: %s',
  (effort) => {
    const asked = openaiChat.decodeRequest({ ...body, reasoning_effort: effort });
    if (!asked.ok) throw new Error(asked.reason);
    for (const [between, model] of [
      [anthropicMessages, 'claude-sonnet-4-5'],
      [geminiGenerate, 'gemini-2.5-flash'],
    ] as const) {
      const passed = between.decodeRequest(between.encodeRequest(asked.request, context(model)).body, { model, stream: false });
      if (!passed.ok) throw new Error(passed.reason);
      const { effort: _, ...reasoning } = passed.request.reasoning ?? {};
      const request = { ...passed.request, reasoning: effort === 'none' ? passed.request.reasoning : reasoning };
      const told = (to: JsonObject) => asObject(to.reasoning)?.effort ?? to.reasoning_effort;
      for (const to of [openaiChat, openaiResponses]) expect(told(to.encodeRequest(request, context('m')).body)).toBe(effort);
    }
  },
);
