import type { ApiDocument, ApiOperation, JsonSchema } from '@tollgate/contract/openapi.ts';
import { isRecord } from '../../lib/json.ts';

/** One operation with its address. */
export interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: ApiOperation;
}

export interface Group {
  readonly name: string;
  readonly title: string;
  readonly entries: readonly Entry[];
}

/** The operations by group, narrowed to those that hold each word of the search; groups without any are left out. */
export function groupsOf({ tags, paths }: ApiDocument, search: string): Group[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const entries = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const holds = ({ method, path, operation }: Entry, title: string) => {
    const text = `${method} ${path} ${operation.operationId} ${operation.summary} ${title}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return tags
    .map(({ name, description: title }) => ({
      name,
      title,
      entries: entries.filter((entry) => entry.operation.tags[0] === name && holds(entry, title)),
    }))
    .filter((group) => group.entries.length > 0);
}

/** One field of a query or body, as a row. */
export interface FieldRow {
  readonly name: string;
  readonly required: boolean;
  readonly type: string;
  /** Default and bounds, as short words; "" when there are none. */
  readonly limits: string;
}

const schemas = (value: unknown): JsonSchema[] => (Array.isArray(value) ? value.filter(isRecord) : []);

const nameIn = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

/** The type in a few words: `string`, `integer[]`, `"a" | "b"`. */
export function typeText(schema: JsonSchema): string {
  const { type, items, enum: values, const: value, anyOf, oneOf, $ref } = schema;
  if (typeof $ref === 'string') return nameIn($ref);
  if (Array.isArray(values)) return values.map((one) => JSON.stringify(one)).join(' | ');
  if (value !== undefined) return JSON.stringify(value);
  const choices = [...schemas(anyOf), ...schemas(oneOf)];
  if (choices.length > 0) return [...new Set(choices.map(typeText))].join(' | ');
  if (type === 'array') return `${isRecord(items) ? typeText(items) : 'any'}[]`;
  return typeof type === 'string' ? type : 'any';
}

const bounds: readonly (readonly [key: string, text: string])[] = [
  ['default', '= '],
  ['minimum', '≥ '],
  ['maximum', '≤ '],
  ['minLength', 'length ≥ '],
  ['maxLength', 'length ≤ '],
  ['minItems', 'items ≥ '],
  ['maxItems', 'items ≤ '],
];

function limitsText(schema: JsonSchema): string {
  const said = bounds.filter(([key]) => schema[key] !== undefined && Math.abs(Number(schema[key])) !== Number.MAX_SAFE_INTEGER);
  return said.map(([key, text]) => text + JSON.stringify(schema[key])).join(', ');
}

/** The forms that a body may have, each as its fields; none when it is no object. */
export function formsOf(schema: JsonSchema): FieldRow[][] {
  const choices = [...schemas(schema.anyOf), ...schemas(schema.oneOf)];
  if (choices.length > 0) return choices.flatMap(formsOf);
  if (!isRecord(schema.properties)) return [];
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const rows = Object.entries(schema.properties).map(([name, field]) => ({
    name,
    required: required.includes(name),
    type: isRecord(field) ? typeText(field) : 'any',
    limits: isRecord(field) ? limitsText(field) : '',
  }));
  return [rows];
}

export const bodyOf = ({ requestBody }: ApiOperation): JsonSchema | undefined => requestBody?.content['application/json'].schema;

/** The call as one types it, with the keys that it needs left to fill in. */
export function curlOf(origin: string, { method, path, operation }: Entry): string {
  const isOpen = operation.security.length === 0;
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} '${origin}${path}'`,
    ...(isOpen ? [] : [`-H "Authorization: Bearer $ACCESS_TOKEN"`, `-H "New-Api-User: $USER_ID"`]),
    ...(operation.requestBody ? [`-H 'Content-Type: application/json'`, `-d '{}'`] : []),
  ];
  return lines.join(' \\\n  ');
}

/** One field of an answer, as a row. */
export interface AnswerRow {
  /** Its way from the top: `data.items[].id`; `[name]` stands for any name. */
  readonly name: string;
  readonly type: string;
  readonly mayBeAbsent: boolean;
  /** Told in English alone. */
  readonly note: string;
}

/** Deeper than this a reader takes the description itself. */
const deepest = 5;

/** What an answer holds on success, types that have a name spelled out where they come first; none for files. */
export function answerRows({ responses }: ApiOperation, { components }: ApiDocument): AnswerRow[] {
  const named = isRecord(components.schemas) ? components.schemas : {};
  const data = [responses[200], 'content', 'application/json', 'schema', 'properties', 'data'].reduce(inside);
  if (!isRecord(data) || Object.keys(data).length === 0) return [];
  const rows = new Map<string, AnswerRow>();
  const walk = (schema: JsonSchema, name: string, within: readonly string[]): void => {
    const reference = typeof schema.$ref === 'string' ? nameIn(schema.$ref) : undefined;
    const target = reference === undefined ? schema : named[reference];
    if (!isRecord(target) || within.length > deepest || (reference !== undefined && within.includes(reference))) return;
    const deeper = [...within, reference ?? ''];
    for (const choice of schemas(target.anyOf)) walk(choice, name, within);
    if (isRecord(target.items)) walk(target.items, `${name}[]`, within);
    if (isRecord(target.additionalProperties)) walk(target.additionalProperties, `${name}[name]`, deeper);
    const required: readonly unknown[] = Array.isArray(target.required) ? target.required : [];
    for (const [key, field] of Object.entries(isRecord(target.properties) ? target.properties : {})) {
      if (!isRecord(field) || rows.has(`${name}.${key}`)) continue;
      const note = typeof field.description === 'string' ? field.description : '';
      rows.set(`${name}.${key}`, { name: `${name}.${key}`, type: typeText(field), mayBeAbsent: !required.includes(key), note });
      walk(field, `${name}.${key}`, deeper);
    }
  };
  rows.set('data', { name: 'data', type: typeText(data), mayBeAbsent: false, note: '' });
  walk(data, 'data', []);
  return [...rows.values()];
}

const inside = (value: unknown, key: unknown): unknown => (isRecord(value) ? value[String(key)] : undefined);
