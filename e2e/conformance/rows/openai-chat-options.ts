import OpenAI, { APIUserAbortError } from 'openai';
import { expect } from 'vitest';
import { askOpenai, openaiOf } from '../clients.ts';
import type { Row } from '../table.ts';
import type { Spoil } from '../world.ts';
import { failureOf } from './failures.ts';
import { greeting } from './samples.ts';

/** How a refusal is told that came without the vendor's own words for one. */
const filtered = 'as a filtered answer';
const sdk = 'openai: chat.completions';

export const openaiOptionRows: readonly Row[] = [
  {
    sdk,
    feature: 'stop sequences',
    async run(cell) {
      const { choices } = await askOpenai(cell, 'count', { stop: ['four', 'nine'] });
      if (cell.lost('stop')) return;
      expect(choices[0]).toMatchObject({
        finish_reason: 'stop',
        message: { content: expect.stringMatching(/^one two three ?$/) },
      });
    },
    saw([facts], cell) {
      if (!cell.lost('stop')) expect(facts?.stop).toEqual(['four', 'nine']);
    },
    except: { 'openai-responses': { loses: ['stop'] } },
  },
  {
    sdk,
    feature: 'a cap that cuts the answer',
    async run(cell) {
      const { choices } = await askOpenai(cell, 'count', { max_completion_tokens: 3 });
      if (cell.column !== 'openai-responses')
        expect(choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'one two three' } });
    },
    saw([facts], { column }) {
      // That dialect takes no smaller cap.
      expect(facts?.cap).toBe(column === 'openai-responses' ? 16 : 3);
    },
    except: { 'openai-responses': { loses: ['max_tokens'] } },
  },
  {
    sdk,
    feature: 'sampling (top_p, seed, penalties)',
    async run(cell) {
      const { choices } = await askOpenai(cell, 'hi', { top_p: 0.9, seed: 7, frequency_penalty: 0.1, presence_penalty: 0.2 });
      expect(choices[0]?.message.content).toBe(greeting);
    },
    saw([facts], cell) {
      expect(facts?.topP).toBe(0.9);
      if (!cell.lost('seed')) expect(facts?.seed).toBe(7);
    },
    except: {
      'openai-responses': { loses: ['frequency_penalty', 'presence_penalty', 'seed'] },
      'anthropic-messages': { loses: ['frequency_penalty', 'presence_penalty', 'seed'] },
    },
  },
  {
    sdk,
    feature: 'logprobs',
    async run(cell) {
      const { choices } = await askOpenai(cell, 'hi', { logprobs: true, top_logprobs: 1 });
      if (cell.lost('logprobs')) return;
      const content = choices[0]?.logprobs?.content ?? [];
      expect(content.map(({ token }) => token).join('')).toBe(greeting);
      expect(content[0]?.logprob).toBe(-0.25);
    },
    saw([facts], cell) {
      if (!cell.lost('logprobs')) expect(facts?.logprobs).toBe(1);
    },
    except: { 'anthropic-messages': { loses: ['logprobs'] } },
  },
  {
    sdk,
    feature: 'several choices (n)',
    async run(cell) {
      const { choices } = await askOpenai(cell, 'hi', { n: 2 });
      expect(choices.map(({ message }) => message.content)).toEqual(cell.lost('choices') ? [greeting] : [greeting, greeting]);
    },
    saw([facts], cell) {
      if (!cell.lost('choices')) expect(facts?.choices).toBe(2);
    },
    except: { 'openai-responses': { loses: ['choices'] }, 'anthropic-messages': { loses: ['choices'] } },
  },
  {
    sdk,
    feature: 'usage of a cached prompt',
    async run(cell) {
      const { usage } = await askOpenai(cell, 'a known prefix and more words than that');
      expect(usage?.prompt_tokens_details?.cached_tokens).toBe(Math.floor((usage?.prompt_tokens ?? 0) / 2));
    },
  },
  {
    sdk,
    feature: 'refusal',
    async run(cell) {
      const { choices } = await askOpenai(cell, 'refuse');
      const [choice] = choices;
      if (cell.column === 'openai-chat' || cell.column === 'openai-responses')
        expect(choice?.message.refusal).toBe('I cannot help with that.');
      else expect(choice?.finish_reason).toBe('content_filter');
    },
    except: { 'anthropic-messages': { note: filtered }, 'gemini-generate': { note: filtered } },
  },
  ...failures(),
  {
    sdk,
    feature: 'failure in mid-stream',
    spoil: 'cut',
    charge: 'some',
    async run({ world, model }) {
      const stream = await openaiOf(world).chat.completions.create({
        model,
        messages: [{ role: 'user', content: 'break off' }],
        stream: true,
      });
      let text = '';
      const failure = await failureOf(
        (async () => {
          for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
        })(),
      );
      expect(text).toBe('Hello! How');
      expect(failure).toBeInstanceOf(OpenAI.APIError);
    },
  },
  {
    sdk,
    feature: 'abort of a stream',
    spoil: 'aborted',
    charge: 'some',
    async run({ world, model }) {
      world.mock.script(() => ({ chunkDelayMs: 20 }));
      const stream = await openaiOf(world).chat.completions.create({
        model,
        messages: [{ role: 'user', content: 'count' }],
        stream: true,
      });
      for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
      const record = await world.mock.waitFor(({ endedAtMs }) => endedAtMs > 0);
      expect(record.aborted).toBe(true);
    },
  },
];

function failures(): Row[] {
  const kinds: [status: Spoil, kind: new (...args: never[]) => Error, feature: string][] = [
    ['429', OpenAI.RateLimitError, 'RateLimitError'],
    ['400', OpenAI.BadRequestError, 'BadRequestError'],
    ['503', OpenAI.InternalServerError, 'InternalServerError'],
  ];
  return kinds.map(([status, kind, feature]) => ({
    sdk,
    feature: `error: ${feature}`,
    spoil: status,
    charge: 'none',
    async run(cell) {
      const failure = await failureOf(askOpenai(cell, `fail ${status}`));
      expect(failure).toBeInstanceOf(kind);
      expect(failure).not.toBeInstanceOf(APIUserAbortError);
      expect((failure as InstanceType<typeof OpenAI.APIError>).error).toMatchObject({
        message: expect.stringContaining('request id'),
        type: expect.any(String),
      });
    },
  }));
}
