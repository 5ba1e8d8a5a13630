/** A page as the index of the build names it. */
export interface ManualEntry {
  readonly name: string;
  readonly title: string;
  readonly group: 'manual' | 'reference';
  readonly headings: readonly (readonly [id: string, text: string])[];
  readonly file: string;
}

/** One line of the contents. */
export interface ManualLink {
  readonly name: string;
  readonly text: string;
  /** Heading on the page; undefined = its beginning. */
  readonly hash?: string;
}

/** Pages and headings that hold every word, pages before their headings. */
export function searchManual(index: readonly ManualEntry[], search: string): ManualLink[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const holds = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  return index.flatMap(({ name, title, headings }) => [
    ...(holds(title) ? [{ name, text: title }] : []),
    ...headings
      .filter(([, text]) => holds(`${title} ${text}`))
      .map(([hash, text]) => ({ name, text: `${title} › ${text}`, hash })),
  ]);
}
