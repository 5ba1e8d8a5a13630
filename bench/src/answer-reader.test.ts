import { describe, expect, it } from 'vitest';
import { AnswerReader } from './answer-reader.ts';
import { type Expected, expectedAnswer } from './traffic.ts';

const stream = expectedAnswer('stream', false);
const whole = expectedAnswer('json', false);
const chunkedHead = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

function chunked(bytes: Buffer, size: number): Buffer {
  const parts: Buffer[] = [Buffer.from(chunkedHead)];
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

function sized(bytes: Buffer, status = 200): Buffer {
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} X\r\ncontent-length: ${bytes.length}\r\n\r\n`), bytes]);
}

/** Feeds the answer in reads of `size` bytes, as from a socket whose buffer still holds older bytes behind them. */
function feed(expected: Expected, answer: Buffer, size: number): { reader: AnswerReader; over: boolean } {
  const reader = new AnswerReader(expected);
  const buffer = Buffer.alloc(size + 8, '\n');
  let over = false;
  for (let at = 0; at < answer.length && !over; at += size) over = reader.push(buffer, answer.copy(buffer, 0, at, at + size));
  return { reader, over };
}

describe('the load generator believes an answer only when every byte is right', () => {
  it('knows when something of the body is there', () => {
    const head = Buffer.from(chunkedHead);
    const reader = new AnswerReader(stream);
    reader.push(Buffer.concat([head, Buffer.from('61\r\n')]), head.length + 4);
    expect(reader.hasBody).toBe(false);
    reader.push(stream.bytes, 1);
    expect(reader.hasBody).toBe(true);
    reader.reset();
    expect(reader.hasBody).toBe(false);
  });

  it('reads answers however they are cut into reads and chunks', () => {
    for (const size of [1, 2, 7, 64, 1000, 100_000]) {
      const streamed = feed(stream, chunked(stream.bytes, 97), size);
      expect([streamed.over, streamed.reader.fault, streamed.reader.chunks]).toEqual([true, undefined, 50]);
      const plain = feed(whole, sized(whole.bytes), size);
      expect([plain.over, plain.reader.fault, plain.reader.status]).toEqual([true, undefined, 200]);
    }
  });

  it('takes what another gateway spells anew, and counts its chunks however they are cut', () => {
    const respelt = { ...stream, isRespelt: true };
    const spelt = Buffer.from(stream.bytes.toString().replaceAll('"logprobs":null,', '').replaceAll('\n\n', '\r\n\r\n'));
    for (const size of [1, 7, 64, 1000, 100_000]) {
      const { over, reader } = feed(respelt, chunked(spelt, 97), size);
      expect([over, reader.fault, reader.chunks]).toEqual([true, undefined, 50]);
    }
    const cut = spelt.subarray(0, spelt.lastIndexOf('data: {'));
    expect(feed(respelt, chunked(cut, 97), 1000).reader.fault).toBe('the body is cut');
    expect(feed({ ...whole, isRespelt: true }, sized(Buffer.from('{}')), 64).reader.fault).toBeUndefined();
  });

  it('is not over before the last byte', () => {
    const answer = chunked(stream.bytes, 300);
    expect(feed(stream, answer.subarray(0, -1), 500).over).toBe(false);
    expect(feed(whole, sized(whole.bytes).subarray(0, -1), 500).over).toBe(false);
  });

  it('reads the next answer on the same connection', () => {
    const { reader } = feed(whole, sized(whole.bytes), 4096);
    reader.reset();
    const again = sized(whole.bytes);
    expect([reader.push(again, again.length), reader.fault]).toEqual([true, undefined]);
  });

  const changed = Buffer.from(whole.bytes);
  changed[100] = (changed[100] ?? 0) ^ 1;
  it.each([
    ['a changed byte', sized(changed), 'the body differs'],
    ['a shorter body', sized(whole.bytes.subarray(0, -1)), 'the body is cut'],
    ['a longer body', sized(Buffer.concat([whole.bytes, Buffer.from('x')])), 'the body differs'],
    ['an error status', sized(whole.bytes, 503), 'status 503'],
    ['no length', Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), 'the head gives no length, or two'],
    ['bytes after the end', Buffer.concat([sized(whole.bytes), Buffer.from('x')]), 'bytes after the end of the answer'],
    ['a broken chunk', Buffer.from(`${chunkedHead}zz\r\n`), 'a chunk has no size'],
  ])('refuses %s', (_, answer, fault) => {
    expect(feed(whole, answer, 100_000).reader.fault).toBe(fault);
  });

  it('lets an id differ, and nothing beside it', () => {
    const translated = expectedAnswer('converted', false);
    const { from, to } = translated.free ?? { from: 0, to: 0 };
    const changed = (at: number) => Buffer.from(translated.bytes).fill('?', at, at + 1);
    for (const size of [3, 40, 100_000]) {
      for (const at of [from, to - 1]) expect(feed(translated, sized(changed(at)), size).reader.fault).toBeUndefined();
      for (const at of [from - 1, to]) expect(feed(translated, sized(changed(at)), size).reader.fault).toBe('the body differs');
    }
  });

  it('refuses a stream without its end mark', () => {
    const { reader } = feed(stream, chunked(stream.bytes.subarray(0, -'data: [DONE]\n\n'.length), 200), 100_000);
    expect(reader.fault).toBe('the body is cut');
  });
});
