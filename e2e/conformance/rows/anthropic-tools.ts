import type Anthropic from '@anthropic-ai/sdk';
import { expect } from 'vitest';
import { anthropicOf, askAnthropic } from '../clients.ts';
import type { Row } from '../table.ts';
import { functions, greeting, pngBase64, pngSize, thought } from './samples.ts';
import { thoughtsComeBack } from './thoughts.ts';

const sdk = '@anthropic-ai/sdk: messages';
type Blocks = Anthropic.ContentBlockParam[];

const tools = Object.values(functions).map(({ name, description, schema }): Anthropic.Tool => {
  return { name, description, input_schema: schema as Anthropic.Tool.InputSchema };
});

export const anthropicToolRows: readonly Row[] = [
  {
    sdk,
    feature: 'tool loop',
    async run(cell) {
      const first = await askAnthropic(cell, 'call both', { tools });
      expect(first.stop_reason).toBe('tool_use');
      const calls = first.content.filter((block) => block.type === 'tool_use');
      expect(calls.map(({ name, input }) => [name, input])).toEqual([
        ['get_weather', { city: 'Paris' }],
        ['get_forecast', { city: 'Paris', days: 3 }],
      ]);
      const results = calls.map(
        ({ id }, k): Anthropic.ToolResultBlockParam => ({ type: 'tool_result', tool_use_id: id, content: `result ${k}` }),
      );
      const messages: Anthropic.MessageParam[] = [
        { role: 'user', content: 'call both' },
        { role: 'assistant', content: first.content as Blocks },
        { role: 'user', content: results },
      ];
      expect((await askAnthropic(cell, '', { tools, messages })).content).toMatchObject([
        { type: 'text', text: 'The tools say: result 0 and result 1' },
      ]);
    },
    saw([, facts]) {
      expect(facts?.turns).toMatchObject([
        { role: 'user', pieces: [{ text: 'call both' }] },
        { role: 'assistant', pieces: [{ call: 'get_weather' }, { call: 'get_forecast', args: { city: 'Paris', days: 3 } }] },
        { role: 'user', pieces: [{ result: 'result 0' }, { result: 'result 1' }] },
      ]);
    },
  },
  {
    sdk,
    feature: 'a tool that must be called, one at a time',
    async run(cell) {
      const answer = await askAnthropic(cell, 'call both', {
        tools,
        tool_choice: { type: 'any', disable_parallel_tool_use: true },
      });
      expect(answer.content.filter(({ type }) => type === 'tool_use')).toHaveLength(cell.lost('parallel_tools') ? 2 : 1);
    },
    saw([facts], cell) {
      expect(facts?.choice).toBe('required');
      if (!cell.lost('parallel_tools')) expect(facts?.isParallel).toBe(false);
    },
    except: { 'gemini-generate': { loses: ['parallel_tools'] } },
  },
  {
    sdk,
    feature: 'a failed tool, with a picture',
    async run(cell) {
      const source = { type: 'base64' as const, media_type: 'image/png' as const, data: pngBase64 };
      const messages: Anthropic.MessageParam[] = [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Paris' } }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_1', is_error: true, content: 'no weather today' },
            { type: 'image', source },
            { type: 'text', text: 'see yourself' },
          ],
        },
      ];
      const answer = await askAnthropic(cell, '', { tools, messages });
      expect(answer.content).toMatchObject([{ type: 'text', text: expect.stringContaining('no weather today') }]);
    },
    saw([facts], cell) {
      const pieces = facts?.turns.at(-1)?.pieces ?? [];
      expect(pieces).toContainEqual({ image: pngSize });
      expect(pieces).toContainEqual({ text: 'see yourself' });
      const result = pieces.find((piece) => 'result' in piece);
      if (!cell.lost('is_error') && (cell.column === 'anthropic-messages' || cell.column === 'gemini-generate'))
        expect(result).toMatchObject({ isError: true });
    },
    except: { 'openai-chat': { loses: ['is_error'] }, 'openai-responses': { loses: ['is_error'] } },
  },
  {
    sdk,
    feature: 'stream of tool arguments',
    async run({ world, model }) {
      const stream = anthropicOf(world).messages.stream({
        model,
        max_tokens: 100,
        tools,
        messages: [{ role: 'user', content: 'call both' }],
      });
      let json = '';
      stream.on('inputJson', (part) => {
        json += part;
      });
      const final = await stream.finalMessage();
      expect(final.stop_reason).toBe('tool_use');
      expect(final.content).toMatchObject([
        { type: 'tool_use', name: 'get_weather', input: { city: 'Paris' } },
        { type: 'tool_use', name: 'get_forecast', input: { city: 'Paris', days: 3 } },
      ]);
      expect(json.replaceAll(' ', '')).toBe('{"city":"Paris"}{"city":"Paris","days":3}');
    },
  },
];

