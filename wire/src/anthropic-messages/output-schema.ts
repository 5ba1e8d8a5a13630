import { asObject, type JsonObject } from '../json.ts';

const maxDepth = 64;
/** Bounds that the dialect refuses in a schema of an answer; said in words they still reach the model. */
const spoken: readonly string[] = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
];
/** Members whose values are schemas, lists of schemas, or schemas by name. */
const nested: readonly string[] = ['items', 'anyOf', 'allOf', 'oneOf', 'additionalItems', 'not'];
const named: readonly string[] = ['properties', '$defs', 'definitions'];

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
    if (spoken.includes(key) || (key === 'minItems' && value !== 0 && value !== 1))
      bounds.push(`${key}: ${JSON.stringify(value)}`);
    else if (nested.includes(key)) result[key] = inner(value);
    else if (named.includes(key)) result[key] = mapValues(asObject(value) ?? {}, inner);
    else if (key !== 'additionalProperties') result[key] = value;
  }
  if (bounds.length > 0) result.description = withBounds(schema.description, bounds);
  const { additionalProperties: free } = schema;
  if (free === true || asObject(free) !== undefined) lose();
  if (schema.type === 'object' || schema.properties !== undefined) result.additionalProperties = false;
  return result;
}

function mapValues(object: JsonObject, change: (value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

function withBounds(description: unknown, bounds: readonly string[]): string {
  const said = `{${bounds.join(', ')}}`;
  return typeof description === 'string' && description !== '' ? `${description}\n\n${said}` : said;
}
