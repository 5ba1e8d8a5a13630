import { Socket } from 'node:net';

/** What one read brings at most. */
export const readBytes = 65_536;

/**
 * One buffer for the reads of all plain connections: a read is handled before the next one begins. Where the system
 * fills buffers in the background, and under TLS, each connection reads by itself.
 */
export const sharedBuffer = process.platform === 'win32' ? undefined : Buffer.allocUnsafeSlow(readBytes);

/** Where the runtime keeps what `onread` of a connection that is opened says: one that is accepted has no such option. */
interface Inside {
  readonly _handle?: { readonly useUserBuffer?: (buffer: Buffer) => void } | null;
  [place: symbol]: unknown;
}

const symbols = Object.getOwnPropertySymbols(new Socket());
const placeOf = (name: string) => symbols.find(({ description }) => description === name);
const [bufferPlace, listenerPlace] = [placeOf('kBuffer'), placeOf('kBufferCb')];

/**
 * Gives `listener` what comes on an accepted connection: bytes that are valid until it returns. Where a runtime keeps these
 * things otherwise it makes a buffer of each read, which is slower and nothing else.
 */
export function shareReads(socket: Socket, listener: (bytes: Buffer) => void): void {
  const inside = socket as unknown as Inside;
  const { _handle: handle } = inside;
  if (sharedBuffer === undefined || bufferPlace === undefined || listenerPlace === undefined || !handle?.useUserBuffer)
    return void socket.on('data', listener);
  inside[bufferPlace] = sharedBuffer;
  inside[listenerPlace] = (length: number, buffer: Buffer) => listener(buffer.subarray(0, length));
  handle.useUserBuffer(sharedBuffer);
}

/** From now on the connection emits `data` like any other. */
export function endShareReads(socket: Socket, listener: (bytes: Buffer) => void): void {
  const inside = socket as unknown as Inside;
  if (listenerPlace === undefined || typeof inside[listenerPlace] !== 'function') return void socket.off('data', listener);
  inside[listenerPlace] = (length: number, buffer: Buffer) => socket.push(Buffer.from(buffer.subarray(0, length)));
}

/** The same bytes for good: a copy of what lies in the shared buffer. */
export function kept(bytes: Buffer): Buffer {
  return bytes.buffer === sharedBuffer?.buffer ? Buffer.from(bytes) : bytes;
}

/** The same bytes in memory of their own, for what stays: a small buffer of the runtime's pool keeps 64 KB with all that lay beside it. */
export function apart(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength <= 2 * bytes.length) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}
