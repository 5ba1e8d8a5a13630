import { expect, test } from 'vitest';
import { askedIds } from './asked-ids.ts';

test('names are texts or numbers, each once; what is neither is no name, and breaks nothing', () => {
  expect(askedIds(['a', 5, 'a', '5'])).toEqual(['a', '5']);
  expect(askedIds([{ toString: 1 }, [], null, 'a']).filter((id) => id !== '')).toEqual(['a']);
  expect(askedIds('a')).toEqual([]);
  expect(() => askedIds(Array.from({ length: 1_001 }, (_, id) => id))).toThrow('at most 1000');
});
