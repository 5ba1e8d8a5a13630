import { expect, test } from 'vitest';
import { familyUsage } from './usage.ts';

const silent = { prompt: 0, completion: 0, cached: 0, cacheWrite: 0, reasoning: 0, anomaly: false };

test('the seconds of a transcript are read wherever they stand', () => {
  expect(familyUsage({ text: 'hi', usage: { type: 'duration', seconds: 12 } })).toEqual({ ...silent, seconds: 12 });
  expect(familyUsage({ text: 'hi', task: 'transcribe', duration: 8.47 })).toEqual({ ...silent, seconds: 8.47 });
  expect(familyUsage({ text: 'hi', duration: '3.5' })).toEqual({ ...silent, seconds: 3.5 });
  const tokens = { type: 'tokens', input_tokens: 14, output_tokens: 45, total_tokens: 59 };
  expect(familyUsage({ text: 'hi', duration: 2, usage: tokens })).toMatchObject({ prompt: 14, completion: 45, seconds: 2 });
});

test('what was heard of a transcript is told apart: it has a price of its own', () => {
  const usage = {
    type: 'tokens',
    input_tokens: 14,
    input_token_details: { text_tokens: 4, audio_tokens: 10 },
    output_tokens: 45,
  };
  expect(familyUsage({ text: 'hi', usage })).toEqual({ ...silent, prompt: 14, completion: 45, audioPrompt: 10 });
});

test('what is no length is none', () => {
  for (const duration of [0, -1, null, 'long', '', 1e7, Number.NaN])
    expect(familyUsage({ text: 'hi', duration })).toBeUndefined();
  expect(familyUsage({ data: [], duration: 5 })).toBeUndefined();
});
