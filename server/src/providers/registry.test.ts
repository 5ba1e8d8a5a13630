import { channelTypes } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { modelsByType, ownerOf, providerOf, providers } from './registry.ts';

test('the console offers exactly the channel types that the server knows', () => {
  expect(providers.map(({ type }) => type).sort()).toEqual(channelTypes.map(({ type }) => type).sort());
});

test('every type of the contract can be stored: 1 to 48 without the unused numbers', () => {
  const unused = [28, 29, 30, 32];
  const expected = Array.from({ length: 48 }, (_, k) => k + 1).filter((type) => !unused.includes(type));
  expect(
    channelTypes
      .map(({ type }) => type)
      .filter((type) => type <= 48)
      .sort((a, b) => a - b),
  ).toEqual(expected);
});

test('the order of the select is the contract’s, and its colours too', () => {
  const order = [
    1, 2, 5, 36, 4, 14, 33, 41, 3, 34, 39, 43, 15, 46, 17, 18, 16, 26, 24, 11, 47, 25, 20, 19, 23, 31, 35, 37, 38, 40, 42, 8, 22,
    21, 44, 45, 48,
  ];
  const offered = channelTypes.filter((type) => type.offered).map(({ type }) => type);
  expect(offered.slice(0, order.length)).toEqual(order);
  const color = (type: number) => channelTypes.find((known) => known.type === type)?.color;
  expect([1, 2, 3, 4, 11, 14, 16, 23, 36].map(color)).toEqual([
    'green',
    'light-blue',
    'teal',
    'grey',
    'orange',
    'indigo',
    'violet',
    'teal',
    'purple',
  ]);
});

test('a type is either spoken at some path or does its work in the background alone', () => {
  for (const { type, paths, tasksOnly } of providers)
    expect([type, Object.keys(paths).length > 0]).toEqual([type, tasksOnly !== true]);
});

test('a type number belongs to one provider', () => {
  expect(new Set(providers.map(({ type }) => type)).size).toBe(providers.length);
  expect(providerOf(1)?.paths['openai-chat']).toBe('/v1/chat/completions');
  expect(providerOf(9999)).toBeUndefined();
});

test('suggested models are names that a request could carry, and each has an owner', () => {
  for (const [type, models] of Object.entries(modelsByType())) {
    expect([type, models.filter((model) => !/^[^\s\p{C}]{1,255}$/u.test(model))]).toEqual([type, []]);
    expect([type, new Set(models).size]).toEqual([type, models.length]);
  }
  expect(ownerOf('mj_imagine')).toBe('midjourney');
  expect(ownerOf('nobody-knows-it')).toBe('custom');
});

test.each([
  [1, 'chatgpt-4o-latest dall-e-3 gpt-3.5-turbo gpt-4 gpt-4-turbo gpt-4.1-nano gpt-image-1 o1 o3-mini o4-mini o3-deep-research'],
  [14, 'claude-3-haiku-20240307 claude-3-7-sonnet-20250219 claude-opus-4-1-20250805 claude-sonnet-4-5-20250929'],
  [24, 'gemini-2.0-flash gemini-3-pro-image-preview gemini-3.1-flash-image-preview imagen-4.0-generate-001'],
  [41, 'gemini-2.0-flash imagen-4.0-generate-001'],
  [43, 'deepseek-chat deepseek-reasoner'],
  [48, 'grok-3 grok-4-0709 grok-4-fast-reasoning grok-code-fast-1'],
  [1004, 'llama3.1-8b llama-3.3-70b qwen-3-32b'],
])('type %i suggests nothing that its vendor has shut down', (type, gone) => {
  expect(modelsByType()[type]?.filter((model) => gone.split(' ').includes(model))).toEqual([]);
});

test.each([
  [1, '', 'model=m', '/v1/realtime?model={model}'],
  [1, '', 'model=m&intent=transcription', '/v1/realtime?intent=transcription'],
  [1, 'https://api.openai.com', 'model=m&intent=transcription', '/v1/realtime?intent=transcription'],
  [1, 'https://relay.example.test', 'model=m&intent=transcription', '/v1/realtime?intent=transcription&model={model}'],
  [7, '', 'model=m&intent=transcription', '/v1/realtime?intent=transcription&model={model}'],
  [3, '', 'model=m', '/openai/realtime?deployment=m&api-version=2024-12-01-preview'],
  [3, '', 'model=m&intent=transcription', '/openai/realtime?intent=transcription&api-version=2025-04-01-preview'],
  [3, '', 'model=m&intent=transcription&api-version=v', '/openai/realtime?intent=transcription&api-version=v'],
])('type %i at "%s" is asked for a session of %s', (type, baseUrl, query, path) => {
  const place = providerOf(type)?.paths.realtime;
  if (typeof place !== 'function') throw new Error('not made from the call');
  const channel = { id: 1, baseUrl, key: '', organization: '', other: '' };
  const call = { channel, model: 'm', stream: false, protocol: 'realtime', query: new URLSearchParams(query) };
  expect(place(call)).toBe(path);
});
