import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFrameSplitter, decodeFrame, decodeFrames, encodeFrame } from './sse.ts';

/** The frames that a splitter finds in chunks, and the rest. */
function split(chunks: readonly Buffer[], limitBytes?: number): string[] {
  const splitter = createFrameSplitter(limitBytes);
  const frames: string[] = [];
  for (const chunk of chunks) {
    if (!splitter.feed(chunk)) return [...frames, 'TOO LONG'];
    while (splitter.next()) frames.push(splitter.buffer.toString('utf8', splitter.frameStart, splitter.frameEnd));
    splitter.keepRest();
  }
  return [...frames, splitter.rest().toString()];
}

const one = (text: string) => split([Buffer.from(text)]);

describe('frames', () => {
  test.each([
    ['data: a\n\ndata: b\n\n', ['data: a\n\n', 'data: b\n\n', '']],
    ['data: a\r\n\r\ndata: b\r\n\r\nx', ['data: a\r\n\r\n', 'data: b\r\n\r\n', 'x']],
    ['data: a\r\rdata: b\r\r', ['data: a\r\r', 'data: b\r\r']],
    ['data: a\n\r\ndata: b\r\n\n', ['data: a\n\r\n', 'data: b\r\n\n', '']],
    ['event: x\ndata: a\n\n\n\ndata: b\n', ['event: x\ndata: a\n\n', '\n', '\n', 'data: b\n']],
    ['\n\n: c\n\n', ['\n', '\n', ': c\n\n', '']],
  ])('%j', (text, frames) => {
    expect(one(text)).toEqual(frames);
  });

  test('any split of any stream gives the same frames, and all bytes', () => {
    const piece = fc.constantFrom(
      'data: a',
      'data:é世😀',
      ': c',
      'event: x',
      '\n',
      '\r',
      '\r\n',
      '\n\n',
      '\r\n\r\n',
      '\ufeff',
      '',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.array(fc.nat(200), { maxLength: 10 }), (pieces, cuts) => {
        const bytes = Buffer.from(pieces.join(''));
        const edges = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const chunks = edges.slice(1).map((edge, k) => bytes.subarray(edges[k], edge));
        const whole = one(bytes.toString());
        expect(split(chunks)).toEqual(whole);
        expect(split(Array.from(bytes, (byte) => Buffer.from([byte])))).toHaveLength(whole.length);
        expect(whole.join('')).toBe(bytes.toString());
      }),
      { numRuns: 2000 },
    );
  });

  test('what is pending is bounded, and nothing is lost below the bound', () => {
    const chunk = Buffer.from('x'.repeat(600));
    expect(split([chunk, chunk], 1000).at(-1)).toHaveLength(1200);
    expect(split([chunk, chunk, chunk], 1000)).toEqual(['TOO LONG']);
  });
});

describe('decoding', () => {
  test.each([
    ['data: a\n\n', { event: '', data: 'a' }],
    ['data: \n\n', { event: '', data: '' }],
    ['data: a\rdata: é\n\n', { event: '', data: 'a\né' }],
    ['data: a\r\n\n', { event: '', data: 'a' }],
    ['data: a\ndata: b\n\n', { event: '', data: 'a\nb' }],
    ['data:a\n\n', { event: '', data: 'a' }],
    ['data:  a\r\ndata:b\r\n\r\n', { event: '', data: ' a\nb' }],
    ['event: x\rid: 1\rretry: 5\rdata: é😀\r\r', { event: 'x', data: 'é😀', fields: { id: '1', retry: '5' } }],
    ['\ufeffdata: a\n\n', { event: '', data: 'a' }],
    ['data\n\n', { event: '', data: '' }],
    [': data: a\n\n', { event: '', data: undefined }],
    ['datum: a\n\n', { event: '', data: undefined, fields: { datum: 'a' } }],
  ])('%j', (text, frame) => {
    expect(decodeFrame(Buffer.from(text))).toEqual(frame);
  });

  test('bytes that are not UTF-8 do not throw', () => {
    expect(decodeFrame(Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0x0a]))).toEqual({ event: '', data: '\ufffd' });
  });

  test('what is encoded is decoded', () => {
    const bytes = Buffer.concat([encodeFrame('{"a":1}'), encodeFrame('b', 'error')]);
    expect(decodeFrames(bytes)).toEqual([
      { event: '', data: '{"a":1}' },
      { event: 'error', data: 'b' },
    ]);
  });
});

test('a frame is lines also for clients that end them wherever Unicode does', () => {
  const said = { text: 'a\u2028b\u2029c\u0085d\ne' };
  const frame = encodeFrame(JSON.stringify(said)).toString();
  expect(frame.split(/[\n\u0085\u2028\u2029]/)).toHaveLength(3);
  expect(JSON.parse(decodeFrame(Buffer.from(frame)).data ?? '')).toEqual(said);
});

describe('large frames', () => {
  const mebibyte = 1024 * 1024;
  const large = (mebibytes: number) => Buffer.from(`data: ${'x'.repeat(mebibytes * mebibyte - 8)}\n\n`);
  /** Feeds the frames in pieces; what was asked for, in MiB, the sizes of those that came, and the fault. */
  const fed = (frames: readonly Buffer[], moreRoom?: (bytes: number) => boolean) => {
    const asked: number[] = [];
    const came: number[] = [];
    const splitter = createFrameSplitter(undefined, moreRoom && ((bytes) => asked.push(bytes / mebibyte) > 0 && moreRoom(bytes)));
    const all = Buffer.concat(frames);
    for (let at = 0; at < all.length; at += 65_000) {
      if (!splitter.feed(all.subarray(at, at + 65_000))) break;
      while (splitter.next()) came.push((splitter.frameEnd - splitter.frameStart) / mebibyte);
      splitter.keepRest();
    }
    return { asked, came, fault: splitter.fault, heldBytes: splitter.buffer.length };
  };

  test('what is larger asks for room before it takes it, once for all that follow', () => {
    expect(fed([large(3), large(4)], () => true)).toMatchObject({ asked: [], came: [3, 4], fault: undefined });
    expect(fed([large(6)], () => true)).toMatchObject({ asked: [4], came: [6] });
    expect(fed([large(12), large(1), large(16)], () => true)).toMatchObject({ asked: [4, 8], came: [12, 1, 16], heldBytes: 0 });
  });

  test('nobody gets more than the bound, and without room it stays where it was', () => {
    expect(fed([large(17)], () => true)).toMatchObject({ asked: [4, 8], came: [], fault: 'frame-too-long' });
    expect(fed([large(12)], (bytes) => bytes < 5 * mebibyte)).toMatchObject({ asked: [4, 8], came: [], fault: 'no-room' });
    expect(fed([large(5)])).toMatchObject({ came: [], fault: 'frame-too-long' });
  });

  test('a frame that waits takes what was given for it, and a piece', () => {
    const cut = (mebibytes: number) => [large(20).subarray(0, mebibytes * mebibyte)];
    for (const [mebibytes, held] of [
      [3.9, 4],
      [5, 8],
      [9, 16],
      [15.9, 16],
    ] as const)
      expect(fed(cut(mebibytes), () => true).heldBytes).toBeLessThanOrEqual(held * mebibyte + 65_000);
  });
});

test('what is pending is handed out once, and none of the last bytes stays', () => {
  const splitter = createFrameSplitter();
  splitter.feed(Buffer.from('data: [DONE]\n\ndata: cut'));
  splitter.next();
  expect(splitter.rest().toString()).toBe('data: cut');
  expect(splitter.isEmpty).toBe(true);
  expect(splitter.buffer).toHaveLength(0);
});
