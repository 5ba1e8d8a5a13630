import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, pairs } from './streams/ask.ts';
import { type ByteUpstream, startByteUpstream } from './streams/byte-upstream.ts';
import { bytesOf, wideText } from './streams/damage.ts';
import { piecesOf, told, wholeOf } from './streams/dialects.ts';
import { type Column, costOf, type Front, modelOf, numberedChannels, startFront } from './world.ts';

const modelsPerChannel = 60;
let upstream: ByteUpstream;
let front: Front;
let next = 0;

beforeAll(async () => {
  upstream = await startByteUpstream();
  front = await startFront(upstream.url, numberedChannels(modelsPerChannel));
});
afterAll(async () => {
  expect(await front.root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
  await front.stop();
  await upstream.close();
});

const call = (caller: Column, column: Column, stream: boolean) =>
  ask(front, caller, `${modelOf(column)}-${next++ % modelsPerChannel}`, stream);

const head = (lines: readonly string[], status = '200 OK') => Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join('\r\n')}\r\n\r\n`);
const jsonType = 'content-type: application/json';
const streamType = 'content-type: text/event-stream';
const chunk = (bytes: Buffer) => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
const chunked = 'transfer-encoding: chunked';
const interim = (count: number) => Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(count));

/** F-17, of whole answers: the whole of the JSON, in a framing that lies. */
const lies: readonly (readonly [name: string, (body: Buffer) => Buffer[]])[] = [
  ['a length that is too long', (body) => [head([jsonType, `content-length: ${body.length + 10}`]), body]],
  ['a length that is too short', (body) => [head([jsonType, `content-length: ${body.length - 10}`]), body]],
  [
    'a length and chunks',
    (body) => [head([jsonType, `content-length: ${body.length}`, chunked]), chunk(body), Buffer.from('0\r\n\r\n')],
  ],
  ['two lengths', (body) => [head([jsonType, `content-length: ${body.length}`, `content-length: ${body.length + 1}`]), body]],
  [
    'a chunk whose size is none',
    (body) => [head([jsonType, chunked]), Buffer.from('xyz\r\n'), body, Buffer.from('\r\n0\r\n\r\n')],
  ],
  ['chunks without their end', (body) => [head([jsonType, chunked]), chunk(body)]],
  [
    'an encoding that it does not have',
    (body) => [head([jsonType, 'content-encoding: gzip', `content-length: ${body.length}`]), body],
  ],
  ['status 204 and a body', (body) => [head([jsonType, `content-length: ${body.length}`], '204 No Content'), body]],
  ['status 205 and a body', (body) => [head([jsonType, `content-length: ${body.length}`], '205 Reset Content'), body]],
  ['status 304 and a body', (body) => [head([jsonType, `content-length: ${body.length}`], '304 Not Modified'), body]],
  ['no head at all', (body) => [body]],
  ['two hundred interim heads', (body) => [interim(200), head([jsonType, `content-length: ${body.length}`]), body]],
  ['another protocol', (body) => [head(['upgrade: h2c', 'connection: upgrade'], '101 Switching Protocols'), body]],
  ['a page around it', (body) => [head(['content-type: text/html']), Buffer.from('<html>'), body]],
];

const legal: readonly (readonly [name: string, (body: Buffer) => Buffer[]])[] = [
  ['a few interim heads', (body) => [interim(3), head([jsonType, `content-length: ${body.length}`]), body]],
  ['trailers', (body) => [head([jsonType, chunked]), chunk(body), Buffer.from('0\r\nx-late: 1\r\n\r\n')]],
  [
    'chunks of one byte',
    (body) => [
      head([jsonType, chunked]),
      ...Array.from(body, (_, k) => chunk(body.subarray(k, k + 1))),
      Buffer.from('0\r\n\r\n'),
    ],
  ],
  ['an end that is the end of the connection', (body) => [head([jsonType]), body]],
];

describe.each(pairs)('a caller of %s, an upstream of %s', (caller, column) => {
  const whole = wholeOf(column, wideText);

  test.each(lies)('a whole answer with %s is an error, and free: never half an answer as a whole one', async (_, bytes) => {
    upstream.answer(bytes(whole));
    const got = await call(caller, column, false);
    expect(got.status).toBeGreaterThanOrEqual(400);
    expect(got).toMatchObject({ charged: 0, rows: [] });
    expect(upstream.calls).toBeGreaterThan(0);
  });

  test.each(legal)('a whole answer with %s arrives', async (_, bytes) => {
    upstream.answer(bytes(whole));
    expect(await call(caller, column, false)).toMatchObject({ status: 200, text: wideText, charged: costOf(told) });
  });

  const stream = bytesOf(piecesOf(column, wideText));
  const half = stream.subarray(0, stream.lastIndexOf('\n\n', stream.length / 2) + 2);

  test.each([
    ['ends before its length', () => [head([streamType, `content-length: ${stream.length}`]), half]],
    ['goes on behind its length', () => [head([streamType, `content-length: ${half.length}`]), stream]],
    ['has a chunk whose size is none', () => [head([streamType, chunked]), chunk(half), Buffer.from('-5\r\nabcde\r\n')]],
    ['ends without its last chunk', () => [head([streamType, chunked]), chunk(half)]],
    ['ends inside of a chunk', () => [head([streamType, chunked]), chunk(stream).subarray(0, half.length)]],
  ])('a stream that %s is cut there: what came is charged, and it does not look whole', async (_, bytes) => {
    upstream.answer(bytes());
    const got = await call(caller, column, true);
    expect(got.status).toBe(200);
    expect(got.isWhole).toBe(false);
    expect(got.rows).toMatchObject([{ other: { cut: true } }]);
    expect(got.charged).toBeGreaterThan(0);
    expect(wideText.startsWith(got.text)).toBe(true);
  });

  test('a stream under the name of a page is an error, and free', async () => {
    upstream.answer([head(['content-type: text/html']), stream]);
    const got = await call(caller, column, true);
    expect(got.status).toBeGreaterThanOrEqual(400);
    expect(got).toMatchObject({ charged: 0, rows: [] });
  });
});
