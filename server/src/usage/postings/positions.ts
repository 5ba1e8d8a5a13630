import { logSegmentRows } from '../../storage/log-segments.ts';

const words = logSegmentRows / 32;
const bitmapBytes = logSegmentRows / 8;

/** A set of rows of one segment, one bit each. */
export type Bits = Uint32Array;

/** Positions noted in ascending order: a list while that is shorter than one bit for each row of the segment, then the bits. */
export interface Positions {
  list: number[];
  bits: Bits | undefined;
}

/** `position` lies behind those that were noted before. */
export function notePosition(positions: Positions, position: number): void {
  const { list, bits } = positions;
  if (bits !== undefined) setBit(bits, position);
  else if (list.push(position) * 2 >= bitmapBytes) {
    positions.bits = bitsOf(list);
    positions.list = [];
  }
}

/** As text: 16-bit numbers or bits. */
export function encodePositions({ list, bits }: Positions): string {
  return toText(bits ?? Uint16Array.from(list));
}

function toText({ buffer, byteOffset, byteLength }: Uint16Array | Uint32Array | Float64Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

/** The set of these positions. */
export function bitsOf(positions: Iterable<number>): Bits {
  const bits = new Uint32Array(words);
  for (const position of positions) setBit(bits, position);
  return bits;
}

function setBit(bits: Bits, position: number): void {
  bits[position >>> 5] = (bits[position >>> 5] ?? 0) | (1 << (position & 31));
}

/** Puts into the set what `encodePositions` made a text of; its length tells the two forms apart. */
export function addPositions(bits: Bits, text: string): void {
  const bytes = Buffer.from(text, 'base64');
  const isList = bytes.length !== bitmapBytes;
  for (let at = 0; isList && at < bytes.length; at += 2) setBit(bits, bytes.readUInt16LE(at));
  for (let word = 0; !isList && word < words; word += 1) bits[word] = (bits[word] ?? 0) | bytes.readUInt32LE(word * 4);
}

/** The first set, left with what the second one has too. */
export function both(left: Bits, right: Bits): Bits {
  for (let index = 0; index < words; index += 1) left[index] = (left[index] ?? 0) & (right[index] ?? 0);
  return left;
}

export function without(bits: Bits, positions: Iterable<number>): Bits {
  const dropped = bitsOf(positions);
  return bits.map((word, index) => word & ~(dropped[index] ?? 0));
}

/** Positions up to `last` only. */
export function upTo(bits: Bits, last: number): Bits {
  return bits.map((word, index) => {
    const ahead = last - index * 32;
    return ahead >= 31 ? word : ahead < 0 ? 0 : word & (2 ** (ahead + 1) - 1);
  });
}

export function isEmpty(bits: Bits): boolean {
  for (let index = 0; index < words; index += 1) if (bits[index] !== 0) return false;
  return true;
}

/** How many rows the set has. */
export function countBits(bits: Bits): number {
  let count = 0;
  for (const word of bits) count += popcount(word);
  return count;
}

function popcount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** At most `limit` ids below `before`, newest first. */
export function newestIds(bits: Bits, segment: number, before: number, limit: number): number[] {
  const base = segment * logSegmentRows;
  const ids: number[] = [];
  for (let word = words - 1; word >= 0 && ids.length < limit; word -= 1) {
    for (let rest = bits[word] ?? 0; rest !== 0 && ids.length < limit; ) {
      const bit = 31 - Math.clz32(rest);
      rest &= ~(1 << bit);
      const id = base + word * 32 + bit;
      if (id < before) ids.push(id);
    }
  }
  return ids;
}

const largestUint32 = 2 ** 32 - 1;

/** One number per position of the segment, as text: 4 bytes each while all of them fit, else 8. */
export function encodeQuotas(quotas: Float64Array): string {
  return toText(quotas.every((quota) => quota <= largestUint32) ? Uint32Array.from(quotas) : quotas);
}

/** What the rows of the set charged together. */
export function sumQuotas(text: string, bits: Bits): number {
  const bytes = Buffer.from(text, 'base64');
  const { buffer } = new Uint8Array(bytes);
  const quotas = bytes.length === logSegmentRows * 4 ? new Uint32Array(buffer) : new Float64Array(buffer);
  let sum = 0;
  for (let index = 0; index < words; index += 1) {
    for (let rest = bits[index] ?? 0; rest !== 0; rest &= rest - 1) {
      sum += quotas[index * 32 + 31 - Math.clz32(rest & -rest)] ?? 0;
    }
  }
  return sum;
}
