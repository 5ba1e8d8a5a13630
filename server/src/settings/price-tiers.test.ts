import { expect, test } from 'vitest';
import { OptionRefused } from './kinds.ts';
import { priceTiers } from './price-tiers.ts';

test('tiers survive a round trip', () => {
  const text = '{"long":[{"up_to":200000,"ratio":0.625,"completion":8,"cache":0.25},{"ratio":1.25,"completion":6,"cache":0.25}]}';
  expect(priceTiers().write(priceTiers().read(text))).toBe(text);
});

test.each([
  '[]',
  '{"m":{}}',
  '{"m":[]}',
  '{"m":[{"ratio":-1}]}',
  '{"m":[{"ratio":"1"}]}',
  '{"m":[{"up_to":0,"ratio":1}]}',
  '{"m":[{"up_to":1.5,"ratio":1}]}',
  '{"m":[{"ratio":1},{"ratio":2}]}',
  '{"m":[{"up_to":9,"ratio":1},{"up_to":9,"ratio":2}]}',
  '{"m":[{"up_to":9,"ratio":2},{"ratio":1}]}',
  '{"m":[{"up_to":9,"ratio":1,"completion":4},{"ratio":2,"completion":1}]}',
  '{"m":[{"ratio":1,"price":3}]}',
])('refused: %s', (text) => {
  expect(() => priceTiers().read(text)).toThrow(OptionRefused);
});
