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
  /** The short way for many small parts, once the head was given and until the end; undefined = there is none. */
  passage(): Passage | undefined;
  /** The last part. */
  end(bytes?: Buffer | string): void;
  /** Head and body at once. */
  whole(status: number, headers: AnswerHeaders, body: Buffer | string): void;
  /** Breaks the connection: the answer is visibly not whole. */
  destroy(): void;
  onDrain(listener: () => void): void;
  /** After the end: called once, when the caller has taken all that was written or its connection is no more. */
  onTaken(listener: () => void): void;
  /** Called once when the caller leaves before its answer ended. */
  onGone(listener: () => void): void;
}

/** Takes parts of an answer beside `write`, in one order with it. */
export interface Passage {
  /** Parts that were taken so far, those of earlier answers included. */
  readonly writes: number;
  /** A part that is valid until this returns. False as for `write`. */
  chunk(bytes: Buffer, from: number, to: number): boolean;
}

export type Serve = (request: ServedRequest, answer: Answer) => void;

/** Larger bodies are not copied to join them with their head or frame. */
export const largestCopied = 16_384;

const CR = 0x0d;
const LF = 0x0a;

/** What the coding puts around a chunk: at most eight digits and two line ends. */
export const mostFrameBytes = 12;

/** One chunk of the chunked coding (RFC 9112, 7.1). */
export function framed(bytes: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(bytes.length + mostFrameBytes);
  return frame.subarray(0, putChunk(frame, 0, bytes, 0, bytes.length));
}

/** Puts `bytes[from, to)` as a chunk into the room at `start`; returns where it ends. */
export function putChunk(room: Buffer, start: number, bytes: Buffer, from: number, to: number): number {
  const length = to - from;
  let at = start;
  let shift = 0;
  while (length >>> shift > 0xf) shift += 4;
  for (; shift >= 0; shift -= 4) {
    const digit = (length >>> shift) & 0xf;
    room[at] = digit < 10 ? 0x30 + digit : 0x57 + digit;
    at += 1;
  }
  room[at] = CR;
  room[at + 1] = LF;
  bytes.copy(room, at + 2, from, to);
  at += 2 + length;
  room[at] = CR;
  room[at + 1] = LF;
  return at + 2;
}
