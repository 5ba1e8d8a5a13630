/** The entries of a list with commas, each once, without the blanks around them. */
export function splitList(text: string): string[] {
  return [...new Set(text.split(',').flatMap((entry) => entry.trim() || []))];
}
