import { expect, test } from 'vitest';
import { readUsage, usageMetadata } from './usage.ts';

const plain = { prompt: 10, completion: 5, cached: 0, cacheWrite: 0, reasoning: 0, anomaly: false };

test.each([
  ['plain', { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 }, plain],
  ['snake case', { prompt_token_count: 10, candidates_token_count: 5 }, plain],
  [
    'thoughts beside the candidates',
    { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 20 },
    { ...plain, completion: 25, reasoning: 20 },
  ],
  [
    'cached tokens inside of the prompt',
    { promptTokenCount: 10, candidatesTokenCount: 5, cachedContentTokenCount: 8 },
    { ...plain, cached: 8 },
  ],
  [
    'what tools put in beside the prompt',
    { promptTokenCount: 10, candidatesTokenCount: 5, toolUsePromptTokenCount: 90 },
    { ...plain, prompt: 100 },
  ],
  [
    'candidates that only the total tells',
    { promptTokenCount: 10, thoughtsTokenCount: 2, totalTokenCount: 17 },
    { ...plain, completion: 7, reasoning: 2 },
  ],
  [
    'sound and pictures',
    {
      promptTokenCount: 10,
      candidatesTokenCount: 5,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 1 },
        { modality: 'AUDIO', tokenCount: 6 },
        { modality: 'IMAGE', tokenCount: 3 },
      ],
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 5 }],
    },
    { ...plain, audioPrompt: 6, imagePrompt: 3, imageCompletion: 5 },
  ],
  [
    'an absurd cache',
    { promptTokenCount: 10, candidatesTokenCount: 5, cachedContentTokenCount: 11 },
    { ...plain, cached: 10, anomaly: true },
  ],
])('reads %s, and says it again', (_, raw, expected) => {
  const usage = readUsage(raw);
  expect(usage).toEqual(expected);
  if (usage !== undefined) expect(readUsage(usageMetadata(usage))).toEqual({ ...usage, anomaly: false });
});

test.each([undefined, null, 5, [], {}, { promptTokenCount: 0 }])('%j says nothing', (raw) => {
  expect(readUsage(raw)).toBeUndefined();
});
