/** The entries of a JSON object, each as its text; undefined for any other text. */
export function entriesOf(text: string): ReadonlyMap<string, string> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return new Map(Object.entries(JSON.parse(text)).map(([name, entry]) => [name, JSON.stringify(entry)]));
  } catch {
    return undefined;
  }
}

interface Sides {
  was: string;
  wanted: string;
  now: string;
}

/**
 * What makes `wanted` of `was`, done to what is there `now`: in JSON objects entry by entry, "" has none. Undefined where both
 * sides changed the same.
 */
export function replay({ was, wanted, now }: Sides): string | undefined {
  if (now === was || now === wanted) return wanted;
  const [before, mine, present] = [was, wanted, now].map((text) => (text === '' ? new Map<string, string>() : entriesOf(text)));
  if (before === undefined || mine === undefined || present === undefined) return undefined;
  const changed = [...new Set([...before.keys(), ...mine.keys()])].filter((name) => before.get(name) !== mine.get(name));
  const isFree = (name: string) => [before.get(name), mine.get(name)].includes(present.get(name));
  // Where no entry differs, their order does, or their layout: that of others stays.
  if (changed.length === 0 || !changed.every(isFree)) return undefined;
  const kept = [...present].filter(([name]) => !changed.includes(name) || mine.has(name));
  const next = new Map([...kept, ...changed.flatMap((name): [string, string][] => entry(name, mine.get(name)))]);
  return JSON.stringify(Object.fromEntries([...next].map(([name, text]) => [name, JSON.parse(text)])), null, 2);
}

function entry(name: string, text: string | undefined): [string, string][] {
  return text === undefined ? [] : [[name, text]];
}
