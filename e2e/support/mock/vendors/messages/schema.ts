import * as strict from '../strict.ts';

const refused =
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength maxItems uniqueItems oneOf discriminator'.split(
    ' ',
  );
const formats = 'date-time time date duration email hostname uri ipv4 ipv6 uuid';

/** What all schemas of a request that the model is held to have together. */
export interface Tally {
  tools: number;
  optional: number;
  unions: number;
}

/** Refuses a schema that the model cannot be held to, and too much of them. */
export function checkSchema(value: unknown, path: string, tally: Tally): strict.Json {
  const schema = strict.object(value, path);
  for (const key of refused) if (key in schema) strict.refuse(`${path}: ${key} is not supported`);
  if (schema.minItems !== undefined) strict.whole(schema.minItems, `${path}.minItems`, 0, 1);
  if (schema.format !== undefined) strict.oneOf(schema.format, `${path}.format`, formats);
  const properties = Object.entries(strict.object(schema.properties ?? {}, `${path}.properties`));
  if ((schema.type === 'object' || properties.length > 0) && schema.additionalProperties !== false)
    strict.refuse(`${path}: additionalProperties must be false`);
  const required = strict.some(schema.required, `${path}.required`);
  tally.optional += properties.filter(([name]) => !required.includes(name)).length;
  if (schema.anyOf !== undefined || Array.isArray(schema.type)) tally.unions += 1;
  const definitions = Object.entries(strict.object(schema.$defs ?? {}, `${path}.$defs`));
  for (const [name, inner] of [...properties, ...definitions]) checkSchema(inner, `${path}.${name}`, tally);
  for (const inner of strict.some(schema.anyOf, `${path}.anyOf`)) checkSchema(inner, `${path}.anyOf`, tally);
  if (schema.items !== undefined) checkSchema(schema.items, `${path}.items`, tally);
  return schema;
}

export function checkTally({ tools, optional, unions }: Tally): void {
  if (tools > 20) strict.refuse(`tools: ${tools} strict tools exceed the limit: 20`);
  if (optional > 24) strict.refuse(`Schemas contains too many optional parameters (${optional}), which exceeds the limit: 24`);
  if (unions > 16)
    strict.refuse(
      `Schemas contains too many parameters with union types (${unions} parameters with type arrays or anyOf) which exceeds the limit: 16`,
    );
}
