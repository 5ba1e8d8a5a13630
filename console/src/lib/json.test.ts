import { expect, it } from 'vitest';
import { formatJson, parseRecord } from './json.ts';

it('puts a JSON text in order, or on one line, and leaves alone what is none', () => {
  expect(formatJson('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  expect(formatJson(' { "a" : null } ', 0)).toBe('{"a":null}');
  expect(['null', '{"a":', ''].map((text) => formatJson(text))).toEqual(['null', '{"a":', '']);
});

it('takes for an object only what is one', () => {
  expect(['{"a":1}', '[1]', 'null', '{'].map(parseRecord)).toEqual([{ a: 1 }, {}, {}, {}]);
});
