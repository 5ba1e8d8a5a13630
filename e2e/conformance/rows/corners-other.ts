import type Anthropic from '@anthropic-ai/sdk';
import { expect } from 'vitest';
import { anthropicOf, googleOf } from '../clients.ts';
import type { Cell, Row } from '../table.ts';
import { functions, pngBase64, pngSize, wildSchema } from './samples.ts';

const messages = '@anthropic-ai/sdk: messages';

function askMessages({ world, model }: Cell, more: Partial<Anthropic.MessageCreateParamsNonStreaming>) {
  return anthropicOf(world).messages.create({ model, max_tokens: 4_000, messages: [{ role: 'user', content: 'hi' }], ...more });
}

const claudeTools = Object.values(functions).map(({ name, description, schema }): Anthropic.Tool => {
  return { name, description, input_schema: schema as Anthropic.Tool.InputSchema };
});
/** The same of the other clients. */
export const otherCornerRows: readonly Row[] = [
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
