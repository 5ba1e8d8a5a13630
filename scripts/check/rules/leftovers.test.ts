import { expect, test } from 'vitest';
import { checkLeftovers } from './leftovers.ts';

const found = (path: string, text: string): number => checkLeftovers([{ path, text }]).length;

// Put together from pieces, so that this file does not hold what it forbids.
const ignore = '@ts-' + 'ignore';
const skipped = 'test.' + 'skip';

test.each([`// ${'TO' + 'DO'} later`, `// ${ignore}`, `if (import.meta.${'ma' + 'in'}) await run();`])(
  'unfinished work, ways around the types and what older runtimes do not know are refused: %s',
  (line) => {
    expect(found('server/src/a.ts', line)).toBe(1);
  },
);

test('a test that is left out is refused, one that needs a missing engine is not', () => {
  expect(found('server/src/a.test.ts', `${skipped}('x', () => {});`)).toBe(1);
  expect(found('server/src/a.test.ts', "test.skipIf(!hasPostgres)('x', () => {});")).toBe(0);
});

test('a module is not replaced for all that share it', () => {
  expect(found('server/src/a.test.ts', "vi.mock('./b.ts');")).toBe(1);
  expect(found('server/src/a.test.ts', 'const send = vi.fn();')).toBe(0);
});
