import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { expect } from 'vitest';
import { z } from 'zod';
import { compacted } from '../../support/mock/vendors/responses/compaction.ts';
import { openaiOf } from '../clients.ts';
import type { Cell, Row } from '../table.ts';
import { expectCount } from './counts.ts';
import { failureOf } from './failures.ts';
import { functions, greeting, pdfBase64, pdfSize, pngBase64, pngSize, thought } from './samples.ts';

/** How a refusal is told that came without the vendor's own words for one. */
const filtered = 'as a filtered answer';
const sdk = 'openai: responses';
type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming;

function ask({ world, model }: Cell, input: Params['input'], more: Partial<Params> = {}) {
  return openaiOf(world).responses.create({ model, input, ...more });
}

const tools = Object.values(functions).map(({ name, description, schema }): OpenAI.Responses.FunctionTool => {
  return { type: 'function', name, description, parameters: schema, strict: true };
});
const elsewhere = 'nothing is kept there to be continued';
/** Its model writes a summary. */
const summarised = { loses: ['compaction'] };
const answerSchema = z.object({ city: z.string(), days: z.number().int() });

export const openaiResponsesRows: readonly Row[] = [
  {
    sdk,
    feature: 'text',
    async run(cell) {
      const answer = await ask(cell, 'hi', { instructions: 'Be brief.', max_output_tokens: 100, temperature: 0.5 });
      expect(answer).toMatchObject({ object: 'response', status: 'completed', model: cell.model, output_text: greeting });
      expect(answer.usage).toMatchObject({ output_tokens: 7 });
    },
    saw([facts]) {
      expect(facts).toMatchObject({
        stream: false,
        system: 'Be brief.',
        turns: [{ role: 'user', pieces: [{ text: 'hi' }] }],
        cap: 100,
        temperature: 0.5,
      });
    },
  },
  {
    sdk,
    feature: 'stream helper (finalResponse)',
    async run({ world, model }) {
      const stream = openaiOf(world).responses.stream({ model, input: 'hi' });
      let text = '';
      stream.on('response.output_text.delta', ({ delta }) => {
        text += delta;
      });
      const final = await stream.finalResponse();
      expect(text).toBe(greeting);
      expect(final).toMatchObject({ status: 'completed', output_text: greeting, usage: { output_tokens: 7 } });
    },
    saw([facts]) {
      expect(facts).toMatchObject({ stream: true, turns: [{ role: 'user', pieces: [{ text: 'hi' }] }] });
    },
  },
  {
    sdk,
    feature: 'a cap that cuts the answer',
    async run(cell) {
      const answer = await ask(cell, 'recite', { max_output_tokens: 16 });
      expect(answer).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
      expect(answer.output_text.split(' ')).toHaveLength(16);
    },
    saw([facts]) {
      expect(facts?.cap).toBe(16);
    },
  },
  {
    sdk,
    feature: 'conversation items',
    async run(cell) {
      const answer = await ask(cell, [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
        { role: 'assistant', content: 'Yes?' },
        { role: 'user', content: 'hello' },
      ]);
      expect(answer.output_text).toBe(greeting);
    },
    saw([facts]) {
      expect(facts).toMatchObject({
        system: 'Be brief.',
        turns: [
          { role: 'user', pieces: [{ text: 'hi' }] },
          { role: 'assistant', pieces: [{ text: 'Yes?' }] },
          { role: 'user', pieces: [{ text: 'hello' }] },
        ],
      });
    },
  },
  {
    sdk,
    feature: 'tool loop',
    async run(cell) {
      const first = await ask(cell, 'call both', { tools });
      const calls = first.output.filter((item) => item.type === 'function_call');
      expect(calls.map(({ name, arguments: args }) => [name, JSON.parse(args)])).toEqual([
        ['get_weather', { city: 'Paris' }],
        ['get_forecast', { city: 'Paris', days: 3 }],
      ]);
      const results = calls.map(({ call_id }, k) => ({ type: 'function_call_output' as const, call_id, output: `result ${k}` }));
      const input = [{ role: 'user' as const, content: 'call both' }, ...first.output, ...results] as Params['input'];
      const second = await ask(cell, input, { tools });
      expect(second.output_text).toBe('The tools say: result 0 and result 1');
    },
    saw([, facts]) {
      expect(facts?.turns).toMatchObject([
        { role: 'user', pieces: [{ text: 'call both' }] },
        { role: 'assistant', pieces: [{ call: 'get_weather' }, { call: 'get_forecast', args: { city: 'Paris', days: 3 } }] },
        { role: 'user', pieces: [{ result: 'result 0' }, { result: 'result 1' }] },
      ]);
    },
    except: { 'gemini-generate': { loses: ['strict'] } },
  },
  {
    sdk,
    feature: 'stream of tool arguments',
    async run({ world, model }) {
      const stream = openaiOf(world).responses.stream({
        model,
        input: 'hi',
        tools,
        tool_choice: { type: 'function', name: 'get_forecast' },
      });
      let pieces = '';
      stream.on('response.function_call_arguments.delta', ({ delta }) => {
        pieces += delta;
      });
      const final = await stream.finalResponse();
      expect(JSON.parse(pieces)).toEqual({ city: 'Paris', days: 3 });
      expect(final.output.at(-1)).toMatchObject({ type: 'function_call', name: 'get_forecast', arguments: pieces });
    },
    saw([facts]) {
      expect(facts?.choice).toEqual({ name: 'get_forecast' });
    },
    except: { 'gemini-generate': { loses: ['strict'] } },
  },
  {
    sdk,
    feature: 'reasoning with a summary, and its way back',
    async run(cell) {
      const options: Partial<Params> = {
        reasoning: { effort: 'high', summary: 'auto' },
        include: ['reasoning.encrypted_content'],
        store: false,
      };
      const first = await ask(cell, 'hi', options);
      const reasoning = first.output.find((item) => item.type === 'reasoning');
      expect(reasoning?.summary.map(({ text }) => text).join('')).toBe(thought);
      expect(first.output_text).toBe(greeting);
      const again = [{ role: 'user', content: 'hi' }, ...first.output, { role: 'user', content: 'hello' }] as Params['input'];
      expect((await ask(cell, again, options)).output_text).toBe(greeting);
    },
    saw([first, second], { column }) {
      expect(first?.thinking).toBeDefined();
      const pieces = second?.turns.flatMap((turn) => turn.pieces) ?? [];
      const signed = pieces.flatMap((piece) => ('thought' in piece ? [piece.signature] : []));
      if (column === 'anthropic-messages') expect(signed).toEqual(['sig-of-messages-1']);
      if (column === 'openai-responses') expect(signed).toEqual(['sealed-by-responses']);
    },
    except: { 'openai-chat': { loses: ['reasoning'] } },
  },
  {
    sdk,
    feature: 'stream of a reasoning summary',
    async run({ world, model }) {
      const stream = openaiOf(world).responses.stream({ model, input: 'hi', reasoning: { effort: 'medium', summary: 'auto' } });
      let summary = '';
      stream.on('response.reasoning_summary_text.delta', ({ delta }) => {
        summary += delta;
      });
      expect((await stream.finalResponse()).output_text).toBe(greeting);
      expect(summary).toBe(thought);
    },
  },
  {
    sdk,
    feature: 'structured output (parse)',
    async run({ world, model }) {
      const answer = await openaiOf(world).responses.parse({
        model,
        input: 'where',
        text: { format: zodTextFormat(answerSchema, 'place') },
      });
      expect(answer.output_parsed).toEqual({ city: 'Paris', days: 3 });
    },
    saw([facts]) {
      expect(facts?.schema).toMatchObject({ required: ['city', 'days'] });
    },
  },
  {
    sdk,
    feature: 'image and file, inline',
    async run(cell) {
      const answer = await ask(cell, [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'look' },
            { type: 'input_image', image_url: `data:image/png;base64,${pngBase64}`, detail: 'auto' },
            { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdfBase64}` },
          ],
        },
      ]);
      expect(answer.output_text).toBe(`I got ${pngSize} and ${pdfSize}`);
    },
    saw([facts]) {
      expect(facts?.turns[0]?.pieces).toEqual([{ text: 'look' }, { image: pngSize }, { file: pdfSize }]);
    },
  },
  {
    sdk,
    feature: 'previous_response_id',
    async run(cell) {
      const first = await ask(cell, 'hi');
      const second = await ask(cell, 'hello', { previous_response_id: first.id });
      expect(second.output_text).toBe(greeting);
    },
    saw(_, { world }) {
      expect(world.mock.requests()[1]?.json.previous_response_id).toBe('resp_vendor1');
    },
    except: {
      'openai-chat': { refused: 400, why: elsewhere },
      'anthropic-messages': { refused: 400, why: elsewhere },
      'gemini-generate': { refused: 400, why: elsewhere },
    },
  },
  {
    sdk,
    feature: 'compact, and the conversation goes on',
    async run(cell) {
      const input = [{ role: 'user', content: 'hi' }, ...(await ask(cell, 'hi')).output] as OpenAI.Responses.ResponseInput;
      const shorter = await openaiOf(cell.world).responses.compact({ model: cell.model, input });
      const item = cell.lost('compaction') ? { type: 'compaction', id: expect.stringMatching(/^cmp_/) as string } : compacted;
      expect(shorter).toMatchObject({ object: 'response.compaction', output: [{ role: 'user' }, item] });
      const next = [...shorter.output, { role: 'user', content: 'hello' }] as Params['input'];
      expect((await ask(cell, next)).output_text).toBe(greeting);
    },
    saw(facts, { lost }) {
      // The model's own words come back as what was said before.
      if (lost('compaction')) expect(JSON.stringify(facts.at(-1)?.turns)).toMatch(/summary of it.*Hello! How can I help/);
    },
    except: {
      'openai-chat': summarised,
      'anthropic-messages': summarised,
      'gemini-generate': summarised,
    },
  },
  {
    sdk,
    feature: 'inputTokens.count',
    async run({ world, model, column }) {
      const { input_tokens: count } = await openaiOf(world).responses.inputTokens.count({ model, input: 'one two three' });
      expectCount(count, column === 'openai-responses');
    },
    except: { 'openai-responses': { note: 'the upstream counts' } },
  },
  {
    sdk,
    feature: 'refusal',
    async run(cell) {
      const answer = await ask(cell, 'refuse');
      const message = answer.output.find((item) => item.type === 'message');
      if (cell.column.startsWith('openai'))
        expect(message?.content[0]).toMatchObject({ type: 'refusal', refusal: 'I cannot help with that.' });
      else expect(answer).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'content_filter' } });
    },
    except: { 'anthropic-messages': { note: filtered }, 'gemini-generate': { note: filtered } },
  },
  {
    sdk,
    feature: 'error: RateLimitError',
    spoil: '429',
    charge: 'none',
    async run(cell) {
      expect(await failureOf(ask(cell, 'fail 429'))).toBeInstanceOf(OpenAI.RateLimitError);
    },
  },
  {
    sdk,
    feature: 'failure in mid-stream',
    spoil: 'cut',
    charge: 'some',
    async run({ world, model }) {
      const failure = await failureOf(openaiOf(world).responses.stream({ model, input: 'break off' }).finalResponse());
      expect(failure).toBeInstanceOf(OpenAI.OpenAIError);
    },
  },
];