export const anthropicThinkingRows: readonly Row[] = [
  {
    sdk,
    feature: 'thinking with a budget, and its way back through a tool loop',
    async run(cell) {
      const thinking = { type: 'enabled' as const, budget_tokens: 1_024 };
      const first = await askAnthropic(cell, 'call the tool', { tools, thinking });
      // A signature that stands beside a call has a block of its own here.
      const blocks = first.content.map(({ type }) => type).filter((type) => type !== 'redacted_thinking');
      if (cell.column === 'openai-responses') expect(blocks.at(-1)).toBe('tool_use');
      else expect(blocks).toEqual(['thinking', 'tool_use']);
      const [call] = first.content.filter((block) => block.type === 'tool_use');
      const messages: Anthropic.MessageParam[] = [
        { role: 'user', content: 'call the tool' },
        { role: 'assistant', content: first.content as Blocks },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: call?.id ?? '', content: 'sun' }] },
      ];
      const second = await askAnthropic(cell, '', { tools, thinking, messages });
      expect(second.content.at(-1)).toMatchObject({ type: 'text', text: 'The tools say: sun' });
    },
    ...thoughtsComeBack,
  },
  {
    sdk,
    feature: 'stream of thinking, with its signature',
    async run({ world, model, column }) {
      const stream = anthropicOf(world).messages.stream({
        model,
        max_tokens: 4_000,
        thinking: { type: 'enabled', budget_tokens: 2_000, display: 'summarized' },
        messages: [{ role: 'user', content: 'hi' }],
      });
      let thoughts = '';
      stream.on('thinking', (delta) => {
        thoughts += delta;
      });
      const final = await stream.finalMessage();
      expect(thoughts).toBe(thought);
      expect(final.content).toMatchObject([
        { type: 'thinking', thinking: thought },
        { type: 'text', text: greeting },
      ]);
      const [first] = final.content;
      if (column === 'anthropic-messages') expect(first).toMatchObject({ signature: 'sig-of-messages-1' });
    },
    saw([facts], { column }) {
      if (column === 'anthropic-messages' || column === 'gemini-generate') expect(facts?.thinking?.budget).toBe(2_000);
      else expect(facts?.thinking?.effort).toBe('low');
    },
  },
  {
    sdk,
    feature: 'adaptive thinking with an effort',
    async run(cell) {
      const answer = await askAnthropic(cell, 'hi', {
        thinking: { type: 'adaptive', display: 'summarized' },
        output_config: { effort: 'medium' },
      });
      expect(answer.content.at(-1)).toMatchObject({ type: 'text', text: greeting });
    },
    saw([facts], { column }) {
      if (column === 'gemini-generate') expect(facts?.thinking?.budget).toBeGreaterThan(0);
      else expect(facts?.thinking?.effort).toBe('medium');
    },
  },
  {
    sdk,
    feature: 'thinking switched off',
    async run(cell) {
      expect((await askAnthropic(cell, 'hi', { thinking: { type: 'disabled' } })).content).toMatchObject([
        { type: 'text', text: greeting },
      ]);
    },
    saw([facts], { column }) {
      if (column !== 'anthropic-messages') expect(facts?.thinking?.effort ?? 'none').toBe('none');
      else expect(facts?.thinking).toBeUndefined();
    },
  },
];
