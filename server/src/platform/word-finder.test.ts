import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createWordFinder } from './word-finder.ts';

test.each([
  ['bad', 'a BAD day', true],
  ['bad', 'b-a-d', false],
  ['she\nhe\nhers', 'ushers', true],
  ['敏感', '这是敏感词', true],
  ['敏感', '敏 感', false],
  ['a\r\n\r\n  b  ', 'xxbxx', true],
])('%j in %j: %s', (words, text, expected) => {
  expect(createWordFinder(words)?.finds(Buffer.from(text))).toBe(expected);
});

test('no word, no finder', () => {
  expect(createWordFinder(' \n\n')).toBeUndefined();
});

test('finds what a search for each word finds', () => {
  const letters = fc.stringMatching(/^[abAB敏感é]{0,6}$/);
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 8 }), fc.stringMatching(/^[abAB敏感é ]{0,40}$/), (words, text) => {
      const naive = words.some((word) => word !== '' && text.toLowerCase().includes(word.toLowerCase()));
      const found = createWordFinder(words.join('\n'))?.finds(Buffer.from(text.toLowerCase())) ?? false;
      expect(found).toBe(naive);
    }),
    { numRuns: 500 },
  );
});

test('texts full of what is rare elsewhere, and long lists of words, are read all the same', () => {
  const many = Array.from({ length: 40 }, (_, index) => `word_${index}x`).join('\n');
  for (const words of ['zz_q', many, 'Q_Z\nother']) {
    const finder = createWordFinder(words);
    const noise = '_zq_'.repeat(3000);
    expect(finder?.finds(Buffer.from(noise))).toBe(false);
    const word = words.split('\n')[0] ?? '';
    for (const text of [`${noise}${word}`, `${word.toUpperCase()}${noise}`, word])
      expect(finder?.finds(Buffer.from(text))).toBe(true);
  }
});
