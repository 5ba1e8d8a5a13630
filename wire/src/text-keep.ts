/**
 * Keeps the text of a stream, still escaped as in JSON, for counting after a cut. Bounded: once a piece does not fit,
 * it and all later ones are only measured, so what is kept is always a prefix made of whole pieces.
 */
export interface TextKeep {
  /** Bytes seen, escapes included. */
  readonly bytes: number;
  readonly keptBytes: number;
  /** Takes the inside of a JSON string from a buffer; copies it. */
  keep(source: Buffer, from: number, to: number): void;
  /** Takes decoded text. */
  keepText(text: string): void;
  /** The kept prefix, decoded. */
  text(): string;
}

export const maxKeptBytes = 256 * 1024;
const shortText = 48;

class Keep implements TextKeep {
  bytes = 0;
  keptBytes = 0;
  #store: Buffer = Buffer.alloc(0);
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  keep(source: Buffer, from: number, to: number): void {
    const length = to - from;
    if (!this.#reserve(length)) return;
    const store = this.#store;
    let at = this.keptBytes;
    // A token is a few bytes: a native copy costs more than it moves.
    if (length > shortText) source.copy(store, at, from, to);
    else for (let k = from; k < to; k += 1) store[at++] = source[k] ?? 0;
    this.keptBytes += length;
  }

  keepText(text: string): void {
    if (text === '' || this.#keepPlain(text)) return;
    const raw = Buffer.from(JSON.stringify(text));
    this.keep(raw, 1, raw.length - 1);
  }

  /** Most of what models write is short and needs no escape: that is stored without a copy in between. */
  #keepPlain(text: string): boolean {
    const { length } = text;
    if (length > shortText) return false;
    for (let k = 0; k < length; k += 1) {
      const code = text.charCodeAt(k);
      if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return false;
    }
    if (!this.#reserve(length)) return true;
    for (let k = 0; k < length; k += 1) this.#store[this.keptBytes + k] = text.charCodeAt(k);
    this.keptBytes += length;
    return true;
  }

  #reserve(length: number): boolean {
    const fits = this.keptBytes === this.bytes && this.bytes + length <= this.#limit;
    this.bytes += length;
    if (!fits) return false;
    const needed = this.keptBytes + length;
    if (needed > this.#store.length) {
      const grown = Buffer.allocUnsafeSlow(Math.min(this.#limit, Math.max(needed, this.#store.length * 2, 256)));
      grown.set(this.#store.subarray(0, this.keptBytes));
      this.#store = grown;
    }
    return true;
  }

  text(): string {
    const raw = this.#store.toString('utf8', 0, this.keptBytes);
    try {
      const text: unknown = JSON.parse(`"${raw}"`);
      return typeof text === 'string' ? text : raw;
    } catch {
      return raw;
    }
  }
}

/** A store for one stream; memory grows with the text up to `limitBytes`. */
export function createTextKeep(limitBytes: number = maxKeptBytes): TextKeep {
  return new Keep(limitBytes);
}
