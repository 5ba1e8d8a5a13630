import { createOpenAI } from '@ai-sdk/openai';
import { embedMany } from 'ai';
import { expect } from 'vitest';
import { vector } from '../../support/mock/vendors/families/texts.ts';
import { factsOf } from '../../support/mock/vendors/vendor.ts';
import { postJson } from '../../support/post-json.ts';
import { anthropicOf, googleOf, openaiOf } from '../clients.ts';
import { greeting } from '../rows/samples.ts';
import { modelOf, type World } from '../world.ts';
import type { FamilyRow } from './row.ts';

const embedders = [
  ['text-embedding-3-small', 'openai'],
  ['gemini-embedding-001', 'gemini'],
  ['embed-v4.0', 'cohere'],
] as const;

const embeddingRows = embedders.flatMap(([model, upstream]): FamilyRow[] => [
  {
    sdk: 'openai',
    feature: 'embeddings',
    upstream,
    async run(world) {
      const { data } = await openaiOf(world).embeddings.create({ model, input: ['one', 'two'] });
      expect(data.map(({ embedding }) => embedding)).toEqual([vector, vector]);
      const { data: floats } = await openaiOf(world).embeddings.create({ model, input: 'one', encoding_format: 'float' });
      expect(floats).toMatchObject([{ index: 0, embedding: vector }]);
    },
  },
  {
    sdk: '@google/genai',
    feature: 'embedContent, one and many',
    upstream,
    async run(world) {
      const { models } = googleOf(world);
      const one = await models.embedContent({ model, contents: 'one' });
      expect(one.embeddings?.map(({ values }) => values)).toEqual([vector]);
      const many = await models.embedContent({ model, contents: ['one', 'two'] });
      expect(many.embeddings?.map(({ values }) => values)).toEqual([vector, vector]);
    },
  },
]);

/** No vendor's client has this one. */
function rankOf({ gateway, key }: World, model: string): Promise<Response> {
  return postJson(`${gateway.url}/v1/rerank`, key, {
    model,
    query: 'q',
    documents: ['a', 'b', 'c'],
    top_n: 2,
    return_documents: true,
  });
}

const rankRows = (
  [
    ['bge-reranker-v2-m3', 'vllm'],
    ['rerank-v3.5', 'cohere'],
  ] as const
).map(
  ([model, upstream]): FamilyRow => ({
    sdk: 'fetch',
    feature: 'rerank',
    upstream,
    charge: upstream === 'cohere' ? 'some' : 'told',
    async run(world) {
      const { results } = (await (await rankOf(world, model)).json()) as { results: unknown };
      expect(results).toMatchObject([
        { index: 2, relevance_score: 0.3, document: { text: 'c' } },
        { index: 1, relevance_score: 0.2, document: { text: 'b' } },
      ]);
    },
  }),
);

/** As the vendor's own client asks since its second version: all documents are ranked, and their texts stay away. */
const rankAllRow: FamilyRow = {
  sdk: 'fetch',
  feature: 'rerank, version 2',
  upstream: 'cohere',
  charge: 'some',
  async run({ gateway, key }) {
    const body = { model: 'rerank-v3.5', query: 'q', documents: ['a', 'b', 'c'] };
    const { results } = (await (await postJson(`${gateway.url}/v2/rerank`, key, body)).json()) as { results: unknown };
    expect(results).toEqual([2, 1, 0].map((index) => ({ index, relevance_score: (index + 1) / 10 })));
  },
};

