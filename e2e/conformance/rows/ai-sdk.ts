import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { APICallError, generateObject, generateText, isStepCount, type LanguageModel, streamText, tool } from 'ai';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Outcome, Row } from '../table.ts';
import type { Column, World } from '../world.ts';
import { failureOf } from './failures.ts';
import { functions, greeting, pngBase64, pngSize } from './samples.ts';

// Its hints at models that it does not know are no findings here.
globalThis.AI_SDK_LOG_WARNINGS = false;

type Except = Partial<Record<Column, Outcome>>;

/** The SDK over one of its providers, and what that provider's dialect loses per feature. */
interface Kind {
  readonly sdk: string;
  model(world: World, name: string): LanguageModel;
  readonly except?: { readonly object?: Except };
}

const kinds: readonly Kind[] = [
  {
    sdk: 'ai: @ai-sdk/openai (responses)',
    model: ({ gateway, key }, name) => createOpenAI({ apiKey: key, baseURL: `${gateway.url}/v1` })(name),
  },
  {
    sdk: 'ai: @ai-sdk/openai (chat)',
    model: ({ gateway, key }, name) => createOpenAI({ apiKey: key, baseURL: `${gateway.url}/v1` }).chat(name),
  },
  {
    sdk: 'ai: @ai-sdk/anthropic',
    model: ({ gateway, key }, name) => createAnthropic({ apiKey: key, baseURL: `${gateway.url}/v1` })(name),
    // Of models that it does not know it asks for a single call instead of a schema.
    except: { object: { 'gemini-generate': { loses: ['parallel_tools'] } } },
  },
  {
    sdk: 'ai: @ai-sdk/google',
    model: ({ gateway, key }, name) => createGoogle({ apiKey: key, baseURL: `${gateway.url}/v1beta` })(name),
  },
];

const weather = tool({
  description: functions.weather.description,
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `sunny in ${city}`,
});
const schema = z.object({ city: z.string(), days: z.number().int() });

export const aiSdkRows: readonly Row[] = kinds.flatMap(rowsOf);

function rowsOf({ sdk, model: modelIn, except = {} }: Kind): Row[] {
  const settings = { maxRetries: 0 };
  return [
    {
      sdk,
      feature: 'generateText',
      async run({ world, model }) {
        const answer = await generateText({
          ...settings,
          model: modelIn(world, model),
          instructions: 'Be brief.',
          prompt: 'hi',
          maxOutputTokens: 100,
        });
        expect(answer).toMatchObject({ text: greeting, finishReason: 'stop', usage: { outputTokens: 7 } });
      },
      saw([facts]) {
        expect(facts).toMatchObject({ system: 'Be brief.', turns: [{ role: 'user', pieces: [{ text: 'hi' }] }], cap: 100 });
      },
    },
    {
      sdk,
      feature: 'streamText',
      async run({ world, model }) {
        const answer = streamText({ ...settings, model: modelIn(world, model), prompt: 'hi' });
        let text = '';
        for await (const part of answer.textStream) text += part;
        expect(text).toBe(greeting);
        expect(await answer.finishReason).toBe('stop');
        expect(await answer.usage).toMatchObject({ outputTokens: 7 });
      },
      saw([facts]) {
        expect(facts?.stream).toBe(true);
      },
    },
    {
      sdk,
      feature: 'tools with steps, streamed',
      async run({ world, model }) {
        const answer = streamText({
          ...settings,
          model: modelIn(world, model),
          prompt: 'call the tool',
          tools: { get_weather: weather },
          stopWhen: isStepCount(3),
        });
        let text = '';
        for await (const part of answer.textStream) text += part;
        expect(text).toContain('sunny in Paris');
        expect(await answer.steps).toHaveLength(2);
      },
      saw([, facts]) {
        expect(facts?.turns).toMatchObject([
          { role: 'user', pieces: [{ text: 'call the tool' }] },
          { role: 'assistant', pieces: [{ call: 'get_weather', args: { city: 'Paris' } }] },
          { role: 'user', pieces: [{ result: expect.stringContaining('sunny in Paris') }] },
        ]);
      },
    },
    {
      sdk,
      feature: 'generateObject',
      async run({ world, model }) {
        const { object } = await generateObject({ ...settings, model: modelIn(world, model), prompt: 'where', schema });
        expect(object).toEqual({ city: 'Paris', days: 3 });
      },
      except: except.object,
    },
    {
      sdk,
      feature: 'image',
      async run({ world, model }) {
        const content = [
          { type: 'text' as const, text: 'look' },
          { type: 'file' as const, data: pngBase64, mediaType: 'image/png' },
        ];
        const answer = await generateText({ ...settings, model: modelIn(world, model), messages: [{ role: 'user', content }] });
        expect(answer.text).toBe(`I got ${pngSize}`);
      },
      saw([facts]) {
        expect(facts?.turns[0]?.pieces).toEqual([{ text: 'look' }, { image: pngSize }]);
      },
    },
    {
      sdk,
      feature: 'error: APICallError (429)',
      spoil: '429',
      charge: 'none',
      async run({ world, model }) {
        const failure = await failureOf(generateText({ ...settings, model: modelIn(world, model), prompt: 'fail 429' }));
        expect(APICallError.isInstance(failure)).toBe(true);
        expect(failure).toMatchObject({ statusCode: 429, message: expect.stringContaining('request id') });
      },
    },
  ];
}
