import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCrypto, SealError, sameText, sha256 } from './crypto.ts';

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
