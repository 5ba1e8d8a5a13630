import { type Content, FunctionCallingConfigMode, type GenerateContentConfig, type Part, Type } from '@google/genai';
import { expect } from 'vitest';
import { googleOf } from '../clients.ts';
import type { Cell, Row } from '../table.ts';
import { functions, greeting, pdfBase64, pdfSize, pngBase64, pngSize, thought, wavBase64, wavSize } from './samples.ts';
import { thoughtsComeBack } from './thoughts.ts';

export const googleSdk = '@google/genai: models';
const sdk = googleSdk;

/** One call of the client. */
export function askGoogle({ world, model }: Cell, contents: string | Part[] | Content[], config: GenerateContentConfig = {}) {
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
      const answer = await askGoogle(cell, 'hi', {
        systemInstruction: 'Be brief.',
        maxOutputTokens: 100,
        temperature: 0.5,
        topP: 0.9,
      });
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
      const first = await askGoogle(cell, 'call both', { tools });
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
      expect((await askGoogle(cell, contents, { tools })).text).toMatch(/^The tools say: .*result 0.* and .*result 1/);
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
      expect((await askGoogle(cell, parts)).text).toBe(`I got ${pngSize} and ${pdfSize}`);
    },
    saw([facts]) {
      expect(facts?.turns[0]?.pieces).toEqual([{ text: 'look' }, { image: pngSize }, { file: pdfSize }]);
    },
  },
  {
    sdk,
    feature: 'audio, inline',
    async run(cell) {
      const answer = await askGoogle(cell, [{ text: 'hear' }, { inlineData: { mimeType: 'audio/wav', data: wavBase64 } }]);
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
      const answer = await askGoogle(cell, 'where', { responseMimeType: 'application/json', responseSchema });
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
      const answer = await askGoogle(cell, 'where', {
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
      const first = await askGoogle(cell, 'call the tool', config);
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
      expect((await askGoogle(cell, contents, config)).text).toContain('sun');
      expect(first.usageMetadata?.thoughtsTokenCount).toBe(5);
    },
    ...thoughtsComeBack,
  },
];
