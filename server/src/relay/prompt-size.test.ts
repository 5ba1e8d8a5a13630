import { expect, test } from 'vitest';
import { sizeDelivered } from './families/size.ts';
import { RelayFault } from './faults.ts';
import type { Inquiry } from './inquiry.ts';
import { promptSizeOf } from './prompt-size.ts';

const padding = ' '.repeat(2 ** 20);
const asked = (protocol: string, model: string, text: string) =>
  ({ protocol, bytes: Buffer.from(text), peek: { model } }) as unknown as Inquiry;
const padded = (protocol: string, body: { model: string }) => asked(protocol, body.model, JSON.stringify(body) + padding);

test('what is priced by more than its text costs the same however long its body is', () => {
  const painted = { model: 'dall-e-3', prompt: 'x', quality: 'hd', size: '1792x1024', n: 10 };
  expect(promptSizeOf(padded('images', painted))).toMatchObject({ unitsNano: 30_000_000_000 });
  expect(promptSizeOf(padded('speech', { model: 'tts-1', input: 'x'.repeat(4_096) } as { model: string }))).toMatchObject({
    tokens: 4_096,
  });
  const long = { model: 'gpt-4o-mini-tts', input: 'word'.repeat(300_000) } as { model: string };
  expect(promptSizeOf(padded('speech', long))).toEqual({ texts: [], tokens: 300_000 });
});

test('a character that takes two places of a text is one', () => {
  const speech = { model: 'tts-1', input: `a${'😀'.repeat(10)}\ud83d` } as { model: string };
  expect(promptSizeOf(asked('speech', speech.model, JSON.stringify(speech)))).toMatchObject({ tokens: 12 });
});

test('what calls itself an object is no word, and breaks nothing', () => {
  const stubborn = { toString: 1 };
  const size = (protocol: string, body: object) => promptSizeOf(asked(protocol, 'gpt-image-1', JSON.stringify(body)));
  expect(size('images', { prompt: 'x', quality: stubborn })?.answer).toBe(6_240);
  expect(size('rerank', { query: stubborn, documents: ['a'] })?.texts).toEqual(['', 'a']);
  const parts = [{ inlineData: { mimeType: stubborn, data: '' } }];
  expect(size('gemini-generate', { contents: [{ parts }] })).toMatchObject({ texts: [] });
});

test('a size or a quality that all objects inherit is one that no vendor has', () => {
  const size = (word: string) => {
    const body = { prompt: 'x', size: word, quality: word };
    return promptSizeOf(asked('images', 'gpt-image-1', JSON.stringify(body)));
  };
  for (const word of ['constructor', 'toString', '__proto__']) expect(size(word)).toEqual(size('unheard'));
});

test('a prompt in tokens is as long as they are many', () => {
  const size = (prompt: unknown) => promptSizeOf(asked('openai-completions', 'm', JSON.stringify({ prompt })))?.tokens ?? 0;
  const none = size('');
  expect([size([1, 2, 3]), size([[1, 2], [3]]), size([['no', 'tokens']])].map((tokens) => tokens - none)).toEqual([3, 3, 0]);
});

test('functions are read as tools are', () => {
  const list = [{ name: 'f', description: 'long' }];
  const size = (more: object) => promptSizeOf(asked('openai-chat', 'm', JSON.stringify({ messages: [], ...more })))?.texts;
  expect(size({ functions: list })).toEqual([JSON.stringify(list)]);
  expect(size({ tools: list })).toEqual([JSON.stringify(list)]);
});

