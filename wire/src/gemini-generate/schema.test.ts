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
    [
      'a choice stands alone, and what is said of it is said of its options',
      object({
        a: {
          description: 'd',
          title: 't',
          anyOf: [{ type: 'string' }, { type: 'number', description: 'own' }, { type: 'null' }],
        },
        b: { type: ['string', 'integer', 'null'], description: 'e' },
      }),
      object({
        a: {
          anyOf: [
            { type: 'string', description: 'd', nullable: true },
            { type: 'number', description: 'own', nullable: true },
          ],
        },
        b: {
          anyOf: [
            { type: 'string', description: 'e', nullable: true },
            { type: 'integer', description: 'e', nullable: true },
          ],
        },
      }),
    ],
    [
      'an option has the type of its schema, and takes what is said of its kind',
      { anyOf: [{ type: ['string', 'array'], items: { type: 'number' } }, { type: 'boolean' }] },
      { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }, { type: 'boolean' }] },
    ],
    [
      'a list of texts is no choice between kinds',
      { type: ['string', 'integer'], enum: ['a', 'b'] },
      { type: 'string', enum: ['a', 'b'] },
    ],
    ['one value is a list of one', { const: 'a' }, { type: 'string', enum: ['a'] }],
    [
      'a list of anything says so',
      object({ a: { type: 'array' }, b: { type: ['string', 'array'] } }),
      object({ a: { type: 'array', items: {} }, b: { anyOf: [{ type: 'string' }, { type: 'array', items: {} }] } }),
    ],
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
    [object({ a: { type: 'string', enum: ['', 'x'] } }), object({ a: { type: 'string', enum: ['x'] } })],
    [{ $ref: '#/$defs/a' }, {}],
    [{ type: 'number', exclusiveMinimum: 0 }, { type: 'number' }],
    [{ type: 'integer', enum: [1, 2] }, { type: 'integer' }],
    [{ type: 'object', patternProperties: {} }, { type: 'object' }],
    [{ type: 'object', additionalProperties: { type: 'string' } }, { type: 'object' }],
  ])('a limit that cannot be said is a loss: %j', (schema, expected) => {
    expect(cleanSchema(schema)).toEqual({ schema: expected, isLossy: true });
  });

  const step = object({ text: { type: 'string' } });

  test.each([
    [
      'what a reference names stands in its place',
      object({ steps: { type: 'array', items: { $ref: '#/$defs/Step' } } }, { $defs: { Step: step } }),
      object({ steps: { type: 'array', items: step } }),
    ],
    [
      'with what is said beside it, and through others',
      object(
        { last: { $ref: '#/definitions/Last', description: 'd' } },
        { definitions: { Last: { $ref: '#/definitions/Step' }, Step: step } },
      ),
      object({ last: { ...step, description: 'd' } }),
    ],
    [
      'also where it is all of one, or one of two',
      object(
        {
          a: { allOf: [{ $ref: '#/$defs/Step' }], description: 'd' },
          b: { anyOf: [{ $ref: '#/$defs/Step' }, { type: 'null' }] },
        },
        { $defs: { Step: step } },
      ),
      object({ a: { ...step, description: 'd' }, b: { ...step, nullable: true } }),
    ],
    ['a schema that is a reference', { $ref: '#/$defs/Step', $defs: { Step: step } }, step],
  ])('%s', (_, schema, expected) => {
    expect(cleanSchema(schema)).toEqual({ schema: expected, isLossy: false });
  });

  test.each([
    [
      'a choice between conditions leaves what it is about',
      object({ a: { type: 'string' } }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
      object({ a: { type: 'string' } }),
    ],
    [
      'an option without a type is none',
      { anyOf: [{ type: 'string' }, {}, { type: 'null' }] },
      { type: 'string', nullable: true },
    ],
    ['nor are such options alone a choice', { description: 'd', anyOf: [{}, { minimum: 1 }] }, { description: 'd' }],
    [
      'a bound beside a choice is not told',
      { minimum: 1, anyOf: [{ type: 'string' }, { type: 'number' }] },
      { anyOf: [{ type: 'string' }, { type: 'number' }] },
    ],
  ])('%s, which is declared', (_, schema, expected) => {
    expect(cleanSchema(schema)).toEqual({ schema: expected, isLossy: true });
  });

  test('what is said of a choice is not said as often as one likes', () => {
    const options = Array.from({ length: 1_000 }, () => ({ type: 'string' }));
    const { schema } = cleanSchema({ description: 'd'.repeat(1_000), anyOf: options });
    expect(JSON.stringify(schema).length).toBeLessThan(100_000);
  });

  test('a definition that holds itself is said once', () => {
    const node = object({ next: { $ref: '#/$defs/Node' }, name: { type: 'string' } });
    expect(cleanSchema({ $ref: '#/$defs/Node', $defs: { Node: node } })).toEqual({
      schema: object({ next: { type: 'object' }, name: { type: 'string' } }),
      isLossy: true,
    });
  });

  test('definitions that name each other twice have an end', () => {
    const $defs: Record<string, object> = { d0: { type: 'string' } };
    for (let level = 1; level < 30; level += 1) {
      const each = { $ref: `#/$defs/d${level - 1}` };
      $defs[`d${level}`] = object({ a: each, b: each });
    }
    const { schema, isLossy } = cleanSchema({ $ref: '#/$defs/d29', $defs });
    expect(isLossy).toBe(true);
    expect(JSON.stringify(schema).length).toBeLessThan(65_536);
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
