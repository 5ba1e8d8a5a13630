import fc from 'fast-check';
import { expect, test } from 'vitest';
import { secondsOf } from './sound.ts';

interface Format {
  readonly code?: number;
  readonly channels?: number;
  readonly rate?: number;
  readonly bits?: number;
  /** What the file says of itself; default: what follows from the others. */
  readonly bytesPerSecond?: number;
  readonly block?: number;
}

function chunk(name: string, content: Buffer, size = content.length): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(size, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

/** A `fmt ` chunk; default: 16 kHz in mono of 16 bits, 32,000 bytes a second. */
function format({ code = 1, channels = 1, rate = 16_000, bits = 16, ...said }: Format = {}): Buffer {
  const block = said.block ?? channels * Math.ceil(bits / 8);
  const content = Buffer.alloc(16);
  content.writeUInt16LE(code, 0);
  content.writeUInt16LE(channels, 2);
  content.writeUInt32LE(rate, 4);
  content.writeUInt32LE(said.bytesPerSecond ?? rate * block, 8);
  content.writeUInt16LE(block, 12);
  content.writeUInt16LE(bits, 14);
  return chunk('fmt ', content);
}

function wav(...chunks: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE', 'latin1'), ...chunks]);
}

const minute = Buffer.alloc(60 * 32_000, 1);
const note = chunk('LIST', Buffer.alloc(99));

test.each([
  ['as it is recorded', wav(format(), chunk('data', minute))],
  ['with other chunks around', wav(note, format(), note, chunk('data', minute), note)],
  ['streamed, with 0 as its size', wav(format(), chunk('data', minute, 0))],
  ['streamed, with the largest size', wav(format(), chunk('data', minute, 0xffffffff))],
  ['cut off', wav(format(), chunk('data', minute, 1e9))],
  ['in several pieces', wav(format(), chunk('data', minute.subarray(0, 320)), chunk('data', minute.subarray(320)))],
  ['whose own rate is a lie', wav(format({ bytesPerSecond: 0xffffffff }), chunk('data', minute))],
  ['whose own rate is 0', wav(format({ bytesPerSecond: 0 }), chunk('data', minute))],
  ['whose blocks are a lie', wav(format({ block: 65_535 }), chunk('data', minute))],
  ['of floats', wav(format({ code: 3, rate: 8_000, bits: 32 }), chunk('data', minute))],
  ['of a telephone', wav(format({ code: 7, rate: 8_000, channels: 4, bits: 8 }), chunk('data', minute))],
])('a minute of WAV is a minute: %s', (_, file) => {
  expect(secondsOf(file)).toBe(60);
});

test('what is compressed is believed as far as any compressed file: 64 kbit/s', () => {
  const of = (bytesPerSecond: number) =>
    secondsOf(wav(format({ code: 0x31, bytesPerSecond }), chunk('data', Buffer.alloc(16_000))));
  expect(of(1_625)).toBeCloseTo(9.85, 2);
  expect(of(8_000)).toBe(2);
  expect(of(1e9)).toBe(2);
  expect(of(0)).toBeCloseTo(2, 1);
  expect(secondsOf(Buffer.alloc(16_000))).toBe(2);
});

test('a format that nobody can play, or two of them, tell nothing: the size of the file does', () => {
  for (const odd of [format({ rate: 0 }), format({ bits: 0 }), format({ channels: 0 }), chunk('fmt ', Buffer.alloc(3))])
    expect(secondsOf(wav(odd, chunk('data', minute)))).toBeCloseTo(240, 1);
  expect(secondsOf(wav(format({ rate: 192_000 }), format(), chunk('data', minute)))).toBeCloseTo(240, 1);
  expect(secondsOf(wav(...Array<Buffer>(1_001).fill(note), format(), chunk('data', minute)))).toBeGreaterThan(240);
});

test('whatever its heads say, a file is no shorter than the fastest recording of its size, nor longer than the slowest speech', () => {
  const number = fc.oneof(fc.nat(0xffff), fc.constantFrom(0, 1, 0xffff));
  const long = fc.oneof(fc.nat(0xffffffff), fc.constantFrom(0, 1, 0xffffffff));
  const formats = fc.record({
    code: fc.oneof(fc.constantFrom(1, 3, 6, 7, 2, 0xfffe), number),
    channels: number,
    rate: long,
    bits: number,
    bytesPerSecond: long,
    block: number,
  });
  const content = fc.uint8Array({ maxLength: 5_000 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(formats, content, long, content, (spelled, sound, size, more) => {
      const file = wav(format(spelled), chunk('data', sound, size), chunk('data', more));
      const seconds = secondsOf(file);
      expect(seconds).toBeGreaterThanOrEqual(file.length / 768_000);
      expect(seconds).toBeLessThanOrEqual(file.length / 250);
    }),
  );
});
