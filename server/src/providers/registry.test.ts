import { channelTypes } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { providerOf, providers } from './registry.ts';

test('the console offers exactly the channel types that the server can speak to', () => {
  expect(providers.map(({ type }) => type).sort()).toEqual(channelTypes.map(({ type }) => type).sort());
});

test('a type number belongs to one provider', () => {
  expect(new Set(providers.map(({ type }) => type)).size).toBe(providers.length);
  expect(providerOf(1)?.paths['openai-chat']).toBe('/v1/chat/completions');
  expect(providerOf(9999)).toBeUndefined();
});
