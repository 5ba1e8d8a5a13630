import type { Socket } from 'node:net';
import { framed, largestCopied, mostFrameBytes, type Passage, putChunk } from './served.ts';

const roomBytes = 16_384;
/** Larger pieces are written by themselves. */
const largestGathered = 4_096;

/** Where the pieces of all connections stand until the loop's turn ends. */
let room = Buffer.allocUnsafeSlow(roomBytes);
let used = 0;
/** The system still reads from the room: what comes next needs another one. */
let isRoomKept = false;
/** Connections with pieces in the room; some may have written theirs already. */
let due: TurnWrites[] = [];
let isScheduled = false;

/**
 * Gathers what one connection writes: at the end of the loop's turn all of it goes out in one write, right behind that of
 * other connections, so that who reads it is woken once. A piece is copied once, to where the system takes it from.
 */
export class TurnWrites implements Passage {
  writes = 0;
  /** What waits is `room[from, to)`. */
  #from = 0;
  #to = 0;
  #isBlocked = false;
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  chunk(bytes: Buffer, from: number, to: number): boolean {
    this.writes += 1;
    if (to - from > largestGathered) return this.#writeBehind(framed(bytes.subarray(from, to)));
    const at = this.#place(to - from + mostFrameBytes);
    used = putChunk(room, at, bytes, from, to);
    this.#to = used;
    return !this.#isBlocked;
  }

  /** The same for bytes that stay as they are: large ones are not copied. */
  part(bytes: Buffer): boolean {
    if (bytes.length <= largestCopied) return this.chunk(bytes, 0, bytes.length);
    this.writes += 1;
    const socket = this.#socket;
    socket.cork();
    this.#writeBehind(Buffer.from(`${bytes.length.toString(16)}\r\n`));
    socket.write(bytes);
    this.#isBlocked = !socket.write('\r\n', 'latin1');
    socket.uncork();
    return !this.#isBlocked;
  }

  /** Latin-1 without a frame: a head, or the last frame. */
  text(text: string): void {
    if (text.length > largestGathered) return void this.#writeBehind(Buffer.from(text, 'latin1'));
    const at = this.#place(text.length);
    used = at + room.write(text, at, 'latin1');
    this.#to = used;
  }

  /** Writes what waits now. */
  flush(): void {
    const from = this.#from;
    const to = this.#to;
    if (from === to) return;
    this.#from = to;
    const socket = this.#socket;
    const bytes = room.subarray(from, to);
    // Behind others it would stay for long, and the room with it.
    if (socket.writableLength > 0) return void this.#write(Buffer.from(bytes));
    this.#write(bytes);
    if (socket.writableLength > 0) isRoomKept = true;
  }

  /** The connection has taken what was written. */
  drained(): void {
    this.#isBlocked = false;
  }

  #writeBehind(bytes: Buffer): boolean {
    this.flush();
    return this.#write(bytes);
  }

  #write(bytes: Buffer): boolean {
    const isReady = this.#socket.write(bytes);
    this.#isBlocked = !isReady;
    return isReady;
  }

  /** Where the next bytes go, right behind what waits already. */
  #place(length: number): number {
    if (used + length > roomBytes) flushAll();
    if (this.#to === used && this.#from !== used) return used;
    this.flush();
    this.#from = used;
    due.push(this);
    if (!isScheduled) {
      isScheduled = true;
      setImmediate(endTurn);
    }
    return used;
  }
}

function endTurn(): void {
  isScheduled = false;
  flushAll();
}

function flushAll(): void {
  const all = due;
  due = [];
  for (const writes of all) writes.flush();
  used = 0;
  if (!isRoomKept) return;
  isRoomKept = false;
  room = Buffer.allocUnsafeSlow(roomBytes);
}
