/** Reading parsed JSON that nobody vouches for. */

export type JsonObject = Record<string, unknown>;

/** The value when it is a JSON object (not null, not an array). */
export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** The objects of a JSON array; anything else counts as an empty array. */
export function asObjects(value: unknown): JsonObject[] {
  const objects: JsonObject[] = [];
  if (Array.isArray(value)) {
    for (const item of value) {
      const object = asObject(item);
      if (object !== undefined) objects.push(object);
    }
  }
  return objects;
}

/** The value when it is a string, else "". */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The parsed text when it is a JSON object, else undefined. Never throws. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}