test('what is said in parts costs what it costs as a plain text', () => {
  const size = (protocol: string, input: unknown) => promptSizeOf(asked(protocol, 'm', JSON.stringify({ input })));
  const parts = [
    { type: 'text', text: 'one' },
    { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
    { text: 'two' },
  ];
  for (const protocol of ['moderations', 'embeddings'])
    expect(size(protocol, parts)).toEqual({ texts: ['one', 'two'], tokens: 0 });
  expect(size('embeddings', ['one', [1, 2], 3])).toEqual({ texts: ['one'], tokens: 3 });
});

test.each([
  [{ model: 'gpt-image-1', n: 10, quality: 'high' }, 62_400],
  [{ model: 'gpt-image-1', n: 2, quality: 'low', size: '1024x1024' }, 544],
  [{ model: 'gpt-image-1', quality: 'medium', size: '1536x1024' }, 1_584],
  [{ model: 'gpt-image-2', size: '3840x2160' }, 14_560],
  [{ model: 'gemini-2.5-flash-image', n: 3, size: '1024x1024' }, 3_870],
  [{ model: 'dall-e-3', quality: 'hd' }, undefined],
])('pictures that are answered in tokens are held for as many as they may come to: %j', (body, answer) => {
  expect(promptSizeOf(asked('images', body.model, JSON.stringify(body)))?.answer).toBe(answer);
});

test.each([
  [{ n: 4 }, 4],
  [{ sequential_image_generation: 'disabled', sequential_image_generation_options: { max_images: 4 } }, 1],
  [{ sequential_image_generation: 'auto', sequential_image_generation_options: { max_images: 4 } }, 4],
  [{ sequential_image_generation: 'auto', sequential_image_generation_options: { max_images: 1e9 } }, 128],
  [{ sequential_image_generation: 'auto', sequential_image_generation_options: { max_images: '2' } }, 15],
  [{ sequential_image_generation: 'auto' }, 15],
])('a set of which the model chooses the size is held for as many as it may have: %j', (body, count) => {
  const size = promptSizeOf(asked('images', 'doubao-seedream-4-5', JSON.stringify({ prompt: 'x', ...body })));
  expect(size).toMatchObject({ unitsNano: count * 1e9, picture: { count } });
});

test.each([
  [undefined, 12e9, 15_000],
  [0, 0, 0],
  [1, 3e9, 3_750],
  [4, 12e9, 15_000],
  [9, 12e9, 15_000],
])(
  'of four pictures %s delivered ones cost what they cost, and never more than those asked for',
  (delivered, unitsNano, tokens) => {
    const size = promptSizeOf(asked('images', 'dall-e-3', '{"prompt":"x","n":4,"quality":"hd","size":"1792x1024"}'));
    expect(size && sizeDelivered(size, delivered)).toMatchObject({ unitsNano, tokens });
  },
);

test('and one that cannot be read is refused instead of costing one unit', () => {
  expect(() => promptSizeOf(asked('images', 'dall-e-3', '{"model":"dall-e-3","prompt":"a\nb","n":10}'))).toThrow(RelayFault);
});

test('a prompt is counted wherever its body has it, also beside an empty list of another dialect', () => {
  const said = { role: 'user', content: 'a long story' };
  for (const body of [{ messages: [said] }, { messages: [], input: [said] }, { messages: [], contents: null, prompt: [said] }])
    expect(promptSizeOf(asked('openai-responses', 'gpt-4o', JSON.stringify(body)))).toEqual({
      texts: ['user', 'a long story'],
      tokens: 6,
    });
});

test.each([
  ['a turn', { messages: [{ role: 'user', content: 'hi' }] }, ['user', 'hi'], 3 + 3],
  [
    'two turns, one with a name',
    { messages: [{ role: 'user', name: 'bob', content: 'hi' }, 'hi'] },
    ['user', 'bob', 'hi', 'hi'],
    3 + 1 + 3 + 3,
  ],
  ['a text', { prompt: 'hello world' }, ['hello world'], 0],
  ['two texts', { prompt: ['hello', 'world'] }, ['hello', 'world'], 0],
  ['what a response is made of', { input: 'hi' }, ['hi'], 3 + 3],
])('beside its texts a prompt takes what the contract says (6.8): %s', (_, body, texts, tokens) => {
  expect(promptSizeOf(asked('openai-chat', 'gpt-4', JSON.stringify(body)))).toEqual({ texts, tokens });
});

test('texts of any length are estimated by their bytes elsewhere', () => {
  expect(promptSizeOf(padded('embeddings', { model: 'text-embedding-3-small' }))).toBeUndefined();
  expect(promptSizeOf(padded('openai-chat', { model: 'gpt-4o' }))).toBeUndefined();
});
