/**
 * Puts together what comes in pieces of any size. Memory grows with the bytes, however many pieces they come in: a piece of
 * one byte costs a hundred times as much to keep as it is.
 */
export interface Gatherer {
  /** Bytes that came, kept or not. */
  readonly bytes: number;
  /** More came than the bound: what is beyond it is not kept. */
  readonly over: boolean;
  /** False: from here on it is `over`. */
  add(piece: Buffer): boolean;
  /** What was kept, as one, and lets go of it: the next piece is a first one. A body of one piece, or of pieces that lie behind each other in memory, is not copied. */
  take(): Buffer;
}

export interface GathererOptions {
  /** Pieces are valid until `add` returns: they are copied. */
  readonly lent?: boolean;
}

const none: Buffer = Buffer.alloc(0);
/** Most bodies come in so many pieces, which are joined once at their end, whatever their sizes. */
const fewPieces = 4;
/** Of those that follow, what a larger one costs beside its bytes does not matter. */
const smallBytes = 4_096;
const leastRoomBytes = 16_384;
const mostRoomBytes = 1_048_576;

class Pieces implements Gatherer {
  bytes = 0;
  #pieces: Buffer[] = [];
  /** Where small pieces are put; what lies from `#from` to `#to` is not among the pieces yet. */
  #room = none;
  #from = 0;
  #to = 0;
  readonly #limit: number;
  readonly #isLent: boolean;

  constructor(limit: number, isLent: boolean) {
    this.#limit = limit;
    this.#isLent = isLent;
  }

  get over(): boolean {
    return this.bytes > this.#limit;
  }

  add(piece: Buffer): boolean {
    const free = this.#limit - this.bytes;
    this.bytes += piece.length;
    if (piece.length <= free) this.#keep(piece);
    else if (free > 0) this.#keep(piece.subarray(0, free));
    return piece.length <= free;
  }

  #keep(piece: Buffer): void {
    if (piece.length === 0 || this.#adjoins(piece)) return;
    if (piece.length >= smallBytes || (this.#pieces.length < fewPieces && this.#to === this.#from)) {
      this.#closeRoom();
      this.#pieces.push(this.#isLent ? Buffer.from(piece) : piece);
      return;
    }
    if (this.#to + piece.length > this.#room.length) this.#openRoom(piece.length);
    this.#room.set(piece, this.#to);
    this.#to += piece.length;
  }

  /** One that lies right behind the last makes that one longer. */
  #adjoins(piece: Buffer): boolean {
    const last = this.#pieces.at(-1);
    if (last === undefined || this.#to > this.#from || last.buffer !== piece.buffer || this.#isLent) return false;
    if (last.byteOffset + last.length !== piece.byteOffset) return false;
    this.#pieces[this.#pieces.length - 1] = Buffer.from(last.buffer, last.byteOffset, last.length + piece.length);
    return true;
  }

  /** Twice as large as the one before. */
  #openRoom(leastBytes: number): void {
    this.#closeRoom();
    const left = this.#limit - this.bytes + leastBytes;
    const wanted = Math.min(Math.max(this.#room.length * 2, leastRoomBytes), mostRoomBytes, left);
    // It may last as long as a call, which a share of the runtime's pool must not.
    this.#room = Buffer.allocUnsafeSlow(Math.max(wanted, leastBytes));
    this.#from = 0;
    this.#to = 0;
  }

  #closeRoom(): void {
    if (this.#to > this.#from) this.#pieces.push(this.#room.subarray(this.#from, this.#to));
    this.#from = this.#to;
  }

  take(): Buffer {
    this.#closeRoom();
    const pieces = this.#pieces;
    this.bytes = 0;
    this.#pieces = [];
    this.#room = none;
    this.#from = 0;
    this.#to = 0;
    // The first piece never lies in a room.
    return pieces.length === 1 ? (pieces[0] ?? none) : Buffer.concat(pieces);
  }
}

/** A gatherer that keeps the first `limitBytes`. */
export function createGatherer(limitBytes: number, { lent = false }: GathererOptions = {}): Gatherer {
  return new Pieces(limitBytes, lent);
}
