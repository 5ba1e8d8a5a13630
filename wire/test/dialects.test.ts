import { expect, test } from 'vitest';
import { clientDialects, upstreamDialect } from '../src/index.ts';
import { fixtureFolders, namesOf } from './fixtures.ts';

test('every fixture folder belongs to a dialect', () => {
  expect(fixtureFolders().filter((folder) => upstreamDialect(folder) === undefined)).toEqual([]);
});

test.each(clientDialects.map(({ name }) => name))('%s has fixtures', (name) => {
  expect(namesOf(name).size).toBeGreaterThanOrEqual(name === 'openai-completions' ? 5 : 25);
});
