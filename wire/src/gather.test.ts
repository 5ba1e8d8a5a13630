import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inUse } from '../test/in-use.ts';
import { createGatherer } from './gather.ts';
import { anthropicMessages, openaiChat, type Tap } from './index.ts';

const many = 300_000;

/** Pieces of memory of their own, as a parser of chunks makes them. */
function own(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(text.length);
  bytes.write(text);
  return bytes;
}

test('whatever the sizes of its pieces, a body comes out whole, up to its bound', () => {
  const sizes = fc.array(fc.oneof(fc.nat(3), fc.nat(300), fc.integer({ min: 4_000, max: 9_000 })), { maxLength: 60 });
  fc.assert(
    fc.property(sizes, fc.boolean(), fc.nat(60_000), (lengths, lent, limit) => {
      const gathered = createGatherer(limit, { lent });
      const pieces = lengths.map((length, index) => Buffer.alloc(length, index));
      const all = Buffer.concat(pieces);
      const fits = pieces.map((piece) => {
        const answer = gathered.add(piece);
        if (lent) piece.fill(0xff);
        return answer;
      });
      expect(gathered.bytes).toBe(all.length);
      expect(gathered.over).toBe(all.length > limit);
      expect(fits.at(-1) ?? true).toBe(all.length <= limit);
      expect(gathered.take().equals(all.subarray(0, limit))).toBe(true);
      // What was taken is gone, and the next body has all of the bound.
      expect([gathered.bytes, gathered.take().length]).toEqual([0, 0]);
      gathered.add(Buffer.from('next'));
      expect(gathered.take().toString()).toBe('next'.slice(0, limit));
    }),
  );
});

test('a body in one piece is that piece, and pieces that lie behind each other are not copied', () => {
  const whole = own('x'.repeat(100_000));
  const gathered = createGatherer(whole.length);
  gathered.add(whole);
  expect(gathered.take()).toBe(whole);
  for (let at = 0; at < whole.length; at += 1_000) gathered.add(whole.subarray(at, at + 1_000));
  const joined = gathered.take();
  expect([joined.buffer === whole.buffer, joined.length]).toEqual([true, whole.length]);
});

test('large pieces are kept as they are, among small ones', () => {
  const large = own('y'.repeat(1_000_000));
  const gathered = createGatherer(10_000_000);
  const before = inUse();
  for (let count = 0; count < 100; count += 1) {
    gathered.add(own('x'));
    gathered.add(large);
    gathered.add(Buffer.alloc(0));
  }
  expect(inUse() - before).toBeLessThan(200_000);
  expect(gathered.bytes).toBe(100 + 100 * large.length);
});

describe('what pieces of a byte cost', () => {
  test.each([false, true])('in a body (lent: %s)', (lent) => {
    const gathered = createGatherer(many, { lent });
    const before = inUse();
    for (let count = 0; count < many; count += 1) gathered.add(own('x'));
    // The room that is being filled is as large as all that came before.
    expect(inUse() - before).toBeLessThan(3 * many);
    expect(gathered.take().equals(Buffer.alloc(many, 'x'))).toBe(true);
  });

  const taps: readonly [string, () => Tap][] = [
    ['of a dialect that is read by its bytes', () => openaiChat.dialect.createTap({ swallowUsage: false })],
    ['of one that is read by its events', () => anthropicMessages.dialect.createTap({ swallowUsage: false })],
  ];
  test.each(taps)('in a stream that has not begun (%s)', (_, create) => {
    const tap = create();
    const before = inUse();
    for (let count = 0; count < many; count += 1) tap.push(own('\n'));
    expect(inUse() - before).toBeLessThan(3 * many);
    expect(tap.end().unsent.toString()).toBe('\n'.repeat(64 * 1024));
  });
});
