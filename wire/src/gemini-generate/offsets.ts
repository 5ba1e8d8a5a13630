/** Positions in a text: this dialect counts UTF-8 bytes, JavaScript and most other dialects UTF-16 units. */

/** Of an answer's text, kept to find positions in; what comes later is taken to be plain. */
export const maxPositionChars = 256 * 1024;

/** The unit at which each byte stands. A position behind the text keeps its distance to the end. */
export function unitsOfBytes(text: string, positions: readonly number[]): ReadonlyMap<number, number> {
  return walk(
    text,
    positions,
    ({ bytes }) => bytes,
    ({ units }) => units,
  );
}

/** The byte at which each unit stands. */
export function bytesOfUnits(text: string, positions: readonly number[]): ReadonlyMap<number, number> {
  return walk(
    text,
    positions,
    ({ units }) => units,
    ({ bytes }) => bytes,
  );
}

interface Place {
  bytes: number;
  units: number;
}

function walk(text: string, positions: readonly number[], from: (place: Place) => number, to: (place: Place) => number) {
  const found = new Map<number, number>();
  const place: Place = { bytes: 0, units: 0 };
  for (const position of [...new Set(positions)].sort((a, b) => a - b)) {
    while (from(place) < position && place.units < text.length) advance(place, text.codePointAt(place.units) ?? 0);
    found.set(position, to(place) + Math.max(0, position - from(place)));
  }
  return found;
}

function advance(place: Place, code: number): void {
  place.units += code < 0x10000 ? 1 : 2;
  place.bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}
