import { ApiError } from '@google/genai';
import { expect } from 'vitest';
import { googleOf } from '../clients.ts';
import type { Row } from '../table.ts';
import { expectCount } from './counts.ts';
import { failureOf } from './failures.ts';
import { askGoogle, googleSdk as sdk } from './google.ts';

/** Settings, ends and failures. */
export const googleOtherRows: readonly Row[] = [
  {
    sdk,
    feature: 'stop sequences, a cap, top_k, a seed',
    async run(cell) {
      const answer = await askGoogle(cell, 'count', { stopSequences: ['four'], topK: 5, seed: 7 });
      if (!cell.lost('stop')) expect(answer.text).toMatch(/^one two three ?$/);
      const cut = await askGoogle(cell, 'recite', { maxOutputTokens: 16 });
      expect(cut.candidates?.[0]?.finishReason).toBe('MAX_TOKENS');
    },
    saw([facts], cell) {
      if (!cell.lost('stop')) expect(facts?.stop).toEqual(['four']);
      if (!cell.lost('top_k')) expect(facts?.topK).toBe(5);
      if (!cell.lost('seed')) expect(facts?.seed).toBe(7);
    },
    except: {
      'openai-chat': { loses: ['top_k'] },
      'openai-responses': { loses: ['seed', 'stop', 'top_k'] },
      'anthropic-messages': { loses: ['seed'] },
    },
  },
  {
    sdk,
    feature: 'candidates and logprobs',
    async run(cell) {
      const answer = await askGoogle(cell, 'hi', { candidateCount: 2, responseLogprobs: true, logprobs: 1 });
      expect(answer.candidates).toHaveLength(cell.lost('choices') ? 1 : 2);
      if (!cell.lost('logprobs'))
        expect(answer.candidates?.[0]?.logprobsResult?.chosenCandidates?.[0]?.logProbability).toBe(-0.25);
    },
    except: { 'openai-responses': { loses: ['choices'] }, 'anthropic-messages': { loses: ['choices', 'logprobs'] } },
  },
  {
    sdk,
    feature: 'usage of a cached prompt',
    async run(cell) {
      const { usageMetadata: usage } = await askGoogle(cell, 'a known prefix and more words than that');
      expect(usage?.cachedContentTokenCount).toBe(Math.floor((usage?.promptTokenCount ?? 0) / 2));
    },
  },
  {
    sdk,
    feature: 'refusal',
    async run(cell) {
      const { candidates, promptFeedback } = await askGoogle(cell, 'refuse');
      if (cell.column === 'gemini-generate') expect(promptFeedback?.blockReason).toBe('PROHIBITED_CONTENT');
      else expect(candidates?.[0]?.finishReason).toBe('SAFETY');
    },
  },
  {
    sdk,
    feature: 'countTokens',
    async run({ world, model, column }) {
      const { totalTokens = 0 } = await googleOf(world).models.countTokens({ model, contents: 'one two three' });
      expectCount(totalTokens, column === 'gemini-generate');
    },
    except: { 'gemini-generate': { note: 'the upstream counts' } },
  },
  ...(['429', '400', '503'] as const).map(
    (status): Row => ({
      sdk,
      feature: `error: ApiError (${status})`,
      spoil: status,
      charge: 'none',
      async run(cell) {
        const failure = await failureOf(askGoogle(cell, `fail ${status}`));
        expect(failure).toBeInstanceOf(ApiError);
        expect(failure).toMatchObject({ status: Number(status), message: expect.stringContaining(`"code":${status}`) });
      },
    }),
  ),
  {
    sdk,
    feature: 'failure in mid-stream',
    spoil: 'cut',
    charge: 'some',
    async run({ world, model }) {
      const stream = await googleOf(world).models.generateContentStream({ model, contents: 'break off' });
      let text = '';
      const failure = await failureOf(
        (async () => {
          for await (const chunk of stream) text += chunk.text ?? '';
        })(),
      );
      expect(text).toBe('Hello! How');
      expect(failure).toBeInstanceOf(Error);
    },
  },
];
