/** `alice` -> `a***e`: enough to know a friend, too little to know a stranger. */
export function masked(name: string): string {
  const letters = [...name];
  const last = letters.length > 2 ? letters.at(-1) : '';
  return `${letters[0] ?? ''}***${last}`;
}
