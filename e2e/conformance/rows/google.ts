import { ApiError, type Content, FunctionCallingConfigMode, type GenerateContentConfig, type Part, Type } from '@google/genai';
import { expect } from 'vitest';
import { googleOf } from '../clients.ts';
import type { Cell, Row } from '../table.ts';
import { failureOf } from './failures.ts';
import {
  functions,
  greeting,
  pdfBase64,
  pdfSize,
  pngBase64,
  pngSize,
  signatureOfGemini,
  thought,
  wavBase64,
  wavSize,
} from './samples.ts';

const sdk = '@google/genai: models';

function ask({ world, model }: Cell, contents: string | Part[] | Content[], config: GenerateContentConfig = {}) {
  return googleOf(world).models.generateContent({ model, contents, config });
}

const functionDeclarations = Object.values(functions).map(({ name, description, schema }) => {
  return { name, description, parametersJsonSchema: schema };
});
const tools = [{ functionDeclarations }];

export const googleRows: readonly Row[] = [
  {
    sdk,
    feature: 'text, with a system instruction',
    async run(cell) {
      const answer = await ask(cell, 'hi', { systemInstruction: 'Be brief.', maxOutputTokens: 100, temperature: 0.5, topP: 0.9 });
      expect(answer.text).toBe(greeting);
      expect(answer.candidates?.[0]?.finishReason).toBe('STOP');
      const { usageMetadata: usage } = answer;
      expect(usage).toMatchObject({ candidatesTokenCount: 7, totalTokenCount: (usage?.promptTokenCount ?? 0) + 7 });
    },
    saw([facts], cell) {
      expect(facts).toMatchObject({
        model: cell.model,
        stream: false,
        system: 'Be brief.',
        turns: [{ role: 'user', pieces: [{ text: 'hi' }] }],
        cap: 100,
        temperature: 0.5,
      });
      if (!cell.lost('top_p')) expect(facts?.topP).toBe(0.9);
    },
    except: { 'anthropic-messages': { loses: ['top_p'] } },
  },
  {
    sdk,
    feature: 'stream',
    async run({ world, model }) {
      const stream = await googleOf(world).models.generateContentStream({ model, contents: 'hi' });
      let text = '';
      let last: number | undefined;
      for await (const chunk of stream) {
        text += chunk.text ?? '';
        last = chunk.usageMetadata?.candidatesTokenCount ?? last;
      }
      expect({ text, last }).toEqual({ text: greeting, last: 7 });
    },
    saw([facts]) {
      expect(facts).toMatchObject({ stream: true, turns: [{ role: 'user', pieces: [{ text: 'hi' }] }] });
    },
  },
  {
    sdk,
    feature: 'chat of several turns',
    async run({ world, model }) {
      const chat = googleOf(world).chats.create({ model });
      await chat.sendMessage({ message: 'hi' });
      expect((await chat.sendMessage({ message: 'hello' })).text).toBe(greeting);
    },
    saw([, facts]) {
      expect(facts?.turns).toMatchObject([
        { role: 'user', pieces: [{ text: 'hi' }] },
        { role: 'assistant', pieces: [{ text: greeting }] },
        { role: 'user', pieces: [{ text: 'hello' }] },
      ]);
    },
  },
  {
    sdk,
    feature: 'function calling loop, in parallel',
    async run(cell) {
      const first = await ask(cell, 'call both', { tools });
      expect(first.functionCalls?.map(({ name, args }) => [name, args])).toEqual([
        ['get_weather', { city: 'Paris' }],
        ['get_forecast', { city: 'Paris', days: 3 }],
      ]);
      const responses = (first.functionCalls ?? []).map(({ id, name }, k): Part => {
        return { functionResponse: { ...(id === undefined ? {} : { id }), name, response: { output: `result ${k}` } } };
      });
      const contents: Content[] = [
        { role: 'user', parts: [{ text: 'call both' }] },
        first.candidates?.[0]?.content ?? {},
        { role: 'user', parts: responses },
      ];
      expect((await ask(cell, contents, { tools })).text).toMatch(/^The tools say: .*result 0.* and .*result 1/);
    },
    saw([, facts]) {
      expect(facts?.turns).toMatchObject([
        { role: 'user' },
        { role: 'assistant', pieces: [{ call: 'get_weather' }, { call: 'get_forecast', args: { city: 'Paris', days: 3 } }] },
        {
          role: 'user',
          pieces: [{ result: expect.stringContaining('result 0') }, { result: expect.stringContaining('result 1') }],
        },
      ]);
    },
  },
  {
    sdk,
    feature: 'a function that must be called, streamed',
    async run({ world, model }) {
      const functionCallingConfig = { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ['get_forecast'] };
      const stream = await googleOf(world).models.generateContentStream({
        model,
        contents: 'hi',
        config: { tools, toolConfig: { functionCallingConfig } },
      });
      const calls: unknown[] = [];
      for await (const { functionCalls = [] } of stream) calls.push(...functionCalls.map(({ name, args }) => ({ name, args })));
      expect(calls).toEqual([{ name: 'get_forecast', args: { city: 'Paris', days: 3 } }]);
    },
    saw([facts]) {
      expect(facts?.choice).toEqual({ name: 'get_forecast' });
    },
  },
  {
    sdk,
    feature: 'image and pdf, inline',
    async run(cell) {
      const parts: Part[] = [
        { text: 'look' },
        { inlineData: { mimeType: 'image/png', data: pngBase64 } },
        { inlineData: { mimeType: 'application/pdf', data: pdfBase64 } },
      ];
      expect((await ask(cell, parts)).text).toBe(`I got ${pngSize} and ${pdfSize}`);
    },
    saw([facts]) {
      expect(facts?.turns[0]?.pieces).toEqual([{ text: 'look' }, { image: pngSize }, { file: pdfSize }]);
    },
  },
  {
    sdk,
    feature: 'audio, inline',
    async run(cell) {
      const answer = await ask(cell, [{ text: 'hear' }, { inlineData: { mimeType: 'audio/wav', data: wavBase64 } }]);
      if (!cell.lost('audio')) expect(answer.text).toBe(`I got ${wavSize}`);
    },
    except: {
      'openai-responses': { refused: 400, why: 'that dialect takes no sound' },
      'anthropic-messages': { loses: ['audio'] },
    },
  },
  {
    sdk,
    feature: 'responseSchema',
    async run(cell) {
      const properties = { city: { type: Type.STRING }, days: { type: Type.INTEGER } };
      const responseSchema = { type: Type.OBJECT, properties, required: ['city', 'days'], propertyOrdering: ['city', 'days'] };
      const answer = await ask(cell, 'where', { responseMimeType: 'application/json', responseSchema });
      expect(JSON.parse(answer.text ?? '')).toEqual({ city: 'Paris', days: 3 });
    },
    saw([facts]) {
      expect(facts?.schema).toMatchObject({
        required: ['city', 'days'],
        properties: { days: { type: expect.stringMatching(/integer/i) } },
      });
    },
  },
  {
    sdk,
    feature: 'responseJsonSchema',
    async run(cell) {
      const answer = await ask(cell, 'where', {
        responseMimeType: 'application/json',
        responseJsonSchema: functions.forecast.schema,
      });
      expect(JSON.parse(answer.text ?? '')).toEqual({ city: 'Paris', days: 3 });
    },
    saw([facts]) {
      expect(facts?.schema).toMatchObject({ required: ['city', 'days'] });
    },
  },
  {
    sdk,
    feature: 'thinking, shown, and its way back through a call',
    async run(cell) {
      const config: GenerateContentConfig = {
        tools,
        thinkingConfig: { includeThoughts: true, thinkingBudget: 2_000 },
        maxOutputTokens: 8_000,
      };
      const first = await ask(cell, 'call the tool', config);
      const parts = first.candidates?.[0]?.content?.parts ?? [];
      expect(parts.find((part) => part.thought)?.text).toBe(thought);
      const [call] = first.functionCalls ?? [];
      const functionResponse = {
        ...(call?.id === undefined ? {} : { id: call.id }),
        name: 'get_weather',
        response: { output: 'sun' },
      };
      const contents: Content[] = [
        { role: 'user', parts: [{ text: 'call the tool' }] },
        { role: 'model', parts },
        { role: 'user', parts: [{ functionResponse }] },
      ];
      expect((await ask(cell, contents, config)).text).toContain('sun');
      expect(first.usageMetadata?.thoughtsTokenCount).toBe(5);
    },
    saw([first, second], { column, world }) {
      expect(first?.thinking).toBeDefined();
      const signed = second?.turns
        .flatMap(({ pieces }) => pieces)
        .flatMap((piece) => ('thought' in piece ? [piece.signature] : []));
      if (column === 'anthropic-messages') expect(signed).toEqual(['sig-of-messages-1']);
      if (column === 'openai-responses') expect(signed).toEqual(['sealed-by-responses']);
      if (column === 'gemini-generate') expect(world.mock.requests()[1]?.body.toString()).toContain(signatureOfGemini);
    },
    except: { 'openai-chat': { loses: ['reasoning'] } },
  },
  {
    sdk,
    feature: 'stop sequences, a cap, top_k, a seed',
    async run(cell) {
      const answer = await ask(cell, 'count', { stopSequences: ['four'], topK: 5, seed: 7 });
      if (!cell.lost('stop')) expect(answer.text).toMatch(/^one two three ?$/);
      const cut = await ask(cell, 'recite', { maxOutputTokens: 16 });
      expect(cut.candidates?.[0]?.finishReason).toBe('MAX_TOKENS');
    },
    saw([facts], cell) {
      if (!cell.lost('stop')) expect(facts?.stop).toEqual(['four']);
      if (!cell.lost('top_k')) expect(facts?.topK).toBe(5);
      if (!cell.lost('seed')) expect(facts?.seed).toBe(7);
    },
    except: {
      'openai-chat': { loses: ['top_k'] },
      'openai-responses': { loses: ['seed', 'stop', 'top_k'] },
      'anthropic-messages': { loses: ['seed'] },
    },
  },
  {
    sdk,
    feature: 'candidates and logprobs',
    async run(cell) {
      const answer = await ask(cell, 'hi', { candidateCount: 2, responseLogprobs: true, logprobs: 1 });
      expect(answer.candidates).toHaveLength(cell.lost('choices') ? 1 : 2);
      if (!cell.lost('logprobs'))
        expect(answer.candidates?.[0]?.logprobsResult?.chosenCandidates?.[0]?.logProbability).toBe(-0.25);
    },
    except: { 'openai-responses': { loses: ['choices'] }, 'anthropic-messages': { loses: ['choices', 'logprobs'] } },
  },
  {
    sdk,
    feature: 'usage of a cached prompt',
    async run(cell) {
      const { usageMetadata: usage } = await ask(cell, 'a known prefix and more words than that');
      expect(usage?.cachedContentTokenCount).toBe(Math.floor((usage?.promptTokenCount ?? 0) / 2));
    },
  },
  {
    sdk,
    feature: 'refusal',
    async run(cell) {
      const { candidates, promptFeedback } = await ask(cell, 'refuse');
      if (cell.column === 'gemini-generate') expect(promptFeedback?.blockReason).toBe('PROHIBITED_CONTENT');
      else expect(candidates?.[0]?.finishReason).toBe('SAFETY');
    },
  },
  {
    sdk,
    feature: 'countTokens',
    async run({ world, model }) {
      const { totalTokens = 0 } = await googleOf(world).models.countTokens({ model, contents: 'one two three' });
      expect(totalTokens).toBeGreaterThanOrEqual(3);
      expect(totalTokens).toBeLessThan(40);
    },
  },
  ...(['429', '400', '503'] as const).map(
    (status): Row => ({
      sdk,
      feature: `error: ApiError (${status})`,
      spoil: status,
      charge: 'none',
      async run(cell) {
        const failure = await failureOf(ask(cell, `fail ${status}`));
        expect(failure).toBeInstanceOf(ApiError);
        expect(failure).toMatchObject({ status: Number(status), message: expect.stringContaining(`"code":${status}`) });
      },
    }),
  ),
  {
    sdk,
    feature: 'failure in mid-stream',
    spoil: 'cut',
    charge: 'some',
    async run({ world, model }) {
      const stream = await googleOf(world).models.generateContentStream({ model, contents: 'break off' });
      let text = '';
      const failure = await failureOf(
        (async () => {
          for await (const chunk of stream) text += chunk.text ?? '';
        })(),
      );
      expect(text).toBe('Hello! How');
      expect(failure).toBeInstanceOf(Error);
    },
  },
];
