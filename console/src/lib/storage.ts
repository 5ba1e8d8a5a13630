/** Local storage that never throws: it may be blocked, full or hold somebody else's data. */

function tried<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    // Nothing to do: what is set lives until the page is left.
    return undefined;
  }
}

export const readText = (key: string): string => tried(() => localStorage.getItem(key)) ?? '';

export const writeText = (key: string, value: string): void =>
  tried(() => (value === '' ? localStorage.removeItem(key) : localStorage.setItem(key, value)));

/** The same for what was typed: this tab has it after a reload, and no other. Nothing secret stands here. */
export const readDraft = (key: string): string => tried(() => sessionStorage.getItem(key)) ?? '';
export const writeDraft = (key: string, value: string): void => tried(() => sessionStorage.setItem(key, value));

/** The keys of everything that is stored. */
export const storedKeys = (): string[] => tried(() => Object.keys(localStorage)) ?? [];

/** The parsed value, or undefined when it is absent, not JSON, or not what `check` accepts. */
export function readJson<T>(key: string, check: (value: unknown) => value is T): T | undefined {
  const value: unknown = tried(() => JSON.parse(readText(key)));
  return check(value) ? value : undefined;
}

export function writeJson(key: string, value: unknown): void {
  writeText(key, JSON.stringify(value));
}
