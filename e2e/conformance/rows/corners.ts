import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { expect } from 'vitest';
import { anthropicOf, googleOf, openaiOf } from '../clients.ts';
import type { Cell, Row } from '../table.ts';
import { functions, greeting, pngBase64, pngSize } from './samples.ts';

const chat = 'openai: chat.completions';
const messages = '@anthropic-ai/sdk: messages';

function askChat({ world, model }: Cell, more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>) {
  return openaiOf(world).chat.completions.create({ model, messages: [{ role: 'user', content: 'hi' }], ...more });
}

function askMessages({ world, model }: Cell, more: Partial<Anthropic.MessageCreateParamsNonStreaming>) {
  return anthropicOf(world).messages.create({ model, max_tokens: 4_000, messages: [{ role: 'user', content: 'hi' }], ...more });
}

/** As tools of real clients come: with members that some dialects refuse. */
const wildSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  title: 'Wild',
  properties: {
    path: { type: 'string', format: 'uri', minLength: 1, description: 'Where', default: '/' },
    limit: { type: ['integer', 'null'], exclusiveMinimum: 0, maximum: 100 },
    mode: { anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }] },
    kind: { const: 'file' },
    edits: {
      type: 'array',
      minItems: 1,
      items: { type: 'object', properties: { from: { $ref: '#/$defs/text' } }, required: ['from'] },
    },
    env: { type: 'object', additionalProperties: { type: 'string' } },
    nothing: { type: 'object', properties: {} },
  },
  required: ['path'],
  additionalProperties: false,
  $defs: { text: { type: 'string' } },
};

const call = (id: string, name = 'get_weather') => ({
  id,
  type: 'function' as const,
  function: { name, arguments: '{"city":"Paris"}' },
});
const tools = Object.values(functions).map(({ name, description, schema }): OpenAI.ChatCompletionFunctionTool => {
  return { type: 'function', function: { name, description, parameters: schema } };
});
const claudeTools = Object.values(functions).map(({ name, description, schema }): Anthropic.Tool => {
  return { name, description, input_schema: schema as Anthropic.Tool.InputSchema };
});

