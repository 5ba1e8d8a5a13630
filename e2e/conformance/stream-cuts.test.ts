import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTokenizer, type Tokenizer } from '../../server/test/token-count.ts';
import { type Asked, ask, pairs } from './streams/ask.ts';
import { aroundUsage, bytesOf, split } from './streams/damage.ts';
import { type RawAnswer, type RawUpstream, startRawUpstream } from './streams/raw-upstream.ts';
import { type Column, costOf, type Front, modelOf, numberedChannels, startFront } from './world.ts';

/** F-14: whatever cuts an answer, what is charged is within this of what was delivered. */
const tolerance = 0.05;
const modelsPerChannel = 40;
/** More than is kept for counting (256 KiB). */
const longChars = 420_000;

const paragraph = [
  'The quick brown fox jumps over the lazy dog; nobody minds, and the day goes on as if nothing had happened.',
  '\u4eca\u5929\u7684\u5929\u6c14\u5f88\u597d\uff0c\u6211\u4eec\u4e00\u8d77\u53bb\u516c\u56ed\u8d70\u8d70\u5427\u3002',
  'const total = rows.map(({ quota }) => quota).reduce((sum, next) => sum + next, 0); // "quoted", \\ and \ttabs',
  'Grüße aus Köln – ça va bien ? \ud83d\ude80\ud83c\udf89 1,234.56 € (2026-11-20)',
].join('\n');
const text = Array.from({ length: 12 }, (_, k) => `${k}. ${paragraph}`).join('\n\n');
const longText = Array.from({ length: Math.ceil(longChars / paragraph.length) }, (_, k) => `${k}. ${paragraph}`).join('\n\n');

let upstream: RawUpstream;
let front: Front;
let tokenizer: Tokenizer;
let next = 0;

beforeAll(async () => {
  tokenizer = createTokenizer();
  upstream = await startRawUpstream();
  front = await startFront(upstream.url, numberedChannels(modelsPerChannel));
});
afterAll(async () => {
  await front.stop();
  await upstream.close();
  await tokenizer.close();
});

/** Most of an answer, as bytes, and the rest. */
function parted(column: Column, share = 0.6): { begun: Buffer; rest: Buffer } {
  const { head, words, tail } = split(column, text);
  const at = Math.floor(words.length * share);
  return { begun: bytesOf([...head, ...words.slice(0, at)]), rest: bytesOf([...words.slice(at), ...tail]) };
}

interface Cut {
  readonly name: string;
  answer(column: Column): RawAnswer;
}

const insideOfACharacter = (bytes: Buffer) => bytes.findIndex((byte) => byte >= 0xf0) + 2;

const cuts: readonly Cut[] = [
  { name: 'the connection is closed', answer: (column) => ({ writes: [parted(column).begun], end: 'fin' }) },
  { name: 'the connection is reset', answer: (column) => ({ writes: [parted(column).begun], end: 'rst' }) },
  { name: 'the body ends as if it were whole', answer: (column) => ({ writes: [parted(column).begun] }) },
  {
    name: 'inside of a character',
    answer(column) {
      const { begun, rest } = parted(column);
      return { writes: [begun, rest.subarray(0, insideOfACharacter(rest))], end: 'fin' };
    },
  },
  {
    name: 'inside of an event',
    answer(column) {
      const { begun, rest } = parted(column);
      return { writes: [begun, rest.subarray(0, rest.indexOf('\n\n') - 4)], end: 'fin' };
    },
  },
  {
    name: 'between the words and the figures',
    answer: (column) => ({ writes: [bytesOf(aroundUsage(column, text).before)], end: 'fin' }),
  },
  { name: 'within the first words', answer: (column) => ({ writes: [parted(column, 0.01).begun], end: 'fin' }) },
];

async function cutCall(caller: Column, column: Column, answer: RawAnswer): Promise<Asked> {
  upstream.answer(answer);
  return ask(front, caller, `${modelOf(column)}-${next++ % modelsPerChannel}`);
}

/** The row tells what reached the caller, counted by the product's own tables, and its charge is the price of that. */
async function assertDelivered(got: Asked): Promise<void> {
  const [row] = got.rows;
  if (row === undefined) throw new Error('nothing was charged');
  expect(got.isWhole).toBe(false);
  expect(row.other).toMatchObject({ cut: true });
  const { counts } = await tokenizer.count('gpt-4o', [got.text]);
  const delivered = counts[0] ?? 0;
  expect(delivered).toBeGreaterThan(0);
  expect(Math.abs(row.completion - delivered), `${row.completion} instead of ${delivered}`).toBeLessThanOrEqual(
    delivered * tolerance,
  );
  const cached = Number(row.other.cache_tokens ?? 0);
  const told = { prompt: row.prompt, cached, write5m: 0, write1h: 0, completion: row.completion, reasoning: 0 };
  expect(row.quota).toBe(costOf(told));
  expect(got.charged).toBe(row.quota);
}

describe.each(pairs)(
  'a caller of %s, an upstream of %s: an answer that is cut is charged for what was delivered',
  (caller, column) => {
    test.each(cuts)('$name', async ({ answer }) => {
      const got = await cutCall(caller, column, answer(column));
      expect(text.startsWith(got.text)).toBe(true);
      await assertDelivered(got);
    });
  },
);

describe.each(pairs.slice(0, 4))('a caller of %s, an upstream of %s', (caller, column) => {
  test('what is longer than is kept for counting is charged as dense as what is kept', async () => {
    const { before } = aroundUsage(column, longText);
    const got = await cutCall(caller, column, { writes: [bytesOf(before)], end: 'fin' });
    expect(got.text).toHaveLength(longText.length);
    expect(got.rows[0]?.other).toMatchObject({ usage_source: 'estimated' });
    await assertDelivered(got);
  });
});
