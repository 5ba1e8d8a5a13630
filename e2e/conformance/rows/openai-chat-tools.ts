import type OpenAI from 'openai';
import { expect } from 'vitest';
import { askOpenai, openaiOf } from '../clients.ts';
import type { Row } from '../table.ts';
import { functions } from './samples.ts';

const sdk = 'openai: chat.completions';

const tools = Object.values(functions).map(({ name, description, schema }): OpenAI.ChatCompletionFunctionTool => {
  return { type: 'function', function: { name, description, parameters: schema } };
});

export const openaiToolRows: readonly Row[] = [
  {
    sdk,
    feature: 'tool call, forced',
    async run(cell) {
      const answer = await askOpenai(cell, 'hi', {
        tools,
        tool_choice: { type: 'function', function: { name: 'get_forecast' } },
      });
      const [choice] = answer.choices;
      expect(choice).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } });
      const [call] = choice?.message.tool_calls ?? [];
      expect(call).toMatchObject({ type: 'function', function: { name: 'get_forecast' } });
      expect(call?.id).toMatch(/^\S{3,}/);
      expect(JSON.parse(call?.type === 'function' ? call.function.arguments : '')).toEqual({ city: 'Paris', days: 3 });
    },
    saw([facts]) {
      const { weather, forecast } = functions;
      expect(facts?.tools.map(({ name, description }) => ({ name, description }))).toEqual(
        [weather, forecast].map(({ name, description }) => ({ name, description })),
      );
      expect(facts?.tools[0]?.schema).toMatchObject({ type: expect.stringMatching(/object/i), properties: { city: {} } });
      expect(facts?.choice).toEqual({ name: 'get_forecast' });
    },
  },
  {
    sdk,
    feature: 'tool calls in parallel',
    async run(cell) {
      const answer = await askOpenai(cell, 'call both', { tools });
      const calls = answer.choices[0]?.message.tool_calls ?? [];
      expect(calls.map((call) => (call.type === 'function' ? call.function.name : ''))).toEqual(['get_weather', 'get_forecast']);
      expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    },
    saw([facts]) {
      expect(facts).toMatchObject({ choice: 'auto', isParallel: true });
    },
  },
  {
    sdk,
    feature: 'tool calls one at a time',
    async run(cell) {
      const answer = await askOpenai(cell, 'call both', { tools, parallel_tool_calls: false });
      if (!cell.lost('parallel_tools')) expect(answer.choices[0]?.message.tool_calls).toHaveLength(1);
    },
    saw([facts], cell) {
      if (!cell.lost('parallel_tools')) expect(facts?.isParallel).toBe(false);
    },
    except: { 'gemini-generate': { loses: ['parallel_tools'] } },
  },
  {
    sdk,
    feature: 'tool loop (runTools)',
    async run({ world, model }) {
      const [{ name, description, schema: parameters }] = [functions.weather];
      const run = (args: string) => `sunny in ${(JSON.parse(args) as { city: string }).city}`;
      const runner = openaiOf(world).chat.completions.runTools({
        model,
        messages: [{ role: 'user', content: 'call the tool' }],
        tools: [{ type: 'function', function: { name, description, parameters, function: run } }],
      });
      expect(await runner.finalContent()).toBe('The tools say: sunny in Paris');
    },
    saw([, facts]) {
      expect(facts?.turns).toMatchObject([
        { role: 'user', pieces: [{ text: 'call the tool' }] },
        { role: 'assistant', pieces: [{ call: 'get_weather', args: { city: 'Paris' } }] },
        { role: 'user', pieces: [{ result: 'sunny in Paris' }] },
      ]);
    },
  },
  {
    sdk,
    feature: 'tool results of parallel calls',
    async run(cell) {
      const call = (id: string, name: string) => ({
        id,
        type: 'function' as const,
        function: { name, arguments: '{"city":"Paris"}' },
      });
      const answer = await openaiOf(cell.world).chat.completions.create({
        model: cell.model,
        tools,
        messages: [
          { role: 'user', content: 'hi' },
          {
            role: 'assistant',
            content: 'I will look.',
            tool_calls: [call('call_a', 'get_weather'), call('call_b', 'get_forecast')],
          },
          { role: 'tool', tool_call_id: 'call_b', content: 'rain' },
          { role: 'tool', tool_call_id: 'call_a', content: 'sun' },
        ],
      });
      expect(answer.choices[0]?.message.content).toMatch(/^The tools say: (rain and sun|sun and rain)$/);
    },
    saw([facts]) {
      const pieces = facts?.turns.flatMap((turn) => turn.pieces) ?? [];
      expect(pieces.filter((piece) => 'call' in piece)).toHaveLength(2);
      expect(pieces.flatMap((piece) => ('result' in piece ? [piece.result] : [])).sort()).toEqual(['rain', 'sun']);
      expect(pieces).toContainEqual({ text: 'I will look.' });
    },
  },
  {
    sdk,
    feature: 'stream of tool arguments',
    async run({ world, model }) {
      const stream = openaiOf(world).chat.completions.stream({
        model,
        tools,
        messages: [{ role: 'user', content: 'call both' }],
      });
      let pieces = 0;
      for await (const chunk of stream) if (chunk.choices[0]?.delta.tool_calls?.[0]?.function?.arguments) pieces += 1;
      const final = await stream.finalChatCompletion();
      expect(final.choices[0]?.finish_reason).toBe('tool_calls');
      const calls = final.choices[0]?.message.tool_calls ?? [];
      expect(calls.map((call) => (call.type === 'function' ? JSON.parse(call.function.arguments) : undefined))).toEqual([
        { city: 'Paris' },
        { city: 'Paris', days: 3 },
      ]);
      expect(pieces).toBeGreaterThanOrEqual(2);
    },
    saw([facts]) {
      expect(facts).toMatchObject({ stream: true, tools: [{ name: 'get_weather' }, { name: 'get_forecast' }] });
    },
  },
];
