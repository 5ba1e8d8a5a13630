import { describe, expect, test } from 'vitest';
import { assistant, call, encode, result, text, tool, user } from '../../test/messages-kit.ts';
import type { Part } from '../chat/parts.ts';
import type { ChatRequest } from '../chat/request.ts';
import { decodeRequest } from './decode-request.ts';

describe('reasoning', () => {
  const think = (request: Partial<ChatRequest>, model?: string) => {
    const { body, losses } = encode({ maxTokens: 64_000, ...request }, model);
    return { thinking: body.thinking, effort: (body.output_config as { effort?: string } | undefined)?.effort, losses };
  };

  test.each([
    ['minimal', 1024],
    ['low', 2048],
    ['medium', 8192],
    ['high', 16_384],
    ['xhigh', 32_768],
    ['max', 32_768],
  ] as const)('effort %s is a budget of %i', (effort, budget_tokens) => {
    expect(think({ reasoning: { effort } })).toEqual({
      thinking: { type: 'enabled', budget_tokens },
      effort: undefined,
      losses: [],
    });
  });

  test.each([
    [1024, 'low'],
    [2048, 'low'],
    [2049, 'medium'],
    [16_384, 'high'],
    [50_000, 'xhigh'],
  ])('where there are no budgets, %i is the effort %s', (budgetTokens, effort) => {
    expect(think({ reasoning: { budgetTokens } }, 'claude-opus-4-8')).toEqual({
      thinking: { type: 'adaptive' },
      effort,
      losses: [],
    });
  });

  test('the most that can be asked for stays the most where efforts are told', () => {
    expect(think({ reasoning: { effort: 'max' } }, 'claude-opus-5')).toMatchObject({ effort: 'max', losses: [] });
  });

  test('none is switched off', () => {
    expect(think({ reasoning: { effort: 'none' } }).thinking).toEqual({ type: 'disabled' });
    expect(think({ reasoning: { budgetTokens: 0 } }).thinking).toEqual({ type: 'disabled' });
  });

  test.each(['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-fable-5', 'claude-fable-5-1', 'claude-mythos-preview'])(
    '%s cannot stop thinking: it thinks as little as it can',
    (model) => {
      const least = { thinking: undefined, effort: 'low', losses: ['reasoning'] };
      expect(think({ reasoning: { effort: 'none' } }, model)).toEqual(least);
      expect(think({ reasoning: { budgetTokens: 0 } }, model)).toEqual(least);
      const wanted = { thinking: { type: 'adaptive' }, effort: 'medium', losses: [] };
      expect(think({ reasoning: { budgetTokens: 8000 } }, model)).toEqual(wanted);
    },
  );

  test.each(['claude-haiku-5-5', 'claude-opus-5', 'claude-sonnet-5'])('%s can', (model) =>
    expect(think({ reasoning: { effort: 'none' } }, model).thinking).toEqual({ type: 'disabled' }),
  );

  test('a budget leaves room for the answer, and where it cannot there is none', () => {
    expect(think({ maxTokens: 10_000, reasoning: { effort: 'high' } }).thinking).toEqual({
      type: 'enabled',
      budget_tokens: 8000,
    });
    expect(think({ maxTokens: 5000, reasoning: { budgetTokens: 4999 } }).thinking).toMatchObject({ budget_tokens: 4999 });
    expect(think({ maxTokens: 5000, reasoning: { budgetTokens: 5000 } }).thinking).toMatchObject({ budget_tokens: 4000 });
    expect(think({ maxTokens: 1000, reasoning: { effort: 'low' } })).toEqual({
      thinking: undefined,
      effort: undefined,
      losses: ['reasoning'],
    });
  });

  test('thinking is sampled at 1 and by nothing else', () => {
    const { body, losses } = encode({ maxTokens: 9000, reasoning: { effort: 'low' }, temperature: 0.2, topP: 0.5, topK: 3 });
    expect(body).toMatchObject({ temperature: 1 });
    expect(body).not.toHaveProperty('top_p');
    expect(body).not.toHaveProperty('top_k');
    expect(losses).toEqual(['temperature', 'top_p', 'top_k']);
    expect(encode({ maxTokens: 9000, reasoning: { effort: 'low' } }).body.temperature).toBe(1);
  });

  test('it gives way to a forced call and to a turn whose thoughts nobody signed', () => {
    expect(think({ tools: [tool], toolChoice: 'required', reasoning: { effort: 'low' } }).losses).toEqual(['reasoning']);
    const messages = [user(text('a')), assistant(call('1')), user(result('1', 'x'))];
    expect(think({ messages, tools: [tool], reasoning: { effort: 'low' } }).losses).toEqual(['reasoning']);
    const signed: Part = { kind: 'reasoning', text: 't', signature: 's', dialect: 'anthropic-messages' };
    const kept = [user(text('a')), assistant(signed, call('1')), user(result('1', 'x'))];
    expect(think({ messages: kept, tools: [tool], reasoning: { effort: 'low' } }).losses).toEqual([]);
  });

  test('thoughts that others had are not shown to the model', () => {
    const foreign: Part = { kind: 'reasoning', text: 't', signature: 's', dialect: 'other' };
    const { body, losses } = encode({ messages: [user(text('a')), assistant(foreign, text('b')), user(text('c'))] });
    expect((body.messages as unknown[])[1]).toEqual({ role: 'assistant', content: 'b' });
    expect(losses).toEqual(['reasoning', 'reasoning_signature']);
  });
});

