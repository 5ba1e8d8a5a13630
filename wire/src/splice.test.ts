import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scanObject } from './json-scan.ts';
import { splice } from './splice.ts';

function apply(text: string, edits: Record<string, string | null>): string {
  const body = Buffer.from(text);
  const result = scanObject(body);
  if (!result.ok) throw new Error(result.reason);
  return splice(body, result.scan, new Map(Object.entries(edits))).toString();
}

test('the parsed result is the edited object, with untouched members byte for byte and in order', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const edits = fc.dictionary(key, fc.option(fc.jsonValue(), { nil: undefined }));
  fc.assert(
    fc.property(fc.dictionary(key, fc.jsonValue()), edits, fc.constantFrom(0, 2), (object, changes, indent) => {
      const text = JSON.stringify(object, null, indent);
      const raw = Object.fromEntries(Object.entries(changes).map(([k, v]) => [k, v === undefined ? null : JSON.stringify(v)]));
      const expected: Record<string, unknown> = JSON.parse(text);
      for (const [k, v] of Object.entries(raw)) {
        if (v === null) delete expected[k];
        else expected[k] = JSON.parse(v);
      }
      const result = apply(text, raw);
      expect(JSON.parse(result)).toEqual(expected);
      expect(Object.keys(JSON.parse(result))).toEqual(Object.keys(expected));
      const { members } = scanOf(text);
      for (const m of members) if (!(m.key in raw)) expect(result).toContain(slice(text, m.keyStart, m.valueEnd));
    }),
    { numRuns: 2000 },
  );
});

function scanOf(text: string) {
  const result = scanObject(Buffer.from(text));
  if (!result.ok) throw new Error(result.reason);
  return result.scan;
}

function slice(text: string, from: number, to: number): string {
  return Buffer.from(text).toString('utf8', from, to);
}

test('without an effective edit the original Buffer comes back', () => {
  const body = Buffer.from('{"a":1}');
  const result = scanObject(body);
  if (!result.ok) throw new Error(result.reason);
  expect(splice(body, result.scan, new Map())).toBe(body);
  expect(splice(body, result.scan, new Map([['b', null]]))).toBe(body);
});

test('odd spacing, numbers and escapes outside the edit survive', () => {
  const text = '{ "big" : 12345678901234567890.10 , "model":"a" ,"s":"\\u4e16\\/" }\n';
  expect(apply(text, { model: '"b"' })).toBe('{ "big" : 12345678901234567890.10 , "model":"b" ,"s":"\\u4e16\\/" }\n');
  expect(apply(text, { model: null, x: '1' })).toBe('{ "big" : 12345678901234567890.10 ,"s":"\\u4e16\\/","x":1 }\n');
});

test.each([
  ['{}', { a: '1' }, '{"a":1}'],
  ['{"a":1}', { a: null }, '{}'],
  ['{"a":1}', { a: null, b: '2' }, '{"b":2}'],
  ['{"a":1,"b":2,"c":3}', { a: null, b: null }, '{"c":3}'],
  ['{"a":1,"b":2,"c":3}', { b: null, c: null, d: '4' }, '{"a":1,"d":4}'],
  ['{"a":1,"b":2,"c":3}', { a: null, c: null }, '{"b":2}'],
])('commas stay right: %s', (text, edits, expected) => {
  expect(apply(text, edits as Record<string, string | null>)).toBe(expected);
});
