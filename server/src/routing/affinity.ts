/** Seeds are unsigned 32-bit integers: the same seed gives the same order of channels. */

/** A seed for a call that belongs to nothing in particular. */
export function freshSeed(random: number): number {
  return Math.floor(random * 0x1_0000_0000) >>> 0;
}

/** The seed that all calls of one conversation share. `tokenId` keeps callers apart that say the same. */
export function affinitySeed(tokenId: number, bytes: Uint8Array): number {
  return mix(hashBytes(bytes) ^ Math.imul(tokenId | 0, 0x9e3779b1));
}

/** What a channel drew in the draw of a seed: uniform in (0, 1]. */
export function drawOf(seed: number, id: number): number {
  return (mix(seed ^ Math.imul(id | 0, 0x85ebca6b)) + 1) / 0x1_0000_0000;
}

/**
 * The place in the order: smallest first. An exponential race, so that the first place falls to each in proportion to its
 * weight, and that leaving one out moves nobody else (weighted rendezvous).
 */
export function raceScore(seed: number, id: number, weight: number): number {
  return -Math.log(drawOf(seed, id)) / weight;
}

function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Four bytes at a time: this runs for every call. */
function hashBytes(bytes: Uint8Array): number {
  const { length } = bytes;
  let h = 0x811c9dc5 ^ length;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    const word = byteAt(bytes, at) | (byteAt(bytes, at + 1) << 8) | (byteAt(bytes, at + 2) << 16) | (byteAt(bytes, at + 3) << 24);
    h = Math.imul(h ^ word, 0x9e3779b1);
    h ^= h >>> 15;
  }
  for (; at < length; at += 1) h = Math.imul(h ^ byteAt(bytes, at), 0x01000193);
  return h;
}

function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}
