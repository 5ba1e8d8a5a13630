import type { JsonObject } from '@tollgate/wire';

/** The body without some of its members; itself when it has none of them. */
export function without(body: JsonObject, names: readonly string[]): JsonObject {
  if (!names.some((name) => name in body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

/** The body with a member under another name; a member that already has that name stays. */
export function renamed(body: JsonObject, from: string, to: string): JsonObject {
  if (!(from in body)) return body;
  const { [from]: value, ...rest } = body;
  return { ...rest, [to]: rest[to] ?? value };
}

/** The body with each of its messages changed; the same list when none changes. */
export function withMessages(body: JsonObject, change: (message: JsonObject) => JsonObject): JsonObject {
  if (!Array.isArray(body.messages)) return body;
  const before = body.messages as unknown[];
  const after = before.map((message) => (isObject(message) ? change(message) : message));
  return after.every((message, k) => message === before[k]) ? body : { ...body, messages: after };
}

/** Nucleus sampling below 1, for vendors that refuse 1. */
export function openTopP(body: JsonObject, highest: number): JsonObject {
  return typeof body.top_p === 'number' && body.top_p > highest ? { ...body, top_p: highest } : body;
}

/** The canonical error of an answer that says in `message` alone what is wrong; any other as it came. */
export function messageAsError(answer: JsonObject): JsonObject {
  return typeof answer.message === 'string' ? { error: { message: answer.message, type: 'upstream_error' } } : answer;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of a member of ...; undefined where one of them is missing. */
export function inside(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((found, name) => (isObject(found) ? found[name] : undefined), value);
}
