import * as strict from '../strict.ts';

const known =
  'type format title description nullable enum maxItems minItems properties required minProperties maxProperties minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum';
const types = 'STRING NUMBER INTEGER BOOLEAN ARRAY OBJECT NULL TYPE_UNSPECIFIED';

/** The vendor's own schema language: a part of OpenAPI's, with one type each and nothing else. */
export function checkSchema(value: unknown, path: string): void {
  const schema = strict.only(value, path, known);
  if (schema.anyOf !== undefined && Object.keys(schema).length > 1)
    strict.refuse(`${path} schema specified other fields alongside any_of. When using any_of, it must be the only field set.`);
  if (schema.type !== undefined) strict.oneOf(String(schema.type).toUpperCase(), `${path}.type`, types);
  const type = String(schema.type ?? '').toUpperCase();
  for (const each of strict.some(schema.enum, `${path}.enum`)) strict.filled(each, `${path}.enum`);
  if (schema.enum !== undefined && type !== 'STRING') strict.refuse(`${path}.enum: only allowed for STRING type`);
  if (type === 'ARRAY' && schema.items === undefined) strict.refuse(`${path}.items: missing field`);
  if (type === 'STRING' && schema.format !== undefined) strict.oneOf(schema.format, `${path}.format`, 'enum date-time');
  if (schema.items !== undefined) checkSchema(schema.items, `${path}.items`);
  const properties = Object.entries(strict.object(schema.properties ?? {}, `${path}.properties`));
  for (const [name, inner] of properties) checkSchema(inner, `${path}.${name}`);
  for (const name of strict.some(schema.required, `${path}.required`)) {
    if (!properties.some(([each]) => each === name)) strict.refuse(`${path}.required: ${String(name)} is not defined`);
  }
  for (const inner of strict.some(schema.anyOf, `${path}.anyOf`)) {
    if (strict.object(inner, path).type === undefined)
      strict.refuse(`${path}.anyOf: schema didn't specify the schema type field`);
    checkSchema(inner, `${path}.anyOf`);
  }
}
