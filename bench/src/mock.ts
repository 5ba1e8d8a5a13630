import net from 'node:net';
import {
  contentFrames,
  doneFrame,
  type StreamKind,
  streams as shapes,
  streamAskedBy,
  usageFrame,
  wholeAnswer,
} from './traffic.ts';

/** The bench's upstream: answers any POST at once, streams chunk by chunk at a fixed pace. Every byte is made beforehand. */
const headEnd = Buffer.from('\r\n\r\n');
const maxRequestBytes = 1 << 20;
const slots = 1024;
const slotMs = 1;

const answers = new Map<number, Buffer>();

/** Made once for each length of question that comes. */
function answerTo(questionBytes: number): Buffer {
  const known = answers.get(questionBytes);
  if (known !== undefined) return known;
  const body = wholeAnswer(questionBytes);
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const whole = Buffer.concat([Buffer.from(head), body]);
  answers.set(questionBytes, whole);
  return whole;
}
const streamHead = Buffer.from(
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n',
);
const lastPart = Buffer.concat([httpChunk(Buffer.concat([usageFrame, doneFrame])), Buffer.from('0\r\n\r\n')]);
const partsOf = (kind: StreamKind): Buffer[] => [...contentFrames(kind).map((frame) => httpChunk(frame)), lastPart];
const parts: Record<StreamKind, Buffer[]> = {
  stream: partsOf('stream'),
  long: partsOf('long'),
  crowd: partsOf('crowd'),
  idle: partsOf('idle'),
};

function httpChunk(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

interface Stream {
  readonly socket: net.Socket;
  readonly kind: StreamKind;
  next: number;
}

// One timer for all streams: each stands in the slot of the millisecond at which its next chunk is due.
const wheel: Stream[][] = Array.from({ length: slots }, () => []);
let streams = 0;
let slot = 0;
let slotStartedMs = 0;

function arm(stream: Stream, afterMs: number) {
  wheel[(slot + Math.max(1, Math.round(afterMs / slotMs))) % slots]?.push(stream);
}

function turn() {
  for (const now = performance.now(); slotStartedMs + slotMs <= now; slotStartedMs += slotMs) {
    slot = (slot + 1) % slots;
    for (const stream of wheel[slot]?.splice(0) ?? []) send(stream);
  }
  if (streams > 0) setTimeout(turn, slotMs);
}

function send(stream: Stream) {
  const all = parts[stream.kind];
  const part = all[stream.next++];
  if (part !== undefined && !stream.socket.destroyed) stream.socket.write(part);
  if (stream.next < all.length && !stream.socket.destroyed) arm(stream, shapes[stream.kind].pacingMs);
  else streams -= 1;
}

function startStream(socket: net.Socket, kind: StreamKind) {
  socket.write(streamHead);
  streams += 1;
  if (streams === 1) {
    slotStartedMs = performance.now();
    setTimeout(turn, slotMs);
  }
  // A random phase, so that the streams do not beat in step.
  arm({ socket, kind, next: 0 }, 1 + Math.random() * shapes[kind].pacingMs);
}

/** Length of the first request in `bytes`; undefined while it is incomplete. */
function requestLength(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(headEnd);
  if (end < 0) return undefined;
  const size = /\r\ncontent-length: *(\d+)\r\n/i.exec(bytes.toString('latin1', 0, end + 2))?.[1];
  const length = end + headEnd.length + Number(size ?? 0);
  return length <= bytes.length ? length : undefined;
}

const server = net.createServer({ noDelay: true }, (socket) => {
  let pending: Buffer | undefined;
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes: Buffer) => {
    const all = pending === undefined ? bytes : Buffer.concat([pending, bytes]);
    const length = requestLength(all);
    if (length === undefined) {
      pending = all;
      if (all.length > maxRequestBytes) socket.destroy();
      return;
    }
    pending = length < all.length ? all.subarray(length) : undefined;
    const kind = streamAskedBy(all.subarray(0, length));
    if (kind === undefined) socket.write(answerTo(length));
    else startStream(socket, kind);
  });
});

process.stdin.once('end', () => process.exit(0)).resume();
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' ? address?.port : 0 })}\n`);
});
