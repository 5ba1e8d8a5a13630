/**
 * One text for all spellings of a name that people take for one: with capitals or without, in full width, with signs
 * that nobody sees. For comparing only; it is stored, so that another rule needs a migration.
 */
export function nameKey(name: string): string {
  // The last is the blank of Braille.
  const seen = name.normalize('NFKC').replaceAll(/[\p{Default_Ignorable_Code_Point}\u2800]/gu, '');
  // By way of the capitals: those of `ı` and `ß` are those of `i` and `ss`.
  return seen.toUpperCase().toLowerCase().normalize('NFKC').trim();
}
