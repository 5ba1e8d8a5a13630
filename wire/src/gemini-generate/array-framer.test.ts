import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeFrame } from '../sse.ts';
import { createArrayFramer } from './array-framer.ts';

const bodies = [{ a: 'ä\n{"x"}' }, { b: [1] }, { candidates: [] }];
const stream = Buffer.concat([Buffer.from(': PING\n\n'), ...bodies.map((body) => encodeFrame(JSON.stringify(body)))]);

function framed(chunks: readonly Buffer[], complete: boolean, limit?: number): string {
  const framer = createArrayFramer(limit);
  const pieces = chunks.map((chunk) => framer.push(chunk)?.toString() ?? '');
  return [...pieces, framer.end(complete).toString()].join('');
}

test('cut anywhere, the events are the elements of one array', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(stream.length), { maxLength: 6 }), (offsets) => {
      const edges = [0, ...offsets.sort((a, b) => a - b), stream.length];
      const chunks = edges.slice(1).map((edge, at) => stream.subarray(edges[at], edge));
      expect(JSON.parse(framed(chunks, true))).toEqual(bodies);
    }),
  );
});

test('an answer without events is an empty array; elements come as soon as their event is whole', () => {
  expect(framed([], true)).toBe('[]');
  const framer = createArrayFramer();
  expect(framer.push(encodeFrame('{"a":1}'))?.toString()).toBe('[{"a":1}');
});

test('what was cut stays open, what failed is closed behind its error', () => {
  expect(framed([encodeFrame('{"a":1}')], false)).toBe('[{"a":1}');
  expect(JSON.parse(framed([encodeFrame('{"a":1}'), encodeFrame('{"error":{"code":503}}')], false))).toHaveLength(2);
});

test('an event beyond the bound ends the array', () => {
  expect(framed([Buffer.from('data: {"a":'), Buffer.from('1'.repeat(100)), Buffer.from('}\n\n')], false, 32)).toBe('');
});
