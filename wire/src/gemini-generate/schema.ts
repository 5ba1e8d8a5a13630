import { asObject, defined, type JsonObject } from '../json.ts';
import { camelKeys, listOf, numberOf, textsOf } from './fields.ts';

/**
 * JSON schemas and the subset of OpenAPI schemas that `parameters` and `responseSchema` take: types also in capitals,
 * `nullable`, no references (contract 6.13): what they name is written out in their place.
 */

const maxDepth = 32;
/** Of definitions, each as often as it is written out: a few that name each other twice would be as many as one likes. */
const maxWrittenOut = 65_536;
const types = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

/** Taken over as they are. */
const plainKeys = ['title', 'description', 'minimum', 'maximum', 'pattern'];
const countKeys = ['minItems', 'maxItems', 'minProperties', 'maxProperties', 'minLength', 'maxLength'];
/** Say nothing that limits a value, or nothing that a model would not do anyway. */
const silentKeys = [
  'default',
  '$schema',
  '$id',
  '$comment',
  'examples',
  'example',
  'deprecated',
  'readOnly',
  'writeOnly',
  'strict',
];
const handledKeys = ['type', 'format', 'enum', 'const', 'properties', 'required', 'items', 'anyOf', 'oneOf', 'nullable'];
const spoken = new Set([...plainKeys, ...countKeys, ...silentKeys, ...handledKeys, '$defs', 'definitions', 'propertyOrdering']);

export interface Cleaned {
  readonly schema: JsonObject;
  /** A limit was left out: a reference, a condition, a bound that the subset has no word for. */
  readonly isLossy: boolean;
}

/** Makes an arbitrary JSON schema sayable. Nesting beyond 32 levels and definitions that hold themselves are cut. Never throws. */
export function cleanSchema(schema: JsonObject): Cleaned {
  const state = { isLossy: false, definitions: definitionsOf(schema), open: new Set<Definition>(), left: maxWrittenOut };
  return { schema: clean(schema, state, 0), isLossy: state.isLossy };
}

interface Definition {
  readonly schema: JsonObject;
  readonly size: number;
}

interface State {
  isLossy: boolean;
  /** By the reference that names it. */
  readonly definitions: ReadonlyMap<string, Definition>;
  /** Those that are being written out. */
  readonly open: Set<Definition>;
  left: number;
}

function definitionsOf(schema: JsonObject): Map<string, Definition> {
  const found = new Map<string, Definition>();
  for (const place of ['$defs', 'definitions']) {
    for (const [name, value] of Object.entries(asObject(schema[place]) ?? {})) {
      const inner = asObject(value);
      if (inner !== undefined) found.set(`#/${place}/${name}`, { schema: inner, size: JSON.stringify(inner).length });
    }
  }
  return found;
}

/** What a reference names, with what stands beside it; of one that names itself no more than its type. */
function writtenOut({ $ref, ...beside }: JsonObject, state: State, depth: number): JsonObject {
  const definition = typeof $ref === 'string' ? state.definitions.get($ref) : undefined;
  if (definition === undefined || state.open.has(definition) || definition.size > state.left) {
    state.isLossy = true;
    return definition === undefined ? clean(beside, state, depth) : withItems(typeFields(definition.schema, state));
  }
  state.left -= definition.size;
  state.open.add(definition);
  const out = clean({ ...definition.schema, ...beside }, state, depth + 1);
  state.open.delete(definition);
  return out;
}

function clean(schema: JsonObject, state: State, depth: number): JsonObject {
  if (depth > maxDepth) {
    state.isLossy = true;
    return {};
  }
  if (schema.$ref !== undefined) return writtenOut(schema, state, depth);
  const { allOf, ...others } = schema;
  // Generators put a reference so that has something beside it.
  const [only, second] = listOf(allOf);
  if (only !== undefined && second === undefined) return clean({ ...only, ...others }, state, depth + 1);
  const out: JsonObject = {};
  for (const key of Object.keys(schema)) if (!isSaid(key, schema[key])) state.isLossy = true;
  Object.assign(out, typeFields(schema, state));
  for (const key of [...plainKeys, ...countKeys]) if (isFit(key, schema[key])) out[key] = schema[key];
  Object.assign(out, enumField(schema, state), children(schema, state, depth));
  return withItems(out.anyOf === undefined ? out : choiceAlone(out, state));
}

/** Lists of anything say so: a list that does not tell what it is of is refused. */
function withItems(node: JsonObject): JsonObject {
  return node.type === 'array' && node.items === undefined ? { ...node, items: {} } : node;
}

/** What limits values beside a choice, and cannot be told of each of its options. */
const beside = ['minimum', 'maximum', 'pattern', ...countKeys];

/**
 * Upstreams take a choice by itself alone, and options by their type: what stands beside it is told of the options that it
 * speaks of. Where the schema itself says what the value is made of, the choice is left out.
 */
function choiceAlone({ anyOf, ...node }: JsonObject, state: State): JsonObject {
  const { type, description, nullable, items, properties, required, propertyOrdering, enum: values } = node;
  if (type !== undefined && (items ?? properties ?? values) !== undefined) {
    if (values === undefined) state.isLossy = true;
    return node;
  }
  const parts: Readonly<Record<string, JsonObject>> = {
    array: defined({ items }),
    object: defined({ properties, required, propertyOrdering }),
  };
  const all = listOf(anyOf).flatMap((option) => (option.anyOf === undefined ? [option] : listOf(option.anyOf)));
  const options = all.map((option) => defined({ type, ...option })).filter((option) => option.type !== undefined);
  if (options.length < all.length || beside.some((key) => node[key] !== undefined)) state.isLossy = true;
  for (const [kind, part] of Object.entries(parts)) {
    const at = options.findIndex((option) => option.type === kind);
    if (options[at] !== undefined) options[at] = { ...part, ...options[at] };
    else if (Object.keys(part).length > 0) state.isLossy = true;
  }
  const [only, second] = options;
  if (only === undefined) return node;
  const said = defined({ description: toldOften(description, options.length, state), nullable });
  return second === undefined ? { ...said, ...only } : { anyOf: options.map((option) => withItems({ ...said, ...option })) };
}

