import { expect, test } from 'vitest';
import type { Options } from '../settings/index.ts';
import { checkWords } from './sensitive.ts';

const options = {
  CheckSensitiveEnabled: true,
  CheckSensitiveOnPromptEnabled: true,
  SensitiveWords: 'forbidden\n敏感\nuser',
} as Options;
const check =
  (body: object | string, own: Partial<Options> = {}) =>
  () =>
    checkWords({ ...options, ...own }, { bytes: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) });

test.each([
  ['chat', { messages: [{ role: 'user', content: 'a FORBIDDEN word' }] }],
  ['parts', { messages: [{ role: 'user', content: [{ type: 'text', text: '敏感词' }] }] }],
  ['system', { system: 'forbidden', messages: [] }],
  ['gemini', { contents: [{ parts: [{ text: 'forbidden' }] }] }],
  ['responses', { input: 'forbidden', instructions: '' }],
  ['pictures', { prompt: 'forbidden' }],
  ['rerank', { query: 'q', documents: ['ok', { text: 'forbidden' }] }],
  ['an escape', '{"messages":[{"role":"assistant","content":"for\\u0062idden"}]}'],
])('a word is found in %s', (_, body) => {
  expect(check(body)).toThrow('sensitive words detected');
});

test('what is no text of the prompt is no word', () => {
  expect(check({ model: 'forbidden', messages: [{ role: 'user', content: 'fine' }] })).not.toThrow();
});

test('each of the two switches turns it off', () => {
  const body = { prompt: 'forbidden' };
  expect(check(body, { CheckSensitiveEnabled: false })).not.toThrow();
  expect(check(body, { CheckSensitiveOnPromptEnabled: false })).not.toThrow();
  expect(check(body, { SensitiveWords: '' })).not.toThrow();
});
