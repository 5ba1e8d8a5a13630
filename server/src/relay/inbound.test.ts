import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { ServedRequest } from '../platform/http/served.ts';
import { readBody } from './inbound.ts';

const text = '{"model":"m"}';
const read = (body: Buffer, encoding?: string) => {
  const headers = encoding === undefined ? {} : { 'content-encoding': encoding };
  return readBody({ headers, body: () => body } as unknown as ServedRequest, 1_000);
};

test('an encoding is known however it is written, and none is none', async () => {
  for (const encoding of ['gzip', 'GZIP', ' Gzip ']) expect(String(await read(gzipSync(text), encoding))).toBe(text);
  for (const encoding of [undefined, '', 'identity', 'Identity'])
    expect(String(await read(Buffer.from(text), encoding))).toBe(text);
  for (const encoding of ['compress', 'constructor', '__proto__'])
    await expect(read(Buffer.from(text), encoding)).rejects.toThrow('unknown content encoding');
});
