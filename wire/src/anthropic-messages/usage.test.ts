import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readUsage as readInclusive } from '../openai-chat/usage.ts';
import { buildUsage, mergeUsage, readFigure } from '../usage.ts';
import { absorbUsage, readUsage, writeUsage } from './usage.ts';

const plain = { prompt: 10, completion: 5, cached: 0, cacheWrite: 0, reasoning: 0, anomaly: false };

describe('the prompt is everything that was read, whatever the convention', () => {
  test('here the input excludes what the cache gave and took', () => {
    const raw = {
      input_tokens: 4,
      cache_read_input_tokens: 1000,
      cache_creation_input_tokens: 300,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 20 },
    };
    const expected = {
      prompt: 1304,
      completion: 50,
      cached: 1000,
      cacheWrite: 300,
      cacheWrite1h: 200,
      reasoning: 20,
      anomaly: false,
    };
    expect(readUsage(raw)).toEqual(expected);
    expect(writeUsage(expected)).toEqual(raw);
  });

  test('elsewhere it includes it: the same call, the same figures', () => {
    const inclusive = readInclusive({
      prompt_tokens: 1304,
      completion_tokens: 50,
      prompt_tokens_details: { cached_tokens: 1000, cache_write_tokens: 300 },
      completion_tokens_details: { reasoning_tokens: 20 },
    });
    expect(inclusive).toEqual({ prompt: 1304, completion: 50, cached: 1000, cacheWrite: 300, reasoning: 20, anomaly: false });
    expect(inclusive && writeUsage(inclusive)).toMatchObject({
      input_tokens: 4,
      cache_read_input_tokens: 1000,
      cache_creation_input_tokens: 300,
      cache_creation: { ephemeral_5m_input_tokens: 300, ephemeral_1h_input_tokens: 0 },
    });
  });
});

