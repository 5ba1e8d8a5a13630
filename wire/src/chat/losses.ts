/** Gathers what a target cannot say while something is spelled for it. */
export interface Losses {
  lose(word: string): void;
  /** Without repetition, in the order of appearance. */
  list(): readonly string[];
}

/** An empty list. */
export function createLosses(): Losses {
  const words = new Set<string>();
  return { lose: (word) => void words.add(word), list: () => [...words] };
}
