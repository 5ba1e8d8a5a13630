import { expect, it } from 'vitest';
import { fuzzyFilter, fuzzyRank } from './fuzzy.ts';

it('finds names by pieces, whatever joins their words', () => {
  expect(fuzzyRank('4o mini', 'gpt-4o-mini')).toBe(1);
  expect(fuzzyRank('GPT4O', 'gpt-4o-mini')).toBe(0);
  expect(fuzzyRank('gtmini', 'gpt-4o-mini')).toBeGreaterThan(1);
  expect(fuzzyRank('opus', 'gpt-4o-mini')).toBeUndefined();
  expect(fuzzyRank('inim', 'gpt-4o-mini')).toBeUndefined();
});

it('puts the best fit first and keeps everything without a query', () => {
  const names = ['gpt-4o-mini', 'o1', 'gpt-4-turbo-o1', 'claude-3-opus'];
  expect(fuzzyFilter(names, 'o1', String)).toEqual(['o1', 'gpt-4-turbo-o1']);
  expect(fuzzyFilter(names, ' - ', String)).toEqual(names);
});