describe('readUsage', () => {
  test.each([
    [{ input_tokens: 10, output_tokens: 5 }, {}],
    [{ input_tokens: 10, output_tokens: 5, cache_read_input_tokens: null, cache_creation: null }, {}],
    [{ input_tokens: 4, cache_read_input_tokens: 6, output_tokens: 5 }, { cached: 6 }],
    [{ input_tokens: 0, cache_read_input_tokens: 10, output_tokens: 5 }, { cached: 10 }],
    [{ input_tokens: 4, cache_creation_input_tokens: 6, output_tokens: 5 }, { cacheWrite: 6 }],
    [
      { input_tokens: 4, cache_creation: { ephemeral_1h_input_tokens: 6 }, output_tokens: 5 },
      { cacheWrite: 6, cacheWrite1h: 6 },
    ],
  ])('normalises %j', (raw, expected) => {
    expect(readUsage(raw)).toEqual({ ...plain, ...expected });
  });

  test.each([undefined, null, 5, [], {}, { input_tokens: 0, output_tokens: 0 }])('%j says nothing', (raw) => {
    expect(readUsage(raw)).toBeUndefined();
  });

  test('more kept for an hour than written is clamped', () => {
    const raw = {
      input_tokens: 5,
      cache_creation_input_tokens: 5,
      cache_creation: { ephemeral_1h_input_tokens: 9 },
      output_tokens: 1,
    };
    expect(readUsage(raw)).toMatchObject({ prompt: 10, cacheWrite: 5, cacheWrite1h: 5 });
  });

  describe('what was sampled beside the answer', () => {
    const answer = { type: 'message', input_tokens: 23_000, output_tokens: 1_000 };
    const summary = { type: 'compaction', input_tokens: 20_000, cache_read_input_tokens: 160_000, output_tokens: 3_500 };
    const told = { input_tokens: 23_000, output_tokens: 1_000 };
    const plain = { cached: 0, cacheWrite: 0, reasoning: 0, anomaly: false };

    test('a summary and advice are added: the figures at the top leave them out', () => {
      const advice = {
        type: 'advisor_message',
        model: 'b',
        input_tokens: 800,
        cache_creation_input_tokens: 23,
        output_tokens: 1_600,
      };
      expect(readUsage({ ...told, iterations: [summary, answer, advice] })).toEqual({
        ...plain,
        prompt: 203_823,
        completion: 6_100,
        cached: 160_000,
        cacheWrite: 23,
      });
    });

    test.each([
      ['the answer alone', [answer]],
      ['nothing', []],
      [
        'an attempt of another model that declined',
        [
          { ...answer, model: 'b' },
          { ...answer, type: 'fallback_message' },
        ],
      ],
    ])('the figures at the top hold beside %s', (_, iterations) => {
      expect(readUsage({ ...told, iterations })).toEqual({ ...plain, prompt: 23_000, completion: 1_000 });
    });

    test('figures at the top that hold all of them are not added to', () => {
      const whole = { input_tokens: 43_000, cache_read_input_tokens: 160_000, output_tokens: 4_500 };
      expect(readUsage({ ...whole, iterations: [summary, answer] })).toMatchObject({ prompt: 203_000, completion: 4_500 });
    });

    test('a stream tells of it at its end', () => {
      const known = { ...told, output_tokens: 1 };
      absorbUsage(known, { output_tokens: 1_000, iterations: [summary, answer] });
      expect(readUsage(known)).toMatchObject({ prompt: 203_000, completion: 4_500, cached: 160_000 });
    });
  });

  test('any JSON gives safe figures or none', () => {
    const figure = fc.oneof(fc.double(), fc.integer(), fc.jsonValue());
    const raw = fc.record({
      input_tokens: figure,
      output_tokens: figure,
      cache_read_input_tokens: figure,
      cache_creation_input_tokens: figure,
      cache_creation: fc.oneof(
        fc.record({ ephemeral_5m_input_tokens: figure, ephemeral_1h_input_tokens: figure }),
        fc.jsonValue(),
      ),
      output_tokens_details: fc.oneof(fc.record({ thinking_tokens: figure }), fc.jsonValue()),
      iterations: fc.array(
        fc.record({ type: fc.constantFrom('message', 'compaction'), input_tokens: figure, output_tokens: figure }),
        { maxLength: 3 },
      ),
    });
    fc.assert(
      fc.property(raw, (value) => {
        const usage = readUsage(value);
        if (usage === undefined) return;
        const { prompt, completion, cached, cacheWrite, cacheWrite1h = 0, reasoning } = usage;
        for (const part of [prompt, completion, cached, cacheWrite, cacheWrite1h, reasoning]) {
          expect(Number.isSafeInteger(part) && part >= 0 && part <= 100_000_000).toBe(true);
        }
        expect(cached + cacheWrite).toBeLessThanOrEqual(prompt);
        expect(cacheWrite1h).toBeLessThanOrEqual(cacheWrite);
        expect(reasoning).toBeLessThanOrEqual(completion);
        expect(writeUsage(usage).input_tokens).toBe(prompt - cached - cacheWrite);
      }),
    );
  });
});

describe('absorbUsage', () => {
  const start = { input_tokens: 25, cache_read_input_tokens: 100, output_tokens: 1 };

  test.each([
    ['the output alone', { output_tokens: 9 }, { ...start, output_tokens: 9 }],
    ['null where nothing is said', { input_tokens: null, output_tokens: 9 }, { ...start, output_tokens: 9 }],
    [
      'zeros beside the output',
      { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 9 },
      { ...start, output_tokens: 9 },
    ],
    [
      'a smaller prompt',
      { input_tokens: 20, output_tokens: 9 },
      { input_tokens: 20, cache_read_input_tokens: 100, output_tokens: 9 },
    ],
    [
      'a prompt that was all cached',
      { input_tokens: 0, cache_read_input_tokens: 125, output_tokens: 9 },
      { input_tokens: 0, cache_read_input_tokens: 125, output_tokens: 9 },
    ],
  ])('later figures hold: %s', (_, after, expected) => {
    const known = { ...start };
    absorbUsage(known, after);
    expect(known).toEqual(expected);
  });
});

test('what is kept for an hour outlives the joining of two records', () => {
  const figures = (prompt: number, hour: number) => ({
    prompt: readFigure(prompt),
    completion: readFigure(5),
    cached: readFigure(0),
    cacheWrite: readFigure(prompt),
    cacheWrite1h: readFigure(hour),
    reasoning: readFigure(0),
  });
  const [large, small] = [buildUsage(figures(10, 8)), buildUsage(figures(6, 6))];
  if (large === undefined || small === undefined) throw new Error('no usage');
  expect(mergeUsage(small, large)).toEqual(large);
  expect(mergeUsage(large, small)).toMatchObject({ prompt: 10, cacheWrite: 6, cacheWrite1h: 6, anomaly: true });
});
