import { expect } from 'vitest';
import { anthropicOf } from '../clients.ts';
import type { Row } from '../table.ts';
import { greeting } from './samples.ts';

const sdk = '@anthropic-ai/sdk: messages';

export const anthropicRows: readonly Row[] = [
  {
    sdk,
    feature: 'text',
    async run({ world, model }) {
      const answer = await anthropicOf(world).messages.create({
        model,
        max_tokens: 100,
        system: 'Be brief.',
        messages: [{ role: 'user', content: 'hi' }],
      });
      expect(answer).toMatchObject({
        type: 'message',
        role: 'assistant',
        model,
        content: [{ type: 'text', text: greeting }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { output_tokens: 7 },
      });
    },
    saw([facts], { model }) {
      expect(facts).toMatchObject({
        model,
        stream: false,
        system: 'Be brief.',
        turns: [{ role: 'user', pieces: [{ text: 'hi' }] }],
        cap: 100,
      });
    },
  },
  {
    sdk,
    feature: 'stream (finalMessage)',
    async run({ world, model }) {
      const stream = anthropicOf(world).messages.stream({ model, max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] });
      let text = '';
      stream.on('text', (delta) => {
        text += delta;
      });
      const final = await stream.finalMessage();
      expect(text).toBe(greeting);
      expect(final).toMatchObject({
        content: [{ type: 'text', text: greeting }],
        stop_reason: 'end_turn',
        usage: { output_tokens: 7 },
      });
      expect(final.usage.input_tokens).toBeGreaterThan(20);
    },
    saw([facts]) {
      expect(facts).toMatchObject({ stream: true, turns: [{ role: 'user', pieces: [{ text: 'hi' }] }] });
    },
  },
];
