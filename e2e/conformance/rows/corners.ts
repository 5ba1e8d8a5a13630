import type OpenAI from 'openai';
import { expect } from 'vitest';
import { openaiOf } from '../clients.ts';
import type { Cell, Row } from '../table.ts';
import { functions, greeting, wildSchema } from './samples.ts';

const chat = 'openai: chat.completions';

function askChat({ world, model }: Cell, more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>) {
  return openaiOf(world).chat.completions.create({ model, messages: [{ role: 'user', content: 'hi' }], ...more });
}

const call = (id: string) => ({
  id,
  type: 'function' as const,
  function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
});
const tools = Object.values(functions).map(({ name, description, schema }): OpenAI.ChatCompletionFunctionTool => {
  return { type: 'function', function: { name, description, parameters: schema } };
});
/** What real clients of this kind do and tests forget. */
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
    saw([facts], cell) {
      const begun = facts?.turns.at(cell.lost('prefill') ? -2 : -1);
      expect(begun).toMatchObject({ role: 'assistant', pieces: [{ text: expect.stringMatching(/^Well, ?$/) }] });
    },
    except: { 'anthropic-messages': { loses: ['prefill'] } },
  },
];
