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
