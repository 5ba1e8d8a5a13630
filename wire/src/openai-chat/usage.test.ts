import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { capUsage, mergeUsage } from '../usage.ts';
import { readUsage, usageOf } from './usage.ts';

const plain = { prompt: 10, completion: 5, cached: 0, cacheWrite: 0, reasoning: 0, anomaly: false };
const read = (raw: object) => readUsage({ prompt_tokens: 10, completion_tokens: 5, ...raw });

describe('readUsage', () => {
  test.each([
    [{}, {}],
    [{ prompt_tokens_details: { cached_tokens: 4 } }, { cached: 4 }],
    [{ prompt_tokens_details: null, cached_tokens: 4 }, { cached: 4 }],
    [{ prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 6 }, { cached: 4 }],
    [{ prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 } }, { cached: 4, cacheWrite: 3 }],
    [{ prompt_tokens_details: { cached_tokens: 0, cache_creation_input_tokens: 7, cache_type: 'ephemeral' } }, { cacheWrite: 7 }],
    [
      { input_tokens_details: { cache_write_tokens: 7, cache_write_tokens_details: { ttl_12h_tokens: 4, ttl_30m_tokens: 3 } } },
      { cacheWrite: 7, cacheWrite1h: 4 },
    ],
    [
      { prompt_tokens_details: { cached_tokens: 2 }, cache_creation_input_tokens: 7 },
      { cached: 2, cacheWrite: 7 },
    ],
    [{ prompt_tokens: undefined, input_tokens: 10, cache_creation_input_tokens: 70 }, {}],
    [{ completion_tokens_details: { reasoning_tokens: 2 } }, { reasoning: 2 }],
    [{ total_tokens: 15, completion_tokens_details: { reasoning_tokens: 2 } }, { reasoning: 2 }],
    [{ prompt_tokens: undefined, completion_tokens: undefined, input_tokens: 10, output_tokens: 5 }, {}],
    [{ prompt_tokens: null, total_tokens: 15 }, {}],
  ])('normalises %j', (raw, expected) => {
    expect(read(raw)).toEqual({ ...plain, ...expected });
  });

  test('reasoning that is counted beside the completion is added, as the total shows', () => {
    const raw = { total_tokens: 35, completion_tokens_details: { reasoning_tokens: 20 } };
    expect(read(raw)).toEqual({ ...plain, completion: 25, reasoning: 20 });
  });

  test.each([
    [{ prompt_tokens: -1 }, { prompt: 0 }],
    [{ prompt_tokens: 1e15 }, { prompt: 100_000_000 }],
    [{ completion_tokens: 4.2 }, { completion: 5 }],
    [{ completion_tokens: 'many' }, { completion: 0 }],
    [{ prompt_tokens_details: { cached_tokens: 11 } }, { cached: 10 }],
    [{ prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 8 } }, { cached: 8, cacheWrite: 2 }],
    [{ completion_tokens_details: { reasoning_tokens: 6 } }, { reasoning: 5 }],
    [{ prompt_tokens: 0 }, { prompt: 0 }],
  ])('clamps and flags %j', (raw, expected) => {
    expect(read(raw)).toEqual({ ...plain, ...expected, anomaly: true });
  });

  test.each([undefined, null, 5, [], {}, { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, { prompt_tokens: 'x' }])(
    '%j says nothing',
    (raw) => {
      expect(readUsage(raw)).toBeUndefined();
    },
  );

  test('any JSON gives safe figures or none', () => {
    const figure = fc.oneof(fc.double(), fc.integer(), fc.jsonValue());
    const raw = fc.record({
      prompt_tokens: figure,
      completion_tokens: figure,
      total_tokens: figure,
      prompt_tokens_details: fc.oneof(fc.record({ cached_tokens: figure, cache_write_tokens: figure }), fc.jsonValue()),
      completion_tokens_details: fc.oneof(fc.record({ reasoning_tokens: figure }), fc.jsonValue()),
    });
    fc.assert(
      fc.property(raw, (value) => {
        const usage = readUsage(value);
        if (usage === undefined) return;
        const { prompt, completion, cached, cacheWrite, reasoning } = usage;
        for (const part of [prompt, completion, cached, cacheWrite, reasoning]) {
          expect(Number.isSafeInteger(part) && part >= 0 && part <= 200_000_000).toBe(true);
        }
        expect(cached + cacheWrite).toBeLessThanOrEqual(prompt);
        expect(reasoning).toBeLessThanOrEqual(completion);
      }),
    );
  });
});

test('the usage of a choice is found when the answer has none of its own', () => {
  expect(usageOf({ choices: [{ usage: { prompt_tokens: 10, completion_tokens: 5 } }] })).toEqual(plain);
  expect(usageOf({ usage: { prompt_tokens: 1, completion_tokens: 1 }, choices: [{ usage: { prompt_tokens: 9 } }] })?.prompt).toBe(
    1,
  );
});

test('a completion far above the cap is clamped and flagged', () => {
  expect(capUsage({ ...plain, completion: 121 }, 100)).toEqual({ ...plain, completion: 121 });
  expect(capUsage({ ...plain, completion: 122, reasoning: 122 }, 100)).toEqual({
    ...plain,
    completion: 121,
    reasoning: 121,
    anomaly: true,
  });
  expect(capUsage({ ...plain, completion: 1e8 }, undefined).completion).toBe(1e8);
});

test('of two records the later one holds; one that shrinks is flagged and takes nothing away', () => {
  expect(mergeUsage(undefined, plain)).toBe(plain);
  expect(mergeUsage(plain, { ...plain, completion: 9 })).toEqual({ ...plain, completion: 9 });
  expect(mergeUsage(plain, { ...plain, completion: 2 })).toEqual({ ...plain, anomaly: true });
  expect(mergeUsage({ ...plain, anomaly: true }, { ...plain, completion: 9 }).anomaly).toBe(true);
});
