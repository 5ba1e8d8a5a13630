import { scanObject } from '@tollgate/wire';
import { expect, test } from 'vitest';
import { plainPrice } from '../../test/plain-price.ts';
import { reachOf } from './admit.ts';
import type { Inquiry } from './inquiry.ts';

const heard = { ...plainPrice, audioRatioNano: 6_000_000_000 };

function asked(body: object | string, more: object = {}): Inquiry {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const result = scanObject(bytes);
  if (!result.ok) throw new Error('no object');
  return { bytes, peek: { scan: result.scan }, ...more } as unknown as Inquiry;
}

test.each([
  ['an upload, though no word of its form says so', asked({ model: 'scribe', language: 'en' }, { upload: {} }), true],
  ['a video at an address', asked({ contents: [{ parts: [{ fileData: { mimeType: 'video/mp4', fileUri: 'x' } }] }] }), true],
  ['what asks for a voice behind an escape', asked('{"modalities":["text","aud\\u0069o"]}'), true],
  ['what asks for a voice', asked({ modalities: ['text', 'audio'] }), true],
  ['a plain question', asked({ messages: [{ role: 'user', content: 'hi' }] }), false],
])('%s is held at the price of sound: %#', (_what, inquiry, media) => {
  expect(reachOf(heard, inquiry).media).toBe(media);
  expect(reachOf(plainPrice, inquiry).media).toBe(false);
});

test.each([
  [{ system: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } }] }, true],
  [{ prompt_cache_options: { ttl: '12h' } }, true],
  [{ prompt_cache_options: { ttl: '30m' } }, false],
  ['{"cache_control":{"type":"ephemeral","ttl":"1\\u0068"}}', true],
  ['{"cache_control":{"type":"ephemeral","ttl":"\\u0031h"}}', true],
  ['{"system":"\\u003cb\\u003e \\u0000"}', false],
])('%j is held at the price of a cache that lasts: %s', (body, lasting) => {
  expect(reachOf({ ...plainPrice, cacheWrite1hRatioNano: 2_000_000_000 }, asked(body)).lasting).toBe(lasting);
  expect(reachOf(plainPrice, asked(body)).lasting).toBe(false);
});
