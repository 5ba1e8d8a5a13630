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

const CR = 0x0d;
const LF = 0x0a;

/** One chunk of the chunked coding (RFC 9112, 7.1). Byte by byte where there are few: a native call takes longer. */
export function framed(bytes: Buffer): Buffer {
  const size = bytes.length.toString(16);
  const frame = Buffer.allocUnsafe(size.length + bytes.length + 4);
  let at = 0;
  while (at < size.length) {
    frame[at] = size.charCodeAt(at);
    at += 1;
  }
  frame[at] = CR;
  frame[at + 1] = LF;
  bytes.copy(frame, at + 2);
  const end = at + 2 + bytes.length;
  frame[end] = CR;
  frame[end + 1] = LF;
  return frame;
}
