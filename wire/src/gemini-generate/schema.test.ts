import { describe, expect, test } from 'vitest';
import { cleanSchema, readSchema } from './schema.ts';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

describe('cleanSchema', () => {
  test.each([
    [
      'defaults, titles of drafts and closed objects say nothing that is lost',
      { type: 'string', default: 'x', $schema: 'y' },
      { type: 'string' },
    ],
    [
      'text formats other than dates go',
      object({ a: { type: 'string', format: 'email' }, b: { type: 'string', format: 'date-time' } }),
      object({ a: { type: 'string' }, b: { type: 'string', format: 'date-time' } }),
    ],
    [
      '"or null" becomes a flag',
      object({ a: { type: ['string', 'null'] }, b: { anyOf: [{ type: 'number' }, { type: 'null' }] } }),
      object({ a: { nullable: true, type: 'string' }, b: { type: 'number', nullable: true } }),
    ],
    [
      'alternatives are one word',
      { oneOf: [{ type: 'string' }, { type: 'number' }] },
      { anyOf: [{ type: 'string' }, { type: 'number' }] },
    ],
    ['one value is a list of one', { const: 'a' }, { type: 'string', enum: ['a'] }],
    ['empty properties go', object({ a: object({}) }, { additionalProperties: false }), object({ a: { type: 'object' } })],
    [
      'what is required exists',
      object({ a: { type: 'string' } }, { required: ['a', 'b'] }),
      object({ a: { type: 'string' } }, { required: ['a'] }),
    ],
  ])('%s', (_, schema, expected) => {
    expect(cleanSchema(schema)).toEqual({ schema: expected, isLossy: false });
  });

  test.each([
    [{ $ref: '#/$defs/a' }, {}],
    [{ type: 'number', exclusiveMinimum: 0 }, { type: 'number' }],
    [{ type: 'integer', enum: [1, 2] }, { type: 'integer' }],
    [{ type: 'object', patternProperties: {} }, { type: 'object' }],
    [{ type: 'object', additionalProperties: { type: 'string' } }, { type: 'object' }],
  ])('a limit that cannot be said is a loss: %j', (schema, expected) => {
    expect(cleanSchema(schema)).toEqual({ schema: expected, isLossy: true });
  });

  test('nesting has an end', () => {
    let deep: object = { type: 'string' };
    for (let level = 0; level < 400; level += 1) deep = { type: 'array', items: deep };
    const { schema, isLossy } = cleanSchema({ ...deep });
    expect(isLossy).toBe(true);
    expect(JSON.stringify(schema).match(/items/g)?.length).toBe(33);
  });
});

test('an OpenAPI schema is read as the JSON schema it stands for', () => {
  const open = {
    type: 'OBJECT',
    properties: { a: { type: 'STRING', nullable: true }, b: { type: 'ARRAY', items: { type: 'INTEGER' }, min_items: '1' } },
    propertyOrdering: ['a', 'b'],
  };
  expect(readSchema(open)).toEqual({
    type: 'object',
    properties: { a: { type: ['string', 'null'] }, b: { type: 'array', items: { type: 'integer' }, minItems: 1 } },
    propertyOrdering: ['a', 'b'],
  });
});
