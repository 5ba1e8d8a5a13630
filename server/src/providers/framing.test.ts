import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inUse } from '../../../wire/test/in-use.ts';
import { binaryMessage } from '../../test/event-stream-kit.ts';
import { createFramer, type Framing } from './framing.ts';

/** Everything that comes out when the bytes are cut at these places; each chunk's memory is overwritten afterwards. */
function framed(framing: Framing, bytes: Buffer, cuts: readonly number[], limit?: number) {
  const framer = createFramer(framing, limit);
  if (framer === undefined) throw new Error('no framer');
  const edges = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  const out: Buffer[] = [];
  for (const [k, edge] of edges.slice(1).entries()) {
    const chunk = Buffer.from(bytes.subarray(edges[k], edge));
    const events = framer.push(chunk);
    if (events !== undefined) out.push(Buffer.from(events));
    chunk.fill(0x21);
  }
  const last = framer.end();
  if (last !== undefined) out.push(last);
  return { text: Buffer.concat(out).toString('utf8'), fault: framer.fault };
}

const event = { ':message-type': 'event', ':event-type': 'contentBlockDelta' };
const binary = Buffer.concat([
  binaryMessage(event, '{"a":"é"}'),
  binaryMessage(event, JSON.stringify({ bytes: Buffer.from('{"type":"ping"}').toString('base64'), p: 'ab' })),
  binaryMessage({ ':message-type': 'error', ':error-code': 'InternalFailure', ':error-message': 'broken' }, ''),
]);
const binaryEvents = [
  'event: contentBlockDelta\ndata: {"a":"é"}\n\n',
  'event: ping\ndata: {"type":"ping"}\n\n',
  'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"broken","code":"InternalFailure"}}\n\n',
];

describe.each<[Framing, Buffer, string]>([
  [
    'json-lines',
    Buffer.from('{"a":"é"}\r\n\n{"b":[1,\r2]}\n{"c":3}'),
    'data: {"a":"é"}\n\ndata: {"b":[1, 2]}\n\ndata: {"c":3}\n\n',
  ],
  ['aws-event-stream', binary, binaryEvents.join('')],
  ['json', Buffer.from('\ufeff{\n  "a": "é",\r\n  "b": 2\n}\n'), 'data: {   "a": "é",   "b": 2 }\n\n'],
])('%s', (framing, bytes, expected) => {
  test('becomes events, however the bytes are cut', () => {
    expect(framed(framing, bytes, [])).toEqual({ text: expected, fault: undefined });
    expect(framed(framing, bytes, [...bytes.keys()])).toEqual({ text: expected, fault: undefined });
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 8 }), (cuts) => {
        expect(framed(framing, bytes, cuts).text).toBe(expected);
      }),
      { numRuns: 50 },
    );
  });

  test('is bounded', () => {
    const long = framing === 'aws-event-stream' ? binaryMessage(event, 'a'.repeat(5000)) : Buffer.alloc(5000, 0x61);
    const { text, fault } = framed(framing, long, [1000, 2000, 3000], 1024);
    expect({ text, fault }).toEqual({ text: '', fault: 'frame-too-long' });
  });
});

test('the vendor’s published messages are read: one without anything, one with a payload alone', () => {
  const empty = Buffer.from('000000100000000005c248eb7d98c8ff', 'hex');
  const plain = Buffer.from('0000001d00000000fd528c5a7b27666f6f273a27626172277dc3653936', 'hex');
  const { text, fault } = framed('aws-event-stream', Buffer.concat([empty, plain]), []);
  expect({ text, fault }).toEqual({
    text: "event: message\ndata: \n\nevent: message\ndata: {'foo':'bar'}\n\n",
    fault: undefined,
  });
});

test('server-sent events need no framer', () => {
  expect(createFramer('sse')).toBeUndefined();
});

test('nothing but bytes that are wrong comes to a fault, and arbitrary bytes never throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.array(fc.nat(200), { maxLength: 4 }), (bytes, cuts) => {
      const inside = cuts.filter((cut) => cut <= bytes.length);
      const { text, fault } = framed('aws-event-stream', Buffer.from(bytes), inside);
      expect(text).toBe('');
      expect(fault === undefined || fault === 'malformed' || fault === 'frame-too-long').toBe(true);
    }),
  );
});

test.each<[Framing, Buffer]>([
  ['json', Buffer.from(JSON.stringify({ text: 'x'.repeat(300_000) }))],
  ['aws-event-stream', binaryMessage(event, JSON.stringify({ text: 'x'.repeat(300_000) }))],
])('an event in pieces of a byte costs its bytes (%s)', (framing, bytes) => {
  const framer = createFramer(framing);
  const before = inUse();
  for (const byte of bytes.subarray(0, -1)) framer?.push(Buffer.of(byte));
  expect(inUse() - before).toBeLessThan(3 * bytes.length);
  const whole = framer?.push(bytes.subarray(-1)) ?? framer?.end();
  expect(whole?.toString()).toContain('x'.repeat(300_000));
});
