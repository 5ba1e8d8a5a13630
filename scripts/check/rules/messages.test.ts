import { expect, test } from 'vitest';
import { checkErrorTexts, checkMessages } from './messages.ts';

const findings = (zh: Record<string, unknown>, en: Record<string, unknown>): string[] =>
  checkMessages((language) => `${language}.json`, zh, en).map(({ path, message }) => `${path} ${message}`);

test('a key without English or without Chinese is refused', () => {
  expect(findings({ a: '甲', b: '乙' }, { a: 'A', c: 'C' })).toEqual([
    'en.json "b" has no English text',
    'zh.json "c" has no Chinese text',
  ]);
});

test('an empty text is a missing text', () => {
  expect(findings({ a: '甲' }, { a: ' ' })).toEqual(['en.json "a" has no English text']);
});

test('parameters are the same in both languages, in any order', () => {
  expect(findings({ a: '{count} 个 {name}' }, { a: '{name}: {count}' })).toEqual([]);
  expect(findings({ a: '{count} 个' }, { a: 'some' })).toEqual(['en.json "a" uses no parameters, the Chinese text {count}']);
});

test('an error of the contract needs both texts', () => {
  expect(checkErrorTexts('errors.ts', { gone: { zh: '没有', en: 'Gone' } })).toEqual([]);
  expect(checkErrorTexts('errors.ts', { gone: { zh: '没有' } }).map(({ message }) => message)).toEqual([
    '"gone" has no English text',
  ]);
});
