import { describe, expect, test } from 'vitest';
import { anthropicMessages } from '../anthropic-messages/dialect.ts';
import { openaiChat } from '../openai-chat/dialect.ts';
import { openaiResponses } from '../openai-responses/dialect.ts';
import type { ClientDialect } from './dialect.ts';

const closed = (properties: object, required = Object.keys(properties)) => ({
  ...{ type: 'object', properties, required, additionalProperties: false },
});
const word = { type: 'string' };

function asked(schema: object, to: ClientDialect) {
  const read = anthropicMessages.decodeRequest({
    ...{ model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'x' }] },
    tools: [{ name: 'f', strict: true, input_schema: schema }],
    output_config: { format: { type: 'json_schema', schema } },
  });
  if (!read.ok) throw new Error(read.reason);
  return to.encodeRequest(read.request, { model: 'm', defaultMaxTokens: 10 });
}

function strictness(schema: object) {
  const chat = asked(schema, openaiChat);
  const responses = asked(schema, openaiResponses);
  expect(chat.losses).toEqual(responses.losses);
  const strict = chat.losses.length === 0;
  expect(chat.body).toMatchObject({ tools: [{ function: { strict } }], response_format: { json_schema: { strict, schema } } });
  expect(responses.body).toMatchObject({ tools: [{ strict }], text: { format: { strict, schema } } });
  return chat.losses;
}

describe('what a caller of another dialect holds a model to', () => {
  test.each([
    closed({ a: word, b: { type: 'array', items: closed({ c: { anyOf: [word, { type: 'null' }] } }) } }),
    { ...closed({ a: { $ref: '#/$defs/a' } }), $defs: { a: closed({ a: { ...word, format: 'uuid' } }) } },
    closed({}),
  ])('stays strict where these dialects take it so: %#', (schema) => {
    expect(strictness(schema)).toEqual([]);
  });

  test.each([
    closed({ a: word, b: word }, ['a']),
    closed({ a: closed({ b: word }, []) }),
    { type: 'object', properties: { a: word }, required: ['a'] },
    closed({ a: { ...word, format: 'uri' } }),
    closed({ a: { allOf: [word] } }),
    { ...closed({ a: word }), $defs: { a: closed({ b: word }, []) } },
    { anyOf: [closed({ a: word })] },
    { type: 'object' },
  ])('is a schema that is meant where they would refuse it: %#', (schema) => {
    expect(strictness(schema)).toEqual(['strict']);
  });

  test('is theirs to judge where it came in one of them', () => {
    const body = { model: 'm', messages: [{ role: 'user', content: 'x' }] };
    const tools = [{ type: 'function', function: { name: 'f', strict: true, parameters: { type: 'object' } } }];
    const read = openaiChat.decodeRequest({ ...body, tools });
    if (!read.ok) throw new Error(read.reason);
    const { body: told, losses } = openaiResponses.encodeRequest(read.request, { model: 'm', defaultMaxTokens: 10 });
    expect([losses, told.tools]).toMatchObject([[], [{ strict: true }]]);
  });
});
