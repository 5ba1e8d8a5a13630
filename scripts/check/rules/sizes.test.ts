import { expect, test } from 'vitest';
import { checkSizes, lineCount, questionSizes } from './sizes.ts';

const file = (path: string, lines: number) => ({ path, text: 'x\n'.repeat(lines) });

test('a file above 400 lines is refused unless a reason is listed', () => {
  const files = [file('a.ts', 401), file('b.ts', 400)];
  expect(checkSizes(files, {}, 'list.json').map(({ path }) => path)).toEqual(['a.ts']);
  expect(checkSizes(files, { 'a.ts': 'a table of the contract' }, 'list.json')).toEqual([]);
  expect(checkSizes(files, { 'a.ts': ' ' }, 'list.json').map(({ path }) => path)).toEqual(['a.ts']);
});

test('a reason that is no longer needed is refused', () => {
  expect(checkSizes([file('a.ts', 10)], { 'a.ts': 'was long' }, 'list.json').map(({ path }) => path)).toEqual(['list.json']);
});

test('from 251 lines a file is questioned, not refused', () => {
  const files = [file('a.ts', 250), file('b.ts', 251), file('c.ts', 401)];
  expect(questionSizes(files).map(({ path }) => path)).toEqual(['b.ts']);
});

test('the last newline is not a line', () => {
  expect([lineCount(''), lineCount('a'), lineCount('a\n'), lineCount('a\nb')]).toEqual([0, 1, 1, 2]);
});
