import type { IncomingHttpHeaders } from 'node:http';

/** A caller's request, however its connection is read. */
export interface ServedRequest {
  readonly method: string;
  readonly url: string;
  /** Lower-case names. That of the body's length may be missing. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  readonly socket: { readonly remoteAddress?: string | undefined };
  /** The body as it was sent, read once; at once when it has come. Rejects with BodyTooLarge, or with `undefined` when the caller went away. */
  body(maxBytes: number): Buffer | Promise<Buffer>;
  /** What the caller still sends is not read: its connection serves no other request after this answer. */
  leaveUnread(): void;
}

export class BodyTooLarge extends Error {}

export type AnswerHeaders = Readonly<Record<string, string | number>>;

/** The answer to one request on its way to the caller's connection. */
export interface Answer {
  readonly headSent: boolean;
  /** The connection ended before the answer did. */
  readonly gone: boolean;
  /** The head of an answer in parts. */
  head(status: number, headers: AnswerHeaders): void;
  /** A part. False: the caller reads slower than we write; `onDrain` calls once. */
  write(bytes: Buffer | string): boolean;
  /** The last part. */
  end(bytes?: Buffer | string): void;
  /** Head and body at once. */
  whole(status: number, headers: AnswerHeaders, body: Buffer | string): void;
  /** Breaks the connection: the answer is visibly not whole. */
  destroy(): void;
  onDrain(listener: () => void): void;
  /** Called once when the caller leaves before its answer ended. */
  onGone(listener: () => void): void;
}

export type Serve = (request: ServedRequest, answer: Answer) => void;

/** Larger bodies are not copied to join them with their head or frame. */
export const largestCopied = 16_384;

/** One chunk of the chunked coding (RFC 9112, 7.1). */
export function framed(bytes: Buffer): Buffer {
  const size = bytes.length.toString(16);
  const start = size.length + 2;
  const frame = Buffer.allocUnsafe(start + bytes.length + 2);
  frame.write(size, 0, 'latin1');
  frame.writeUInt16BE(0x0d0a, size.length);
  bytes.copy(frame, start);
  frame.writeUInt16BE(0x0d0a, start + bytes.length);
  return frame;
}
