/** From the commonest to the rarest of what requests are made of; all else in ASCII is rarer. */
const common = ' etaoinsrhldcumfpgwybvk"\n:,.';
const rarest = 100;
const leadRank = 5;
const followRank = 20;
/** Where the rare byte turns out to be common, the pass over all bytes is the faster way. */
const candidatesPerByte = 1 / 64;
const freeCandidates = 32;

interface Anchored {
  readonly word: Buffer;
  /** Place of the word's rarest byte. */
  readonly place: number;
  /** That byte, and its capital. */
  readonly forms: readonly number[];
}

/**
 * Looks for each of a few words (lower-case bytes, none empty) by its rarest byte, whatever the case of ASCII letters.
 * Undefined: those bytes are common in this text, and nothing was decided.
 */
export function anchoredFinder(words: readonly Buffer[]): (bytes: Uint8Array) => boolean | undefined {
  const anchors = words.map(anchorOf);
  return (bytes) => {
    let left = freeCandidates + bytes.length * candidatesPerByte;
    for (const { word, place, forms } of anchors) {
      for (const form of forms) {
        for (let at = bytes.indexOf(form, place); at >= 0; at = bytes.indexOf(form, at + 1)) {
          if (stands(word, bytes, at - place)) return true;
          left -= 1;
          if (left < 0) return undefined;
        }
      }
    }
    return false;
  };
}

function anchorOf(word: Buffer): Anchored {
  let place = 0;
  for (let at = 1; at < word.length; at += 1) if (rankOf(word[at] ?? 0) > rankOf(word[place] ?? 0)) place = at;
  const byte = word[place] ?? 0;
  return { word, place, forms: isLetter(byte) ? [byte, byte - 0x20] : [byte] };
}

function rankOf(byte: number): number {
  if (byte >= 0xc0) return leadRank;
  if (byte >= 0x80) return followRank;
  const place = common.indexOf(String.fromCharCode(byte));
  return place < 0 ? rarest : place;
}

function stands(word: Buffer, bytes: Uint8Array, from: number): boolean {
  if (from + word.length > bytes.length) return false;
  for (let at = 0; at < word.length; at += 1) {
    const byte = bytes[from + at] ?? 0;
    const small = byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
    if (small !== word[at]) return false;
  }
  return true;
}

function isLetter(byte: number): boolean {
  return byte >= 0x61 && byte <= 0x7a;
}
