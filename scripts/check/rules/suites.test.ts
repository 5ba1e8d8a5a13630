import { expect, test } from 'vitest';
import { checkSuites } from './suites.ts';

test('a workspace whose tests no suite would run is refused', () => {
  expect(
    checkSuites(['wire/src/a.test.ts', 'console/src/b.test.tsx', 'console/vitest.config.ts']).map(({ path }) => path),
  ).toEqual(['wire']);
});
