import type { realtime } from '@tollgate/wire';
import { expect, test } from 'vitest';
import { plainPrice } from '../../test/plain-price.ts';
import { costOf, type PriceSnapshot } from '../billing/index.ts';
import type { Call } from './call.ts';
import { usageOfTranscript } from './realtime-transcript.ts';

/** A dollar for 1,000 seconds. */
const secondPrice: PriceSnapshot = { ...plainPrice, kind: 'call', callPriceNano: 1_000_000, perSecond: true };
const tokens = { prompt: 13, completion: 4, cached: 0, cacheWrite: 0, reasoning: 0, audioPrompt: 13, anomaly: false };
const minute = { bytes: 60 * 48_000, seconds: 60 };

function charged(told: Partial<realtime.Transcribed>, price = plainPrice, heard = minute, factor = 4) {
  const transcript = { kind: 'transcribed', itemId: 'i/0', usage: undefined, seconds: undefined, textBytes: 8, ...told } as const;
  const call = { price, snapshot: { options: { UsagePromptFactor: factor } } } as unknown as Call;
  const usage = usageOfTranscript(transcript, call, heard);
  return { ...usage, cost: costOf(price, usage) };
}

test('at a price per token: what the upstream told, in tokens or by the length of the sound, else the text', () => {
  expect(charged({ usage: tokens })).toMatchObject({ ...tokens, source: 'upstream', cost: 17 });
  expect(charged({ seconds: 30 })).toMatchObject({ prompt: 500, completion: 0, source: 'upstream', cost: 500 });
  expect(charged({})).toMatchObject({ prompt: 0, completion: 2, source: 'estimated', cost: 2 });
  for (const told of [{ usage: tokens }, { seconds: 30 }, {}]) expect(charged(told)).not.toHaveProperty('unitsNano');
});

test('at a price per second: the seconds that were told, else those that were heard; one when nobody knows', () => {
  expect(charged({ seconds: 2.5 }, secondPrice)).toMatchObject({ unitsNano: 2.5e9, source: 'upstream', cost: 1_250 });
  expect(charged({ usage: tokens, seconds: 30 }, secondPrice)).toMatchObject({ prompt: 13, source: 'upstream', cost: 15_000 });
  expect(charged({ usage: tokens }, secondPrice)).toMatchObject({ prompt: 13, source: 'estimated', cost: 30_000 });
  expect(charged({}, secondPrice)).toMatchObject({ source: 'estimated', cost: 30_000 });
  expect(charged({}, secondPrice, { bytes: 0, seconds: 0 }).cost).toBe(500);
});

test('an upstream is believed as for any turn: no 100,000,000 tokens, no day of a minute', () => {
  expect(charged({ usage: { ...tokens, prompt: 1e8, completion: 1e8 } })).toMatchObject({
    ...{ prompt: 5_000_000, completion: 2_100_016 },
    ...{ anomaly: true, source: 'upstream' },
  });
  const heard = { bytes: 2_500, seconds: 1 };
  for (const price of [plainPrice, secondPrice])
    expect(charged({ seconds: 86_400 }, price, heard)).toMatchObject({ anomaly: true, source: 'upstream' });
  expect(charged({ seconds: 86_400 }, secondPrice, heard).cost).toBe(70 * 500);
  expect(charged({ seconds: 86_400 }, plainPrice, heard).cost).toBe(1_167);
  expect(charged({ seconds: 69 }, secondPrice, heard)).toMatchObject({ anomaly: false, cost: 69 * 500 });
  expect(charged({ seconds: 86_400 }, secondPrice, heard, 0)).toMatchObject({ anomaly: false, cost: 86_400 * 500 });
});
