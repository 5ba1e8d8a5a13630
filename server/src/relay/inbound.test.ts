import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { ServedRequest } from '../platform/http/served.ts';
import { createBodyBudget } from './body-budget.ts';
import { readBody } from './inbound.ts';

const text = '{"model":"m"}';
const read = (body: Buffer, encoding?: string, bodies = createBodyBudget(0), place = { bytes: 0 }) => {
  const headers = encoding === undefined ? {} : { 'content-encoding': encoding };
  return readBody({ headers, body: () => body } as unknown as ServedRequest, 1_000, { bodies, place });
};

test('an encoding is known however it is written, and none is none', async () => {
  for (const encoding of ['gzip', 'GZIP', ' Gzip ']) expect(String(await read(gzipSync(text), encoding))).toBe(text);
  for (const encoding of [undefined, '', 'identity', 'Identity'])
    expect(String(await read(Buffer.from(text), encoding))).toBe(text);
  for (const encoding of ['compress', 'constructor', '__proto__'])
    await expect(read(Buffer.from(text), encoding)).rejects.toThrow('unknown content encoding');
});

test('a packed body unpacks to what it was, and to 20 times its size at most', async () => {
  const long = Buffer.from(Array.from({ length: 40_000 }, (_, at) => at).join());
  for (const [encoding, pack] of Object.entries({ gzip: gzipSync, br: brotliCompressSync, zstd: zstdCompressSync })) {
    expect((await read(pack(long), encoding)).equals(long)).toBe(true);
    await expect(read(pack(Buffer.alloc(10_000_000)), encoding)).rejects.toThrow('broken or too large');
    await expect(read(pack(long).subarray(0, -20), encoding)).rejects.toThrow('broken or too large');
  }
});

test('bodies that unpack at the same time take no more than the room for all, and give it back', async () => {
  const packed = gzipSync(Array.from({ length: 40_000 }, (_, at) => at).join());
  const limit = 1_000_000;
  const bodies = createBodyBudget(limit);
  const places = Array.from({ length: 6 }, () => ({ bytes: 0 }));
  const announced = { headers: { 'content-length': String(packed.length) } };
  for (const place of places) bodies.enter(place, announced, limit);
  let most = 0;
  const grow: typeof bodies.grow = (place, bytes) => {
    const isRoom = bodies.grow(place, bytes);
    most = Math.max(
      most,
      places.reduce((sum, { bytes: taken }) => sum + taken, 0),
    );
    return isRoom;
  };
  const ends = await Promise.allSettled(places.map((place) => read(packed, 'gzip', { ...bodies, grow }, place)));
  const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  expect(refused.length).toBeGreaterThan(0);
  for (const fault of refused) expect(fault).toMatchObject({ code: 'overloaded', status: 503, retryAfterSeconds: 1 });
  expect(most).toBeLessThanOrEqual(limit);
  for (const place of places) bodies.leave(place);
  await read(packed, 'gzip', bodies, { bytes: 0 });
});
