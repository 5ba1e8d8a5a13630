import { asObject, asObjects, asText, type JsonObject } from '../json.ts';

const maxDepth = 64;
/** Bounds that the dialect refuses in a schema that it holds a model to; said in words they still reach the model. */
const spoken: readonly string[] = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
];
const formats: readonly unknown[] = [
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'],
];
/** Members whose values are schemas, lists of schemas, or schemas by name. */
const nested: readonly string[] = ['items', 'allOf', 'additionalItems', 'not'];
const named: readonly string[] = ['properties', '$defs', 'definitions'];
/** Both mean a choice; the dialect knows the first word alone. */
const choices: readonly string[] = ['anyOf', 'oneOf'];

/**
 * A schema of another dialect as this one takes it: objects are closed, bounds become part of the description.
 * `lose` is told of objects whose keys are free, which cannot be said.
 */
export function outputSchema(schema: JsonObject, lose: () => void, depth = 0): JsonObject {
  if (depth > maxDepth) return schema;
  const inner = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inner);
    const object = asObject(value);
    return object === undefined ? value : outputSchema(object, lose, depth + 1);
  };
  const result: JsonObject = {};
  const bounds: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (isSpoken(key, value)) bounds.push(`${key}: ${JSON.stringify(value)}`);
    else if (choices.includes(key)) result.anyOf = [...asObjects(result.anyOf), ...asObjects(inner(value))];
    else if (nested.includes(key)) result[key] = inner(value);
    else if (named.includes(key)) result[key] = mapValues(asObject(value) ?? {}, inner);
    else if (key !== 'additionalProperties' && key !== 'discriminator') result[key] = value;
  }
  if (bounds.length > 0) result.description = withBounds(schema.description, bounds);
  const { additionalProperties: free, properties } = schema;
  const isObject = schema.type === 'object' || (Array.isArray(schema.type) && schema.type.includes('object'));
  const isOpen = isObject && properties === undefined && free === undefined;
  if (isOpen || free === true || asObject(free) !== undefined) lose();
  if (isObject || properties !== undefined) result.additionalProperties = false;
  return result;
}

function isSpoken(key: string, value: unknown): boolean {
  if (key === 'minItems') return value !== 0 && value !== 1;
  return spoken.includes(key) || (key === 'format' && !formats.includes(value));
}

function mapValues(object: JsonObject, change: (value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

function withBounds(description: unknown, bounds: readonly string[]): string {
  const said = `{${bounds.join(', ')}}`;
  return typeof description === 'string' && description !== '' ? `${description}\n\n${said}` : said;
}

/** What of a schema makes it hard to hold a model to; the dialect limits the figures over all schemas of a request. */
export interface Weight {
  /** Members of objects that may be left out. */
  readonly optional: number;
  /** Choices between types. */
  readonly unions: number;
  /** What is referred to is told in the schema, apart from other demands, and does not hold itself. */
  readonly isPlain: boolean;
}

/** Nobody needs more of them; looking through them is work. */
const maxDefinitions = 100;

/** Weighs a schema as `outputSchema` made it. */
export function weigh(schema: JsonObject): Weight {
  let [optional, unions, isPlain] = [0, 0, true];
  const definitions = new Map<string, Set<string>>();
  for (const place of ['$defs', 'definitions'])
    for (const name of Object.keys(asObject(schema[place]) ?? {})) definitions.set(`#/${place}/${name}`, new Set());
  const walk = (value: unknown, within: string, depth: number): void => {
    if (Array.isArray(value)) for (const each of value) walk(each, within, depth + 1);
    const node = asObject(value);
    if (node === undefined || depth > maxDepth) return;
    const required = new Set(Array.isArray(node.required) ? node.required : []);
    optional += Object.keys(asObject(node.properties) ?? {}).filter((name) => !required.has(name)).length;
    if (node.anyOf !== undefined || Array.isArray(node.type)) unions += 1;
    if (asObjects(node.allOf).some(({ $ref }) => $ref !== undefined)) isPlain = false;
    const name = asText(node.$ref);
    if (node.$ref !== undefined && !definitions.has(name)) isPlain = false;
    else if (node.$ref !== undefined) definitions.get(within)?.add(name);
    for (const key of [...nested, 'anyOf']) walk(node[key], within, depth + 1);
    for (const key of named) {
      for (const [inner, each] of Object.entries(asObject(node[key]) ?? {}))
        walk(each, depth === 0 && key !== 'properties' ? `#/${key}/${inner}` : within, depth + 1);
    }
  };
  walk(schema, '#', 0);
  return { optional, unions, isPlain: isPlain && !holdThemselves(definitions) };
}

function holdThemselves(definitions: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  if (definitions.size > maxDefinitions) return true;
  const leadsTo = (from: string, to: string, seen: Set<string>): boolean =>
    [...(definitions.get(from) ?? [])].some((next) => {
      if (next === to) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return leadsTo(next, to, seen);
    });
  return [...definitions.keys()].some((name) => leadsTo(name, name, new Set()));
}
