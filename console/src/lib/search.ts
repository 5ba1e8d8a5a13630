/** Reading search parameters: what is absent, empty or out of range is undefined, so that defaults never stand in the URL. */
export type RawSearch = Record<string, unknown>;

/** The end of the year 9999: no time of a filter is later. */
export const latestSeconds = 253_402_300_800;

export function textParam(value: unknown, maxLength = 64): string | undefined {
  const text = typeof value === 'string' ? value.trim().slice(0, maxLength) : '';
  return text === '' ? undefined : text;
}

export function intParam(value: unknown, min: number, max: number): number | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^-?\d{1,15}$/.test(text)) return undefined;
  const number = Number(text);
  return number >= min && number <= max ? number : undefined;
}

/** `?a=1&b=x` as an object of texts; of repeated names the last one counts. */
export const parseSearch = (search: string): RawSearch => Object.fromEntries(new URLSearchParams(search));

/** The opposite, without undefined and empty values. */
export function stringifySearch(search: RawSearch): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== '') parameters.set(name, String(value));
  }
  return parameters.size > 0 ? `?${parameters}` : '';
}

/** A path of our own to return to after signing in; undefined for anything that could lead elsewhere. */
export function ownPath(value: unknown): string | undefined {
  const path = typeof value === 'string' ? value.slice(0, 2048) : '';
  if (!/^\/(?![/\\])/.test(path)) return undefined;
  const { host, pathname, search } = new URL(path, 'http://self.invalid');
  // Without its dots "/.//host" is "//host": an address elsewhere.
  return host === 'self.invalid' && !/^\/(\/|(login|register)\b)/.test(pathname) ? pathname + search : undefined;
}
