import { expect, test } from 'vitest';
import { distinctLosses, lossesHeader } from './losses.ts';

test('each name once, and bounded, whoever chose them', () => {
  expect(distinctLosses(['seed', 'n'], ['seed', 'logprobs'])).toEqual(['seed', 'n', 'logprobs']);
  expect(distinctLosses([], [])).toEqual([]);
  const many = Array.from({ length: 1_000 }, (_, index) => `name ${index}`);
  expect(distinctLosses(many)).toHaveLength(64);
  expect(distinctLosses(['x'.repeat(1_000_000)])).toEqual(['x'.repeat(64)]);
  expect(distinctLosses([`${'x'.repeat(63)}🙂`, '\ud800'])).toEqual([`${'x'.repeat(63)}\ufffd`, '\ufffd']);
});

test('as a header any name can be sent, and two of them are told apart', () => {
  expect(lossesHeader(['seed', 'hosted_tool:web_search', 'a,b', '温度', 'line\nbreak', 'a b'])).toBe(
    'seed,hosted_tool:web_search,a%2Cb,%E6%B8%A9%E5%BA%A6,line%0Abreak,a%20b',
  );
  expect(lossesHeader([])).toBe('');
});

test('a header stays short enough for proxies, and says how many names had no room', () => {
  const long = Array.from({ length: 64 }, (_, index) => `${index}`.padEnd(64, '温'));
  const header = lossesHeader(distinctLosses(long));
  expect(header.length).toBeLessThan(2_100);
  expect(header.split(',')).toEqual([...long.slice(0, 3).map(encodeURIComponent), '+61 more']);
  const usual = Array.from({ length: 64 }, (_, index) => `response_format_${index}`);
  expect(lossesHeader(usual).split(',')).toEqual(usual);
});
