import type { Member } from '@tollgate/wire';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** The elements of an array in a scanned body, each as its own text; none for another kind of value. */
export function elementsOf(bytes: Buffer, member: Member | undefined): string[] {
  if (member?.kind !== 'array') return [];
  const elements: string[] = [];
  const end = member.valueEnd - 1;
  let depth = 0;
  let from = member.valueStart + 1;
  const take = (to: number) => {
    const text = bytes.toString('utf8', from, to).trim();
    if (text !== '') elements.push(text);
    from = to + 1;
  };
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = closingQuote(bytes, at, end);
    else if (byte === 0x7b || byte === 0x5b) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    else if (byte === COMMA && depth === 0) take(at);
  }
  take(end);
  return elements;
}

/** The quote that ends the string which begins at `open`, or `to` where it ends behind that; the scan has checked that there is one. */
export function closingQuote(bytes: Buffer, open: number, to: number): number {
  for (let at = bytes.indexOf(QUOTE, open + 1); at >= 0 && at < to; at = bytes.indexOf(QUOTE, at + 1)) {
    let slashes = 0;
    while (bytes[at - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return to;
}
