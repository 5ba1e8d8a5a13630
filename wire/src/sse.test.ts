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

test('what is pending is handed out once, and none of the last bytes stays', () => {
  const splitter = createFrameSplitter();
  splitter.feed(Buffer.from('data: [DONE]\n\ndata: cut'));
  splitter.next();
  expect(splitter.rest().toString()).toBe('data: cut');
  expect(splitter.isEmpty).toBe(true);
  expect(splitter.buffer).toHaveLength(0);
});
