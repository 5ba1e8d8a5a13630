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
  [
    'a document of plain text',
    { messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'text', data: '敏感' } }] }] },
  ],
  ['a long text without blanks', { messages: [{ role: 'user', content: `${'这'.repeat(5_000)}敏感` }] }],
  ['a long text that looks like an address of data', { prompt: `data:,${'x.'.repeat(5_000)}forbidden` }],
  ['what stands beside an empty list of another dialect', { messages: [], input: [{ role: 'user', content: 'forbidden' }] }],
  ['what stands beside a prompt', { messages: [{ role: 'user', content: 'fine' }], prompt: ['forbidden'] }],
  ['variables of a stored prompt', { prompt: { id: 'pmpt_1', variables: { city: 'forbidden' } }, input: 'fine' }],
  ['an escaped line', { prompt: 'one\nforbidden' }],
  ['an escape', '{"messages":[{"role":"assistant","content":"for\\u0062idden"}]}'],
])('a word is found in %s', (_, body) => {
  expect(check(body)).toThrow('sensitive words detected');
});

test('a body with a word in it that we cannot read goes to nobody', () => {
  expect(check('{"prompt":"a forbidden\n word"}')).toThrow('must be escaped');
  expect(check('{"prompt":"a fine\n word"}')).not.toThrow();
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

test('a word is found however JSON writes it', () => {
  const own = { SensitiveWords: 'a/b\nc"d\ne\\f' };
  for (const text of ['a\\/b', 'a/b', 'a\\u002fb', 'c\\"d', 'c\\u0022d', 'e\\\\f', 'e\\u005Cf']) {
    expect(check(`{"prompt":"x ${text} x"}`, own), text).toThrow('sensitive words detected');
  }
  expect(check('{"prompt":"a b c d"}', own)).not.toThrow();
});

test('inline media hold no words', () => {
  const data = `${'forbidden'.repeat(600)}`;
  const content = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }];
  expect(check({ messages: [{ role: 'user', content }] })).not.toThrow();
});

test('a word is found in the title of a text', () => {
  const bytes = Buffer.from('{"input":"fine"}');
  const inputs = (title: string) => [{ text: 'fine', title }];
  expect(() => checkWords(options, { bytes, inputs: inputs('Forbidden') })).toThrow('sensitive words detected');
  expect(() => checkWords(options, { bytes, inputs: inputs('Fine') })).not.toThrow();
});
