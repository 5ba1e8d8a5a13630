import { createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { type Dispatcher, Pool } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listening } from '../../../test/listening.ts';
import { ResponseError, ResponseParser } from './response-parser.ts';

interface Read {
  status: number;
  headers: Record<string, unknown>;
  body: string;
  /** How it ended; undefined: it did not. */
  reusable: boolean | undefined;
}

/** Reads one answer that comes in reads of `sizes` bytes, with old bytes behind them in the buffer. */
function read(text: string, sizes: readonly number[] = [], closes = false): Read | ResponseError {
  const result: Read = { status: 0, headers: {}, body: '', reusable: undefined };
  const parser = new ResponseParser({
    head: (status, headers) => Object.assign(result, { status, headers: { ...headers } }),
    data: (buffer, from, to) => {
      result.body += buffer.toString('latin1', from, to);
    },
    end: (reusable) => {
      result.reusable = reusable;
    },
  });
  parser.expect();
  const bytes = Buffer.from(text, 'latin1');
  const buffer = Buffer.alloc(bytes.length + 8, '\r\n');
  try {
    for (let at = 0, turn = 0; at < bytes.length && result.reusable === undefined; turn += 1) {
      const size = sizes.length === 0 ? bytes.length : (sizes[turn % sizes.length] ?? 1);
      const length = bytes.copy(buffer, 0, at, at + size);
      parser.push(buffer, length);
      buffer.fill('\n');
      at += length;
    }
    if (closes) parser.finish();
  } catch (error) {
    if (error instanceof ResponseError) return error;
    throw error;
  }
  return result;
}

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;

describe('what is read', () => {
  test.each([
    ['a length', `${ok}Content-Length: 5\r\n\r\nhello`, 'hello', true],
    ['no body', `${ok}content-length:0\r\n\r\n`, '', true],
    [
      'chunks, extensions and trailers',
      `${chunked}5;a="b"\r\nhello\r\n00a\r\n, world!!!\r\n0\r\nX-Sum: 1\r\n\r\n`,
      'hello, world!!!',
      true,
    ],
    ['an interim answer before', `HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${ok}Content-Length: 2\r\n\r\nhi`, 'hi', true],
    ['no content', 'HTTP/1.1 204 No Content\r\n\r\n', '', true],
    ['no content of no length', 'HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n', '', true],
    ['no content, with a length', 'HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\n', '', false],
    ['no content, in chunks that are still to come', 'HTTP/1.1 204 X\r\ntransfer-encoding: chunked\r\n\r\n', '', false],
    ['a status without a reason', 'HTTP/1.1 200\r\ncontent-length: 1\r\n\r\nx', 'x', true],
    ['the end of the connection', `${ok}\r\nall of it`, 'all of it', false],
    ['a peer that closes', `${ok}Connection: Close\r\ncontent-length: 1\r\n\r\nx`, 'x', false],
    ['an old peer', 'HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\nx', 'x', false],
    ['more than was asked for', `${ok}content-length: 1\r\n\r\nxHTTP/1.1 200 OK\r\n\r\n`, 'x', false],
    ['more after the chunks', `${chunked}1\r\nx\r\n0\r\n\r\nHTTP`, 'x', false],
  ])('%s', (_, text, body, reusable) => {
    expect(read(text, [], true)).toMatchObject({ body, reusable });
  });

  test('headers: lower case, blanks around a value removed, repeated ones collected, nothing inherited', () => {
    const answer = read(
      `${ok}Content-Length: \t0 \r\nSet-Cookie: a\r\nset-cookie: b=\xe9\xa0\r\n__proto__: x\r\nEmpty:\r\n\r\n`,
    ) as Read;
    expect(Object.entries(answer.headers)).toEqual([
      ['content-length', '0'],
      ['set-cookie', ['a', 'b=\xe9\xa0']],
      ['__proto__', 'x'],
      ['empty', ''],
    ]);
  });

  test('however an answer is cut into reads, it is the same', () => {
    const answers = fc.constantFrom(
      `${ok}Content-Length: 11\r\nA: b\r\n\r\nhello world`,
      `${chunked}5\r\nhello\r\n6;x\r\n world\r\n0\r\nT: 1\r\n\r\n`,
      `HTTP/1.1 100 Continue\r\n\r\n${chunked}b\r\nhello world\r\n0\r\n\r\n`,
    );
    fc.assert(
      fc.property(answers, fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 8 }), (text, sizes) => {
        expect(read(text, sizes)).toEqual(read(text));
        expect(read(text, sizes)).toMatchObject({ body: 'hello world', reusable: true });
      }),
    );
  });

  test('an answer that breaks off has no end', () => {
    for (const text of [`${ok}content-length: 5\r\n\r\nhell`, `${chunked}5\r\nhello\r\n0\r\n`, `${ok}content-le`]) {
      const parser = new ResponseParser({ head: () => undefined, data: () => undefined, end: () => expect.unreachable() });
      parser.expect();
      parser.push(Buffer.from(text), text.length);
      expect(parser.finish()).toBe(false);
    }
  });
});

