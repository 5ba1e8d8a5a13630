import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chat, clientDialects } from './index.ts';
import { asCount, asObject, parseJson, parseObject } from './json.ts';

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
/** An answer in each dialect. */
const anyAnswer = { choices: [], candidates: [{}], content: [], output: [], type: 'message' };
const answerContext = { id: 'x', model: 'm', created: 1, wantsUsage: true, promptEstimate: 1 };

describe('an object is parsed', () => {
  test('up to a depth that nothing runs out of stack on', () => {
    expect(parseObject(`{"a":${deep(1999)}}`)).toBeDefined();
    expect(parseObject(`{"a":${deep(2000)}}`)).toBeUndefined();
    expect(parseObject(`{"a":${deep(1_000_000)}}`)).toBeUndefined();
  });

  test('and so is JSON of any kind', () => {
    expect(parseJson('[1]')).toEqual([1]);
    expect(parseJson(deep(2000))).toBeDefined();
    expect(parseJson(deep(2001))).toBeUndefined();
    expect(parseJson('[1')).toBeUndefined();
  });

  test('with a byte order mark before it, as some servers write it', () => {
    expect(parseJson('\ufeff[1]')).toEqual([1]);
    expect(parseJson('\ufeff\ufeff[1]')).toBeUndefined();
    for (const { name, readResponse, readError } of clientDialects) {
      const told = readError(500, Buffer.from('\ufeff{"error":{"message":"no"}}'));
      expect([name, told.message]).toEqual([name, 'no']);
      expect([name, readResponse(Buffer.from(`\ufeff${JSON.stringify(anyAnswer)}`)).kind]).toEqual([name, 'answer']);
    }
  });

  test('up to as many objects and lists as memory is there for', () => {
    const items = (count: number) => `{"a":[${'{},'.repeat(count - 1)}{}]}`;
    expect(parseObject(items(499_998))).toBeDefined();
    expect(parseObject(items(499_999))).toBeUndefined();
  });

  test('whatever brackets, quotes and backslashes its texts hold', () => {
    const piece = fc.constantFrom('[', '{', '"', '\\', 'a', ']', '\\\\"', '[[[[');
    const text = fc.array(piece, { minLength: 2100, maxLength: 2600 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), text, { minKeys: 2 }), (value) => {
        expect(parseObject(JSON.stringify(value))).toEqual(asObject(JSON.parse(JSON.stringify(value))));
      }),
      { numRuns: 20 },
    );
  });
});

const hostile = (levels: number): Record<string, string> => ({
  'openai-chat': `{"choices":[{"index":0,"delta":{"content":"a","annotations":[{"x":${deep(levels)}}]}}]}`,
  'openai-responses': `{"type":"response.output_item.done","output_index":0,"item":{"type":"x","y":${deep(levels)}}}`,
  'anthropic-messages': `{"type":"content_block_start","index":0,"content_block":{"type":"x","y":${deep(levels)}}}`,
  'gemini-generate': `{"candidates":[{"content":{"parts":[{"x":${deep(levels)}}]}}]}`,
});

describe.each(clientDialects)('$name', (from) => {
  test('an upstream that nests without end neither throws nor stalls', () => {
    const frame = Buffer.from(`data: ${hostile(100_000)[from.name] ?? '{}'}\n\n`);
    for (const to of clientDialects) {
      const tap = chat.createCrossingTap(from.createDecoder(), to.createEncoder(answerContext), { swallowUsage: false });
      for (let times = 0; times < 5; times += 1) tap.push(frame);
      expect(tap.end().complete).toBe(false);
    }
  });
});

test('a count is a whole number from 0 that JSON can say again', () => {
  expect(asCount(parseJson('7'))).toBe(7);
  expect(asCount(7, 7)).toBe(7);
  for (const text of ['1e999', '-1e999', '-1', '0.5', '"7"', 'null', '9007199254740993'])
    expect(asCount(parseJson(text)), text).toBeUndefined();
  expect(asCount(8, 7)).toBeUndefined();
});
