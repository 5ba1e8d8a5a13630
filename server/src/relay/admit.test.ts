import { scanObject } from '@tollgate/wire';
import { expect, test } from 'vitest';
import { plainPrice } from '../../test/plain-price.ts';
import { reachOf } from './admit.ts';
import type { Inquiry } from './inquiry.ts';

const heard = { ...plainPrice, audioRatioNano: 6_000_000_000 };

function asked(body: object, more: object = {}): Inquiry {
  const bytes = Buffer.from(JSON.stringify(body));
  const result = scanObject(bytes);
  if (!result.ok) throw new Error('no object');
  return { bytes, peek: { scan: result.scan }, ...more } as unknown as Inquiry;
}

test.each([
  ['an upload, though no word of its form says so', asked({ model: 'scribe', language: 'en' }, { upload: {} }), true],
  ['a video at an address', asked({ contents: [{ parts: [{ fileData: { mimeType: 'video/mp4', fileUri: 'x' } }] }] }), true],
  ['what asks for a voice', asked({ modalities: ['text', 'audio'] }), true],
  ['a plain question', asked({ messages: [{ role: 'user', content: 'hi' }] }), false],
])('%s is held at the price of sound: %#', (_what, inquiry, media) => {
  expect(reachOf(heard, inquiry).media).toBe(media);
  expect(reachOf(plainPrice, inquiry).media).toBe(false);
});
