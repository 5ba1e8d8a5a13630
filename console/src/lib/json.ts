export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a text says as JSON; undefined for what is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A JSON object from text; an empty record for anything else. */
export function parseRecord(text: string): Record<string, unknown> {
  const value = parseJson(text);
  return isRecord(value) ? value : {};
}

/** A JSON text in order, with `indent` 0 on one line; a text that is none as it is. */
export function formatJson(text: string, indent = 2): string {
  const value = parseJson(text);
  return value === undefined ? text : JSON.stringify(value, null, indent);
}
