/** A secret in plain, for comparing and sealing only: however it is printed, it is not seen. */
export class Secret {
  readonly #plain: string | undefined;

  /** Undefined: it lies here, but does not open with this master key. */
  constructor(plain: string | undefined) {
    this.#plain = plain;
  }

  plain(): string | undefined {
    return this.#plain;
  }

  toJSON(): string {
    return '***';
  }
}

/** What a field holds: JSON, and secrets anywhere in it. */
export type Value = null | boolean | number | string | Secret | readonly Value[] | { readonly [name: string]: Value };

/** Field -> value; a field that has its default is absent. */
export type Fields = ReadonlyMap<string, Value>;

export function isRecord(value: Value): value is { readonly [name: string]: Value } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Secret);
}

/** Are they the same, whatever the order of members? A secret that does not open equals nothing. */
export function sameValue(left: Value | undefined, right: Value | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return isReadable(left) && isReadable(right) && ordered(left) === ordered(right);
}

function isReadable(value: Value): boolean {
  if (value instanceof Secret) return value.plain() !== undefined;
  return typeof value !== 'object' || value === null || Object.values(value).every(isReadable);
}

/** One text per content, `hide` = without what is secret in it. */
export function ordered(value: Value, hide?: (plain: string) => string): string {
  if (value instanceof Secret) return `secret ${JSON.stringify(hide?.(value.plain() ?? '') ?? value.plain())}`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((part: Value) => ordered(part, hide)).join(',')}]`;
  const members = Object.entries(value as { readonly [name: string]: Value }).sort(([left], [right]) => compare(left, right));
  return `{${members.map(([name, part]) => `${JSON.stringify(name)}:${ordered(part, hide)}`).join(',')}}`;
}

/** The same everywhere, whatever the language of the machine. */
export function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