describe('sampling', () => {
  test('a temperature above 1 is lowered and declared', () => {
    expect(encode({ temperature: 1.7 })).toMatchObject({ body: { temperature: 1 }, losses: ['temperature'] });
  });

  test('of a pair that a model refuses only the temperature is sent', () => {
    expect(encode({ temperature: 0.5, topP: 0.5 })).toMatchObject({ body: { temperature: 0.5 }, losses: ['top_p'] });
    expect(encode({ temperature: 0.5, topP: 1 }).losses).toEqual([]);
    expect(encode({ topP: 0.5 }).body.top_p).toBe(0.5);
    expect(encode({ temperature: 0.5, topP: 0.5 }, 'claude-3-5-sonnet-20241022').losses).toEqual([]);
  });

  test('the newest models are not sampled', () => {
    const { body, losses } = encode({ temperature: 0.5, topP: 0.5, topK: 5 }, 'claude-opus-4-8');
    expect(Object.keys(body)).toEqual(['model', 'max_tokens', 'messages']);
    expect(losses).toEqual(['temperature', 'top_p', 'top_k']);
  });
});

describe('output', () => {
  test('a schema is closed and its bounds are told in words', () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer', minimum: 1, description: 'A number' } },
      required: ['n'],
    };
    const { body, losses } = encode({ output: { kind: 'schema', name: 'x', schema, description: 'All of it' } });
    expect(body.output_config).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          description: 'All of it',
          type: 'object',
          properties: { n: { type: 'integer', description: 'A number\n\n{minimum: 1}' } },
          required: ['n'],
          additionalProperties: false,
        },
      },
    });
    expect(losses).toEqual([]);
  });

  test('a choice has one name, and formats that are not known are told in words', () => {
    const options = [
      { type: 'object', properties: { kind: { const: 'a' } } },
      { type: ['object', 'null'], properties: { at: { type: 'string', format: 'uri-reference' } } },
    ];
    const schema = { oneOf: options, discriminator: { propertyName: 'kind' } };
    const { body, losses } = encode({ output: { kind: 'schema', name: 'x', schema } });
    expect(body.output_config).toMatchObject({
      format: {
        schema: {
          anyOf: [
            { additionalProperties: false },
            { additionalProperties: false, properties: { at: { type: 'string', description: '{format: "uri-reference"}' } } },
          ],
        },
      },
    });
    expect(JSON.stringify(body)).not.toMatch(/oneOf|discriminator/);
    expect(losses).toEqual([]);
  });

  test('what cannot be asked for is lost', () => {
    expect(encode({ output: { kind: 'json' } }).losses).toEqual(['json']);
    const output = { kind: 'schema', name: 'x', schema: { type: 'object', additionalProperties: { type: 'string' } } } as const;
    expect(encode({ output }).losses).toEqual(['json_schema']);
    expect(encode({ output: { ...output, schema: { type: 'object' } } }).losses).toEqual(['json_schema']);
    expect(encode({ output: { ...output, schema: {} } }, 'claude-3-7-sonnet-20250219').losses).toEqual(['json_schema']);
  });
});

test('how the arguments of a call are to be streamed is kept, and no loss where it means nothing', () => {
  const eager = { name: 'f', input_schema: { type: 'object' }, eager_input_streaming: true };
  const decoded = decodeRequest({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }], tools: [eager] });
  if (!decoded.ok) throw new Error(decoded.reason);
  expect(decoded.request.tools).toMatchObject([{ extra: { fields: {}, hints: { eager_input_streaming: true } } }]);
  expect(decoded.request.extra?.fields).toEqual({});
  expect(encode(decoded.request).body.tools).toMatchObject([eager]);
});
