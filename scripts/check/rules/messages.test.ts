import { expect, test } from 'vitest';
import { checkErrorTexts } from './messages.ts';

const findings = (errors: Parameters<typeof checkErrorTexts>[1]): string[] =>
  checkErrorTexts('errors.ts', errors).map(({ message }) => message);

test('an error without English or without Chinese is refused, also where the text is empty', () => {
  expect(findings({ gone: { zh: '没有', en: 'Gone' } })).toEqual([]);
  expect(findings({ gone: { zh: '没有' }, here: { en: 'Here' }, none: { zh: '无', en: ' ' } })).toEqual([
    '"gone" has no English text',
    '"here" has no Chinese text',
    '"none" has no English text',
  ]);
});

test('parameters are the same in both languages, in any order', () => {
  expect(findings({ some: { zh: '{count} 个 {name}', en: '{name}: {count}' } })).toEqual([]);
  expect(findings({ some: { zh: '{count} 个', en: 'some' } })).toEqual(['"some" uses no parameters, the Chinese text {count}']);
});
