import { expect, test } from 'vitest';
import { createTokenizer } from './tokenizer.ts';

test('text is counted by the table of its model family, control tokens as plain text', async () => {
  const tokenizer = createTokenizer();
  expect(await tokenizer.count('gpt-4o', ['hello world', '', '<|endoftext|>'])).toEqual({ counts: [2, 0, 7], counted: true });
  expect((await tokenizer.count('gpt-4', ['hello world'])).counts).toEqual([2]);
  await tokenizer.close();
});