const completionRows = (
  [
    ['gpt-3.5-turbo-instruct', 'openai-completions'],
    ...(['openai-chat', 'anthropic-messages', 'gemini-generate'] as const).map((column) => [modelOf(column), column] as const),
  ] as const
).map(
  ([model, upstream]): FamilyRow => ({
    sdk: 'openai',
    feature: 'completions, whole and streamed',
    upstream,
    async run(world) {
      const { completions } = openaiOf(world);
      const answer = await completions.create({ model, prompt: 'hi', max_tokens: 50 });
      expect(answer).toMatchObject({ object: 'text_completion', choices: [{ text: greeting, finish_reason: 'stop' }] });
      let text = '';
      for await (const chunk of await completions.create({ model, prompt: 'hi', stream: true }))
        text += chunk.choices[0]?.text ?? '';
      expect(text).toBe(greeting);
      const facts = world.mock.requests().flatMap((request) => factsOf(request) ?? []);
      expect(facts.map(({ stream }) => stream)).toEqual([false, true]);
      expect(facts[0]).toMatchObject({ cap: 50, turns: [{ role: 'user', pieces: [{ text: 'hi' }] }] });
    },
  }),
);

const listRows: readonly FamilyRow[] = [
  {
    sdk: 'openai',
    feature: 'models.list, models.retrieve',
    upstream: '-',
    charge: 'none',
    async run(world) {
      const names: string[] = [];
      for await (const { id } of openaiOf(world).models.list()) names.push(id);
      expect(names).toEqual(expect.arrayContaining(['mercury-2', 'whisper-1']));
      expect(await openaiOf(world).models.retrieve('whisper-1')).toMatchObject({ id: 'whisper-1', object: 'model' });
    },
  },
  {
    sdk: '@anthropic-ai/sdk',
    feature: 'models.list, models.retrieve',
    upstream: '-',
    charge: 'none',
    async run(world) {
      const names: string[] = [];
      for await (const { id } of anthropicOf(world).models.list()) names.push(id);
      expect(names).toContain('claude-sonnet-4-6');
      expect(await anthropicOf(world).models.retrieve('mercury-2')).toMatchObject({ id: 'mercury-2', type: 'model' });
    },
  },
  {
    sdk: '@google/genai',
    feature: 'models.list, models.get',
    upstream: '-',
    charge: 'none',
    async run(world) {
      const names: (string | undefined)[] = [];
      for await (const { name } of await googleOf(world).models.list()) names.push(name);
      expect(names).toContain('models/gemini-2.5-flash');
      expect(await googleOf(world).models.get({ model: 'gemini-2.5-flash' })).toMatchObject({ name: 'models/gemini-2.5-flash' });
    },
  },
];

export const textRows: readonly FamilyRow[] = [
  ...embeddingRows,
  {
    sdk: 'ai',
    feature: 'embedMany',
    upstream: 'openai',
    async run(world) {
      const provider = createOpenAI({ apiKey: world.key, baseURL: `${world.gateway.url}/v1` });
      const { embeddings } = await embedMany({
        model: provider.embedding('text-embedding-3-small'),
        values: ['a', 'b'],
        maxRetries: 0,
      });
      expect(embeddings).toEqual([vector, vector]);
    },
  },
  ...rankRows,
  rankAllRow,
  {
    sdk: 'openai',
    feature: 'moderations',
    upstream: 'openai',
    charge: 'some',
    async run(world) {
      const { results } = await openaiOf(world).moderations.create({ model: 'omni-moderation-latest', input: ['fine', 'bad'] });
      expect(results.map(({ flagged }) => flagged)).toEqual([false, true]);
    },
  },
  {
    sdk: 'openai',
    feature: 'decisions',
    upstream: 'openai',
    async run(world) {
      const questions = [{ type: 'predicate' as const, name: 'polite', instructions: 'Is it polite?' }];
      const decision = await openaiOf(world).decisions.create({ model: 'gpt-6-luna', input: 'Good morning.', questions });
      expect(decision).toMatchObject({
        model: 'gpt-6-luna',
        answers: [{ type: 'predicate', name: 'polite', probability: 0.75 }],
      });
      expect(world.mock.requests()[0]?.json).toEqual({ model: 'gpt-6-luna', input: 'Good morning.', questions });
    },
  },
  ...completionRows,
  ...listRows,
];
