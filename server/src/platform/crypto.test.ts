import { createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCrypto, createHmacSigner, SealError, sameText, sha256 } from './crypto.ts';

const crypto = createCrypto(Buffer.alloc(32, 1));

describe('sealing', () => {
  test('what was sealed opens in its place and nowhere else', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), fc.string(), (plain, place, elsewhere) => {
        const sealed = crypto.seal(plain, place);
        expect(sealed).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]+$/);
        expect(crypto.open(sealed, place)).toBe(plain);
        if (place !== elsewhere) expect(() => crypto.open(sealed, elsewhere)).toThrow(SealError);
      }),
    );
  });

  test('a changed character, a cut or another master key does not open', () => {
    const sealed = crypto.seal('secret', 'place');
    const [version, kid, nonce, body = ''] = sealed.split('.');
    const flipped = body.startsWith('A') ? `B${body.slice(1)}` : `A${body.slice(1)}`;
    const broken = [
      `${version}.${kid}.${nonce}.${flipped}`,
      `${version}.${kid}.${nonce}.${body.slice(0, 8)}`,
      `${version}.${kid}.${nonce}`,
      `${sealed}.x`,
      sealed.replace('v1', 'v2'),
      'secret',
      '',
    ];
    for (const text of broken) expect(() => crypto.open(text, 'place')).toThrow(SealError);
    expect(() => createCrypto(Buffer.alloc(32, 2)).open(sealed, 'place')).toThrow(/another master key/);
  });

  test('the same text seals differently each time', () => {
    expect(new Set(Array.from({ length: 50 }, () => crypto.seal('x', 'y'))).size).toBe(50);
  });

  test('a master key of another length is refused', () => {
    expect(() => createCrypto(Buffer.alloc(16))).toThrow(RangeError);
  });
});

test('each purpose and each master key has its own HMAC', () => {
  const values = [
    crypto.hmac('token-key', 'x'),
    crypto.hmac('channel-key', 'x'),
    crypto.hmac('receipt', 'x'),
    createCrypto(Buffer.alloc(32, 2)).hmac('token-key', 'x'),
    sha256('x'),
  ];
  expect(new Set(values).size).toBe(values.length);
  expect(crypto.hmac('token-key', 'x')).toBe(values[0]);
});

test('equal texts are the same and no others', () => {
  expect([sameText('abc', 'abc'), sameText('abc', 'abd'), sameText('', 'a')]).toEqual([true, false, false]);
});

test('what is signed is HMAC-SHA256 to the bit, whatever the text and its length', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }),
    fc.string({ minLength: 2_600, maxLength: 9_000 }),
    fc.constantFrom('\ud800', 'x'.repeat(2_709), 'x'.repeat(2_710), '\u4e2d'.repeat(2_710)),
  );
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 64 }),
      fc.array(anything, { minLength: 1, maxLength: 4 }),
      (key, texts) => {
        const sign = createHmacSigner(key);
        for (const text of texts) expect(sign(text)).toBe(createHmac('sha256', key).update(text).digest('hex'));
      },
    ),
  );
});
