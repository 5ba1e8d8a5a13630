/** Local storage that never throws: it may be blocked, full or hold somebody else's data. */

export function readText(key: string): string {
  try {
    return localStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}

export function writeText(key: string, value: string): void {
  try {
    if (value === '') localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Nothing to do: the setting lives until the page is left.
  }
}

/** Removes every text whose key is meant. */
export function removeTexts(isMeant: (key: string) => boolean): void {
  try {
    for (const key of Object.keys(localStorage)) if (isMeant(key)) localStorage.removeItem(key);
  } catch {
    // Blocked: then there is none.
  }
}

/** The parsed value, or undefined when it is absent, not JSON, or not what `check` accepts. */
export function readJson<T>(key: string, check: (value: unknown) => value is T): T | undefined {
  const text = readText(key);
  if (text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function writeJson(key: string, value: unknown): void {
  writeText(key, JSON.stringify(value));
}
