/** A refusal as a vendor would tell it; the dialect spells it. */
export class VendorError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export function refuse(message: string): never {
  throw new VendorError(400, message);
}

export type Json = Readonly<Record<string, unknown>>;

export function object(value: unknown, path: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(`${path}: must be an object`);
  return value as Json;
}

/** An object without members beyond `known`. */
export function only(value: unknown, path: string, known: string): Json {
  const found = object(value, path);
  const allowed = new Set(known.split(' '));
  for (const key of Object.keys(found)) if (!allowed.has(key)) refuse(`${path}: unknown member ${key}`);
  return found;
}

export function list(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) refuse(`${path}: must be a list`);
  return value as unknown[];
}

/** A list that may be absent. */
export function some(value: unknown, path: string): readonly unknown[] {
  return value === undefined || value === null ? [] : list(value, path);
}

export function text(value: unknown, path: string): string {
  if (typeof value !== 'string') refuse(`${path}: must be a string`);
  return value as string;
}

export function filled(value: unknown, path: string): string {
  if (text(value, path) === '') refuse(`${path}: must not be empty`);
  return value as string;
}

export function oneOf<T extends string>(value: unknown, path: string, known: string): T {
  if (typeof value !== 'string' || !known.split(' ').includes(value)) {
    refuse(`${path}: ${JSON.stringify(value)} is none of ${known}`);
  }
  return value as T;
}

/** Undefined where absent or null. */
export function number(value: unknown, path: string, low: number, high: number): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || value < low || value > high) refuse(`${path}: must be a number from ${low} to ${high}`);
  return value as number;
}

export function whole(value: unknown, path: string, low: number, high = 1e9): number | undefined {
  const found = number(value, path, low, high);
  if (found !== undefined && !Number.isInteger(found)) refuse(`${path}: must be an integer`);
  return found;
}

export function matching(value: unknown, path: string, pattern: RegExp): string {
  if (!pattern.test(text(value, path))) refuse(`${path}: ${JSON.stringify(value)} does not match ${pattern}`);
  return value as string;
}

/** The JSON in a text. */
export function parsed(value: unknown, path: string): unknown {
  try {
    return JSON.parse(text(value, path));
  } catch {
    return refuse(`${path}: is not JSON`);
  }
}

export function base64(value: unknown, path: string): string {
  return matching(value, path, /^[A-Za-z0-9+/]+={0,2}$/);
}

/** `data:TYPE;base64,...` as its two parts. */
export function dataUrl(value: string, path: string): { mediaType: string; data: string } {
  const found = /^data:([a-z0-9.+/-]+);base64,([A-Za-z0-9+/]+={0,2})$/.exec(value);
  if (found === null) refuse(`${path}: is no data url`);
  return { mediaType: found?.[1] ?? '', data: found?.[2] ?? '' };
}

/** What a schema for constrained output must be at OpenAI: closed objects whose every property is required. */
export function closedSchema(schema: unknown, path: string): Json {
  const found = object(schema, path);
  if (found.type === 'object') {
    if (found.additionalProperties !== false) refuse(`${path}: additionalProperties must be false`);
    const properties = object(found.properties ?? {}, `${path}.properties`);
    const required = some(found.required, `${path}.required`);
    for (const [name, inner] of Object.entries(properties)) {
      if (!required.includes(name)) refuse(`${path}.required: ${name} is missing`);
      closedSchema(inner, `${path}.${name}`);
    }
  }
  if (found.items !== undefined) closedSchema(found.items, `${path}.items`);
  return found;
}
