import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The bytes of one answer on their way to the caller's connection. */
export interface AnswerWriter {
  /** Part of an answer whose head was written. False: the caller reads slower than we write; `onDrain` calls once. */
  write(bytes: Buffer | string): boolean;
  /** Head and body at once. */
  whole(status: number, headers: OutgoingHttpHeaders, body: Buffer | string): void;
  onDrain(listener: () => void): void;
}

/** Larger bodies are not copied to join them with their head or frame. */
const largestCopied = 16_384;

/**
 * Writes answers with few system calls and objects. What follows the first piece of a stream goes to the socket with its
 * frame around it, in one piece: the response object would make four pieces of it.
 */
export function createAnswerWriter(response: ServerResponse): AnswerWriter {
  /** Set once the head and everything before went to this socket. */
  let direct: Socket | undefined;
  return {
    write(bytes) {
      if (direct !== undefined && bytes.length <= largestCopied) {
        return bytes.length === 0 || direct.write(framed(typeof bytes === 'string' ? Buffer.from(bytes) : bytes));
      }
      const { socket } = response;
      const isReady = response.write(bytes);
      // A response that waits behind another one of its connection has no socket yet; old callers get no chunks.
      if (socket !== null && response.chunkedEncoding) direct = socket;
      return isReady;
    },
    whole(status, headers, body) {
      response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
      // Text goes out together with the head; this text has the body's very bytes.
      if (typeof body !== 'string' && body.length <= largestCopied) response.end(body.toString('latin1'), 'latin1');
      else response.end(body);
    },
    onDrain: (listener) => void (direct ?? response).once('drain', listener),
  };
}

/** One chunk of the chunked coding (RFC 9112, 7.1). */
function framed(bytes: Buffer): Buffer {
  const size = bytes.length.toString(16);
  const start = size.length + 2;
  const frame = Buffer.allocUnsafe(start + bytes.length + 2);
  frame.write(size, 0, 'latin1');
  frame.writeUInt16BE(0x0d0a, size.length);
  bytes.copy(frame, start);
  frame.writeUInt16BE(0x0d0a, start + bytes.length);
  return frame;
}