describe('what two readers could understand differently is refused', () => {
  test.each([
    ['two lengths', `${ok}content-length: 1\r\ncontent-length: 1\r\n\r\nx`],
    ['a list of lengths', `${ok}content-length: 1, 1\r\n\r\nx`],
    ['a length beside chunks', `${ok}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a signed length', `${ok}content-length: +1\r\n\r\nx`],
    ['a hexadecimal length', `${ok}content-length: 0x1\r\n\r\nx`],
    ['an endless length', `${ok}content-length: 9999999999999999\r\n\r\nx`],
    ['a length with another blank', `${ok}content-length: 1\xa0\r\n\r\nx`],
    ['another coding', `${ok}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ['two codings', `${ok}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a coding that nearly fits', `${ok}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['chunks from an old peer', 'HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a blank before the colon', `${ok}content-length : 1\r\n\r\nx`],
    ['a folded line', `${ok}a: b\r\n content-length: 1\r\n\r\nx`],
    ['a bare LF', 'HTTP/1.1 200 OK\ncontent-length: 1\r\n\r\nx'],
    ['a bare CR', `${ok}a: b\rcontent-length: 1\r\n\r\nx`],
    ['a NUL', `${ok}a: b\0c\r\n\r\n`],
    ['a nameless header', `${ok}: b\r\n\r\n`],
    ['another protocol', 'HTTP/2 200\r\n\r\n'],
    ['something else', 'ICY 200 OK\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['a chunk without a size', `${chunked}\r\nx`],
    ['a negative chunk', `${chunked}-1\r\nx`],
    ['a chunk size with a blank before', `${chunked} 1\r\nx\r\n0\r\n\r\n`],
    ['a chunk size with a blank behind', `${chunked}1 \r\nx\r\n0\r\n\r\n`],
    ['a chunk line without CR', `${chunked}1\nx\r\n0\r\n\r\n`],
    ['a chunk longer than its size', `${chunked}1\r\nxy\r\n0\r\n\r\n`],
    ['an endless chunk size', `${chunked}${'0'.repeat(300)}1\r\nx`],
    ['a chunk too large to count', `${chunked}1ffffffffffffff\r\nx`],
    ['a malformed trailer', `${chunked}0\r\nno colon\r\n\r\n`],
    ['a head without end', `${ok}${'a: b\r\n'.repeat(12_000)}`],
    ['trailers without end', `${chunked}0\r\n${'a: b\r\n'.repeat(4_000)}`],
    ['interim answers without end', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(20)],
    ['lines that end with LF alone', 'HTTP/1.1 200 OK\ncontent-length: 1\n\nx'],
    ['a greeting of another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['settings of HTTP/2', '\0\0\x12\x04\0\0\0\0\0'],
  ])('%s', (_, text) => {
    expect(read(text)).toBeInstanceOf(ResponseError);
    expect(read(text, [7])).toBeInstanceOf(ResponseError);
  });

  test('bytes on a connection that nobody asked are refused', () => {
    const parser = new ResponseParser({ head: () => undefined, data: () => undefined, end: () => undefined });
    expect(() => parser.push(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), 19)).toThrow(ResponseError);
  });
});

describe('beside the parser of Node.js', () => {
  let answer = '';
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined).once('data', () => socket.end(Buffer.from(answer, 'latin1'))));
  });
  let pool: Pool;
  beforeAll(async () => {
    pool = new Pool(`http://127.0.0.1:${await listening(server)}`, { connections: 1 });
  });
  afterAll(async () => {
    await pool.destroy();
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  /** What the other parser reads; undefined when it refuses. */
  const reference = () =>
    new Promise<Pick<Read, 'status' | 'body'> | undefined>((resolve) => {
      const result = { status: 0, body: '' };
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart: () => undefined,
        onResponseStart: (_, status) => {
          result.status = status;
        },
        onResponseData: (_, chunk) => {
          result.body += chunk.toString('latin1');
        },
        onResponseEnd: () => resolve(result),
        onResponseError: () => resolve(undefined),
      };
      pool.dispatch({ path: '/', method: 'GET', headers: { connection: 'close' } }, handler);
    });

  const piece = fc.constantFrom(
    ...[
      'Content-Length: 3',
      'content-length:  3',
      'Content-Length: 4',
      'Transfer-Encoding: chunked',
      'transfer-encoding: CHUNKED',
    ],
    ...[
      'Transfer-Encoding: identity',
      'Connection: close',
      'X: y',
      'X : y',
      ' X: y',
      'X: \0',
      'X\t: y',
      'Content-Length: 3\n',
      '',
    ],
  );
  const body = fc.constantFrom(
    'abc',
    'abcd',
    '3\r\nabc\r\n0\r\n\r\n',
    '3\nabc\n0\n\n',
    '3;x=y\r\nabc\r\n0\r\nT: u\r\n\r\n',
    '3 \r\nabc\r\n0\r\n\r\n',
  );
  const status = fc.constantFrom(
    'HTTP/1.1 200 OK',
    'HTTP/1.0 200 OK',
    'HTTP/1.1 204 X',
    'HTTP/1.1 200',
    'HTTP/1.1  200 OK',
    'HTTP/1.1 404 \xff',
  );

  test('what is accepted here is accepted there, with the same status and body', async () => {
    const text = fc.tuple(status, fc.array(piece, { maxLength: 3 }), body).map(([first, lines, rest]) => {
      return `${[first, ...lines].join('\r\n')}\r\n\r\n${rest}`;
    });
    await fc.assert(
      fc.asyncProperty(text, async (candidate) => {
        const own = read(candidate, [], true);
        // To refuse more is allowed.
        if (own instanceof ResponseError || own.reusable === undefined) return;
        answer = candidate;
        const other = await reference();
        expect(own).toMatchObject(other ?? { refused: candidate });
      }),
      { numRuns: 300 },
    );
  });
});
