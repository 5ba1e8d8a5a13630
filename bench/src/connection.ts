import net from 'node:net';
import { AnswerReader } from './answer-reader.ts';
import type { Expected } from './traffic.ts';

const readBytes = 65_536;

export interface ConnectionParts {
  readonly port: number;
  /** The next request's bytes. */
  request(): Buffer;
  readonly expected: Expected;
  /** Asked before each request; false ends the connection. */
  mayAsk(): boolean;
  /** When the next request is due (monotonic milliseconds); in the past = at once. */
  dueMs(): number;
  /** The first of an answer's body, counted like its end. */
  begun(latencyMs: number): void;
  /** One whole, correct answer. */
  answered(latencyMs: number): void;
  /** Content chunks that came with one read, and how long after the one before in the same stream (milliseconds; 0 for the first). */
  received(chunks: number, gapMs: number): void;
  failed(reason: string): void;
  /** Called once, at the very end. */
  closed(): void;
}

/**
 * A kept connection: the next request goes out when it is due, or as soon as the answer is complete where that is later. Then
 * its latency counts from when it was due: who waits in line waits.
 */
export function openConnection({ port, expected, ...on }: ConnectionParts): void {
  const reader = new AnswerReader(expected);
  let sentMs = 0;
  let chunks = 0;
  let chunkMs = 0;
  let waiting = false;
  let begun = false;
  let reason: string | undefined;

  const ask = () => {
    const dueMs = on.dueMs();
    const earlyMs = dueMs - performance.now();
    if (earlyMs > 0) setTimeout(() => send(performance.now()), earlyMs);
    else send(dueMs);
  };
  const send = (fromMs: number) => {
    waiting = !socket.destroyed && on.mayAsk();
    if (!waiting) return void socket.end();
    reader.reset();
    chunks = 0;
    begun = false;
    sentMs = fromMs;
    socket.write(on.request());
  };
  const read = (length: number, buffer: Uint8Array) => {
    const isOver = reader.push(buffer as Buffer, length);
    if (!begun && reader.hasBody) {
      begun = true;
      on.begun(performance.now() - sentMs);
    }
    if (reader.chunks > chunks) {
      const nowMs = performance.now();
      on.received(reader.chunks - chunks, chunks === 0 ? 0 : nowMs - chunkMs);
      chunkMs = nowMs;
    }
    chunks = reader.chunks;
    if (!isOver) return true;
    reason = reader.fault;
    if (reason === undefined) {
      on.answered(performance.now() - sentMs);
      ask();
    } else socket.destroy();
    return true;
  };
  const socket = net.connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: { buffer: Buffer.allocUnsafeSlow(readBytes), callback: read },
  });
  socket.once('connect', ask);
  socket.once('error', (error) => {
    reason = error.message;
  });
  socket.once('close', () => {
    if (reason !== undefined || waiting) on.failed(reason ?? 'the connection was closed before the answer ended');
    on.closed();
  });
}
