import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonRefused, parseStrictJson } from './strict-json.ts';

test('reads what JSON.parse reads', () => {
  const plain = fc
    .jsonValue({ depthSize: 'medium' })
    .filter((value) => !/"(__proto__|constructor|prototype)":|\\u0000/.test(JSON.stringify(value)));
  fc.assert(
    fc.property(plain, fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      expect(parseStrictJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test.each([
  ['duplicate keys', '{"a":1,"a":2}'],
  ['duplicate keys in two spellings', '{"a":1,"\\u0061":2}'],
  ['duplicate keys further down', '[{"b":{"a":1,"c":[{}],"a":2}}]'],
  ['prototype keys', '{"__proto__":1}'],
  ['prototype keys in another spelling', '{"a":{"\\u005f_proto__":1}}'],
  ['constructor', '{"constructor":{}}'],
  ['NUL characters', '{"a":"x\\u0000"}'],
  ['too many levels', `${'['.repeat(65)}${']'.repeat(65)}`],
  ['too many keys', `{${Array.from({ length: 10_001 }, (_, index) => `"k${index}":1`).join(',')}}`],
  ['half a document', '{"a":'],
  ['nothing', ''],
])('refuses %s', (_what, text) => {
  expect(() => parseStrictJson(text)).toThrow(JsonRefused);
});

test.each([
  ['the same key in sibling objects', '[{"a":1},{"a":1}]'],
  ['braces, quotes and commas inside strings', '{"a":"{\\"a\\":1,\\"a\\":2}","b":"\\\\"}'],
  ['a value that is spelled like a key', '{"a":"__proto__","b":["a","a"]}'],
  ['sixty-four levels', `${'['.repeat(64)}${']'.repeat(64)}`],
])('accepts %s', (_what, text) => {
  expect(parseStrictJson(text)).toEqual(JSON.parse(text));
});
