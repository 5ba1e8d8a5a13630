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

function hashBytes(bytes: Uint8Array): number {
  let h = 0x811c9dc5 ^ bytes.length;
  for (const byte of bytes) h = Math.imul(h ^ byte, 0x01000193);
  return h;
}
