import { expect, test } from 'vitest';
import { createTokenizer } from './tokenizer.ts';

test('text is counted by the table of its model family, control tokens as plain text', async () => {
  const tokenizer = createTokenizer();
  expect(await tokenizer.count('gpt-4o', ['hello world', '', '<|endoftext|>'])).toEqual({ counts: [2, 0, 7], counted: true });
  expect((await tokenizer.count('gpt-4', ['hello world'])).counts).toEqual([2]);
  await tokenizer.close();
});

test('text without a space, or of nothing but spaces, is counted in no time, and about as it is', async () => {
  const tokenizer = createTokenizer();
  const chars = 256 * 1024;
  for (const text of ['a'.repeat(chars), ' '.repeat(chars), '\u5929\u6c14'.repeat(chars / 4)]) {
    const { counts, counted } = await tokenizer.count('gpt-4o', [text]);
    expect(counted).toBe(true);
    const [few] = (await tokenizer.count('gpt-4o', [text.slice(0, 512)])).counts;
    expect(counts[0]).toBe((few ?? 0) * (text.length / 512));
  }
  await tokenizer.close();
});
