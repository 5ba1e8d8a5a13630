import { scanObject } from '@tollgate/wire';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { elementsOf } from './json-elements.ts';

function elements(body: string): string[] {
  const bytes = Buffer.from(body);
  const result = scanObject(bytes);
  if (!result.ok) throw new Error(result.reason);
  return elementsOf(
    bytes,
    result.scan.members.find(({ key }) => key === 'a'),
  );
}

test('the elements of any array come out one by one, however it is spaced', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 1, '\t'), (values, space) => {
      const found = elements(JSON.stringify({ b: [1], a: values, c: '],"' }, null, space));
      expect(found.map((raw) => JSON.parse(raw) as unknown)).toEqual(JSON.parse(JSON.stringify(values)));
    }),
  );
});

test('an element keeps its spelling', () => {
  expect(elements('{"a":[ 1.50 , "\\u00fc, \\\\" ,{ "b" :[ ] }]}')).toEqual(['1.50', '"\\u00fc, \\\\"', '{ "b" :[ ] }']);
});

test('what is no array has none', () => {
  expect([elements('{"a":"[1]"}'), elements('{"a":[ ]}'), elements('{}')]).toEqual([[], [], []]);
});
