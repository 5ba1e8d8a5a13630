import { expect } from 'vitest';
import { openaiOf } from '../clients.ts';
import type { Row } from '../table.ts';
import { greeting } from './samples.ts';

const sdk = 'openai: chat.completions';

export const openaiChatRows: readonly Row[] = [
  {
    sdk,
    feature: 'text',
    async run({ world, model }) {
      const answer = await openaiOf(world).chat.completions.create({
        model,
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: 'Yes?' },
          { role: 'user', content: 'hello' },
        ],
        max_completion_tokens: 100,
        temperature: 0.5,
      });
      expect(answer).toMatchObject({ object: 'chat.completion', model });
      expect(answer.choices[0]).toMatchObject({ finish_reason: 'stop', message: { role: 'assistant', content: greeting } });
      expect(answer.usage).toMatchObject({ completion_tokens: 7, total_tokens: (answer.usage?.prompt_tokens ?? 0) + 7 });
    },
    saw([facts], { model }) {
      expect(facts).toMatchObject({
        model,
        stream: false,
        system: 'Be brief.',
        turns: [
          { role: 'user', pieces: [{ text: 'hi' }] },
          { role: 'assistant', pieces: [{ text: 'Yes?' }] },
          { role: 'user', pieces: [{ text: 'hello' }] },
        ],
        cap: 100,
        temperature: 0.5,
      });
    },
  },
  {
    sdk,
    feature: 'stream, with usage',
    async run({ world, model }) {
      const stream = await openaiOf(world).chat.completions.create({
        model,
        messages: [{ role: 'user', content: 'hi' }],
        stream: true,
        stream_options: { include_usage: true },
      });
      let text = '';
      const finishes: unknown[] = [];
      let usage: OpenAIUsage;
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? '';
        if (chunk.choices[0]?.finish_reason) finishes.push(chunk.choices[0].finish_reason);
        usage = chunk.usage ?? usage;
      }
      expect({ text, finishes }).toEqual({ text: greeting, finishes: ['stop'] });
      expect(usage).toMatchObject({ completion_tokens: 7 });
    },
    saw([facts]) {
      expect(facts).toMatchObject({ stream: true, turns: [{ role: 'user', pieces: [{ text: 'hi' }] }], wantsUsage: true });
    },
  },
  {
    sdk,
    feature: 'stream, without usage',
    async run({ world, model }) {
      const stream = await openaiOf(world).chat.completions.create({
        model,
        messages: [{ role: 'user', content: 'hi' }],
        stream: true,
      });
      let text = '';
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? '';
        expect(chunk.usage ?? undefined, 'what only the gateway asked for').toBeUndefined();
      }
      expect(text).toBe(greeting);
    },
  },
];

type OpenAIUsage = { completion_tokens: number } | undefined | null;