export const cornerRows: readonly Row[] = [
  {
    sdk: chat,
    feature: 'tools with schemas as real clients write them',
    async run(cell) {
      const wild: OpenAI.ChatCompletionTool[] = [
        { type: 'function', function: { name: 'wild', parameters: wildSchema } },
        { type: 'function', function: { name: 'bare' } },
      ];
      const answer = await askChat(cell, { tools: wild, messages: [{ role: 'user', content: 'call the tool' }] });
      expect(answer.choices[0]?.message.tool_calls).toMatchObject([{ function: { name: 'wild' } }]);
    },
    saw([facts]) {
      expect(facts?.tools.map(({ name }) => name)).toEqual(['wild', 'bare']);
      expect(Object.keys(facts?.tools[0]?.schema.properties ?? {})).toEqual(Object.keys(wildSchema.properties));
    },
    except: { 'gemini-generate': { loses: ['json_schema'] } },
  },
  {
    sdk: chat,
    feature: 'reasoning in the middle of a tool loop',
    async run(cell) {
      const answer = await askChat(cell, {
        tools,
        reasoning_effort: 'medium',
        max_completion_tokens: 9_000,
        messages: [
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: null, tool_calls: [call('call_a')] },
          { role: 'tool', tool_call_id: 'call_a', content: 'sun' },
        ],
      });
      expect(answer.choices[0]?.message.content).toBe('The tools say: sun');
    },
    // Thoughts that were not signed cannot stand before the calls.
    except: { 'anthropic-messages': { loses: ['reasoning'] } },
  },
  {
    sdk: chat,
    feature: 'reasoning with a forced tool',
    async run(cell) {
      const answer = await askChat(cell, {
        tools,
        tool_choice: 'required',
        reasoning_effort: 'high',
        max_completion_tokens: 9_000,
      });
      expect(answer.choices[0]?.finish_reason).toBe('tool_calls');
    },
    saw([facts]) {
      expect(facts?.choice).toBe('required');
    },
    except: { 'anthropic-messages': { loses: ['reasoning'] } },
  },
  {
    sdk: chat,
    feature: 'conversations out of order',
    async run(cell) {
      const answer = await askChat(cell, {
        tools,
        messages: [
          { role: 'assistant', content: 'Welcome.' },
          { role: 'user', content: 'hi' },
          { role: 'user', content: 'hello' },
          { role: 'assistant', content: '', tool_calls: [call('call:1|x')] },
          { role: 'tool', tool_call_id: 'call:1|x', content: '' },
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'so?' },
        ],
      });
      expect(answer.choices[0]?.message.content).toMatch(/^(The tools say: |Hello!)/);
    },
    saw([facts]) {
      const texts = facts?.turns.flatMap(({ pieces }) => pieces).flatMap((piece) => ('text' in piece ? [piece.text] : []));
      expect(texts?.join(' ')).toMatch(/Welcome\..*hi.*hello.*so\?/);
      expect(JSON.stringify(facts)).toContain('Be brief.');
    },
  },
  {
    sdk: chat,
    feature: 'no call wanted, after calls',
    async run(cell) {
      const answer = await askChat(cell, {
        tools,
        tool_choice: 'none',
        messages: [
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: null, tool_calls: [call('call_a')] },
          { role: 'tool', tool_call_id: 'call_a', content: 'sun' },
          { role: 'assistant', content: 'Sun.' },
          { role: 'user', content: 'call the tool' },
        ],
      });
      expect(answer.choices[0]?.message.content).toBe(greeting);
    },
    saw([facts]) {
      expect(facts?.choice).toBe('none');
    },
  },
  {
    sdk: chat,
    feature: 'a temperature above one',
    async run(cell) {
      expect((await askChat(cell, { temperature: 1.7 })).choices[0]?.message.content).toBe(greeting);
    },
    saw([facts], { column }) {
      expect(facts?.temperature).toBe(column === 'anthropic-messages' ? 1 : 1.7);
    },
    except: { 'anthropic-messages': { loses: ['temperature'] } },
  },
  {
    sdk: chat,
    feature: 'a schema with free keys',
    async run(cell) {
      const schema = { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: { type: 'string' } };
      const answer = await askChat(cell, { response_format: { type: 'json_schema', json_schema: { name: 'free', schema } } });
      expect(JSON.parse(answer.choices[0]?.message.content ?? '')).toEqual({ city: 'Paris' });
    },
    except: { 'anthropic-messages': { loses: ['json_schema'] }, 'gemini-generate': { loses: ['json_schema'] } },
  },
  {
    sdk: chat,
    feature: 'an answer that was begun (prefill)',
    async run(cell) {
      const begun: OpenAI.ChatCompletionMessageParam[] = [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'Well, ' },
      ];
      expect((await askChat(cell, { messages: begun })).choices[0]?.message.content).toBe(greeting);
    },
    saw([facts]) {
      expect(facts?.turns.at(-1)).toMatchObject({ role: 'assistant', pieces: [{ text: expect.stringMatching(/^Well, ?$/) }] });
    },
  },
  {
    sdk: messages,
    feature: 'tools with schemas as real clients write them',
    async run(cell) {
      const wild = [{ name: 'wild', description: 'Does things', input_schema: wildSchema as Anthropic.Tool.InputSchema }];
      const answer = await askMessages(cell, { tools: wild, tool_choice: { type: 'tool', name: 'wild' } });
      expect(answer.content).toMatchObject([{ type: 'tool_use', name: 'wild' }]);
    },
    saw([facts]) {
      expect(Object.keys(facts?.tools[0]?.schema.properties ?? {})).toEqual(Object.keys(wildSchema.properties));
    },
    except: { 'gemini-generate': { loses: ['json_schema'] } },
  },
  {
    sdk: messages,
    feature: 'many stop sequences',
    async run(cell) {
      const stop_sequences = ['six', 'five', 'four', 'seven', 'eight', 'nine'];
      const answer = await askMessages(cell, { stop_sequences, messages: [{ role: 'user', content: 'count' }] });
      if (cell.column !== 'openai-responses')
        expect(answer.content).toMatchObject([{ text: expect.stringMatching(/^one two three ?$/) }]);
    },
    saw([facts], { column }) {
      expect(facts?.stop).toHaveLength(
        { 'openai-chat': 4, 'openai-responses': 0, 'anthropic-messages': 6, 'gemini-generate': 5 }[column],
      );
    },
    except: {
      'openai-chat': { loses: ['stop'] },
      'openai-responses': { loses: ['stop'] },
      'gemini-generate': { loses: ['stop'] },
    },
  },
  {
    sdk: messages,
    feature: 'pictures in a tool result',
    async run(cell) {
      const source = { type: 'base64' as const, media_type: 'image/png' as const, data: pngBase64 };
      const answer = await askMessages(cell, {
        tools: claudeTools,
        messages: [
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Paris' } }] },
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                tool_use_id: 'toolu_1',
                content: [
                  { type: 'text', text: 'see' },
                  { type: 'image', source },
                ],
              },
            ],
          },
        ],
      });
      expect(answer.content).toMatchObject([{ type: 'text', text: expect.stringContaining('see') }]);
    },
    saw([facts]) {
      expect(JSON.stringify(facts?.turns.at(-1))).toContain(pngSize);
    },
  },
  {
    sdk: messages,
    feature: 'two results and a question in one turn',
    async run(cell) {
      const use = (id: string) => ({ type: 'tool_use' as const, id, name: 'get_weather', input: { city: 'Paris' } });
      const result = (id: string, content: string) => ({ type: 'tool_result' as const, tool_use_id: id, content });
      const answer = await askMessages(cell, {
        tools: claudeTools,
        messages: [
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: [use('toolu_1'), use('toolu_2')] },
          { role: 'user', content: [result('toolu_2', 'two'), result('toolu_1', 'one'), { type: 'text', text: 'and now?' }] },
        ],
      });
      expect(answer.content).toMatchObject([{ type: 'text', text: expect.stringMatching(/one and two|two and one/) }]);
    },
    saw([facts]) {
      expect(facts?.turns.at(-1)?.pieces).toContainEqual({ text: 'and now?' });
    },
  },
  {
    sdk: '@google/genai: models',
    feature: 'function names with dots, and a larger budget than cap',
    async run({ world, model }) {
      const functionDeclarations = [{ name: 'weather.today', description: 'd', parametersJsonSchema: functions.weather.schema }];
      const config = { tools: [{ functionDeclarations }], thinkingConfig: { thinkingBudget: 8_000 }, maxOutputTokens: 2_000 };
      const { functionCalls } = await googleOf(world).models.generateContent({ model, contents: 'call the tool', config });
      expect(functionCalls?.map(({ name }) => name)).toEqual(['weather.today']);
    },
    saw([facts], { column }) {
      expect(facts?.tools[0]?.name).toBe(column === 'gemini-generate' ? 'weather.today' : 'weather_today');
    },
  },
  {
    sdk: messages,
    feature: 'function names of more than 64 characters, streamed',
    async run({ world, model }) {
      const name = `mcp__${'long_'.repeat(20)}name`;
      const { input_schema } = claudeTools[0] ?? { input_schema: { type: 'object' } };
      const tools = [{ name, input_schema }];
      const body = {
        model,
        max_tokens: 100,
        tools,
        tool_choice: { type: 'tool' as const, name },
        messages: [{ role: 'user' as const, content: 'hi' }],
      };
      const final = await anthropicOf(world).messages.stream(body).finalMessage();
      expect(final.content).toMatchObject([{ type: 'tool_use', name, input: { city: 'Paris' } }]);
    },
    saw([facts], { column }) {
      const length = column.startsWith('openai') ? 64 : 109;
      expect(facts?.tools[0]?.name).toHaveLength(length);
    },
  },
];