/** A description that is not too much when each option has it. */
function toldOften(description: unknown, times: number, state: State): unknown {
  const size = typeof description === 'string' ? description.length * times : 0;
  if (size > state.left) return undefined;
  state.left -= size;
  return description;
}

function isFit(key: string, value: unknown): boolean {
  return ['title', 'description', 'pattern'].includes(key) ? typeof value === 'string' : typeof value === 'number';
}

function isSaid(key: string, value: unknown): boolean {
  return spoken.has(key) || (key === 'additionalProperties' && typeof value === 'boolean') || value === undefined;
}

function typeFields(schema: JsonObject, state: State): JsonObject {
  const named = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => types.includes(type));
  const real = named.filter((type) => type !== 'null');
  const isNullable = real.length < named.length || schema.nullable === true;
  const out: JsonObject = isNullable && real.length > 0 ? { nullable: true } : {};
  const [only = isNullable ? 'null' : implied(schema)] = real;
  if (real.length > 1) return { ...out, anyOf: real.map((type) => ({ type })) };
  if (only === undefined) return out;
  out.type = only;
  const { format } = schema;
  const isKept = only === 'string' ? format === 'enum' || format === 'date-time' : only === 'number' || only === 'integer';
  if (typeof format === 'string' && isKept) out.format = format;
  else if (format !== undefined && typeof format !== 'string') state.isLossy = true;
  return out;
}

function implied(schema: JsonObject): string | undefined {
  if (asObject(schema.properties) !== undefined) return 'object';
  return asObject(schema.items) === undefined ? undefined : 'array';
}

/** Only texts can be enumerated, and none that is empty. */
function enumField(schema: JsonObject, state: State): JsonObject {
  const values = Array.isArray(schema.enum) ? schema.enum : schema.const === undefined ? undefined : [schema.const];
  if (values === undefined) return {};
  const texts = values.filter((value) => typeof value === 'string' && value !== '');
  const isWhole = values.every((value) => typeof value === 'string' || value === null);
  if (!isWhole || values.includes('')) state.isLossy = true;
  return isWhole && texts.length > 0 ? { type: 'string', enum: texts } : {};
}

function children(schema: JsonObject, state: State, depth: number): JsonObject {
  const out: JsonObject = {};
  const properties = Object.entries(asObject(schema.properties) ?? {}).flatMap(([name, value]): [string, JsonObject][] => {
    const inner = asObject(value);
    if (inner === undefined && value !== true) state.isLossy = true;
    return inner === undefined && value !== true ? [] : [[name, clean(inner ?? {}, state, depth + 1)]];
  });
  if (properties.length > 0) out.properties = Object.fromEntries(properties);
  const names = new Set(properties.map(([name]) => name));
  const required = textsOf(schema.required).filter((name) => names.has(name));
  if (required.length > 0) out.required = required;
  const ordering = textsOf(schema.propertyOrdering).filter((name) => names.has(name));
  if (ordering.length > 0) out.propertyOrdering = ordering;
  const items = asObject(schema.items);
  if (items !== undefined) out.items = clean(items, state, depth + 1);
  else if (Array.isArray(schema.items)) state.isLossy = true;
  const options = [...listOf(schema.anyOf), ...listOf(schema.oneOf)];
  if (options.length > 0) Object.assign(out, alternatives(options, state, depth));
  return out;
}

/** "Or null" is a flag here, and one alternative alone is none. */
function alternatives(options: readonly JsonObject[], state: State, depth: number): JsonObject {
  const real = options.filter((option) => option.type !== 'null');
  const flag = real.length < options.length ? { nullable: true } : {};
  const [only] = real;
  if (real.length === 1 && only !== undefined) return { ...clean(only, state, depth + 1), ...flag };
  return real.length === 0 ? {} : { anyOf: real.map((option) => clean(option, state, depth + 1)), ...flag };
}

/** Does the schema of a function's arguments say that there are any? Empty objects are refused by upstreams. */
export function hasArguments(schema: JsonObject): boolean {
  return Object.keys(schema).some((key) => key !== 'type') || (schema.type !== undefined && schema.type !== 'object');
}

/** The JSON schema that an OpenAPI schema of this dialect stands for. Never throws. */
export function readSchema(raw: JsonObject, depth = 0): JsonObject {
  if (depth > maxDepth) return {};
  const { type, nullable, properties, items, anyOf, ...rest } = camelKeys(raw);
  const out: JsonObject = { ...rest };
  const word = typeof type === 'string' ? type.toLowerCase() : type;
  const isNullable = nullable === true;
  if (word !== undefined && word !== 'type_unspecified')
    out.type = isNullable && typeof word === 'string' ? [word, 'null'] : word;
  for (const key of countKeys) if (key in out) out[key] = numberOf(out[key]) ?? out[key];
  const inner = asObject(properties);
  if (inner !== undefined) out.properties = mapValues(inner, (value) => readSchema(value, depth + 1));
  const element = asObject(items);
  if (element !== undefined) out.items = readSchema(element, depth + 1);
  const options = listOf(anyOf).map((option) => readSchema(option, depth + 1));
  if (options.length > 0) out.anyOf = isNullable && type === undefined ? [...options, { type: 'null' }] : options;
  return out;
}

function mapValues(object: JsonObject, change: (value: JsonObject) => JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(asObject(value) ?? {})]));
}
