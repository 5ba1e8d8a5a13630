import { asObjects, type JsonObject } from '@tollgate/wire';
import { bedrockModel } from './bedrock-models.ts';
import { inside, messageAsError, without } from './bodies.ts';
import type { ChannelFacts, UpstreamCallFacts } from './call.ts';
import { betasForClouds, bodyForClouds, thinkingVariant } from './claude.ts';
import { defaultModels } from './default-models.ts';
import { embeddingList, inputTexts, notOnlyTexts } from './embeddings.ts';
import type { FamilyShape, Place, Provider } from './provider.ts';
import { plainDocuments } from './rerank.ts';
import { badAwsKey, readAwsKey, signV4 } from './sign/sigv4.ts';

const invokeVersion = 'bedrock-2023-05-31';

function regionOf({ key }: ChannelFacts): string {
  const region = readAwsKey(key)?.region;
  if (region === undefined) throw new RangeError(badAwsKey);
  return region;
}

/** An action on a model at the region's address, or at the channel's own. */
function on(action: (call: UpstreamCallFacts) => string): Place {
  return (call) => {
    const region = regionOf(call.channel);
    const base = call.channel.baseUrl.replace(/\/+$/, '') || `https://bedrock-runtime.${region}.amazonaws.com`;
    const id = bedrockModel(call.model, region);
    return `${base}/model/${encodeURIComponent(id)}/${action(call)}`;
  };
}

const isCohere = (model: string) => model.includes('cohere');
const isClaude = (model: string) => model.includes('claude');

/** InvokeModel wants the messages API's body with a version instead of a model (contract 6.12, rulings 16). */
function adapt(body: JsonObject, call: UpstreamCallFacts): JsonObject {
  if (call.protocol !== 'anthropic-messages') return body;
  const betas = betasForClouds(call);
  return {
    ...without(bodyForClouds(body), ['model', 'stream']),
    anthropic_version: invokeVersion,
    ...(betas.length === 0 ? {} : { anthropic_beta: betas }),
  };
}

/** InvokeModel of an embedding model: one maker takes a list of texts, the other a single one. */
const embeddings: FamilyShape = {
  refuses(body, { model }) {
    const isOne = isCohere(model) || inputTexts(body).length <= 1;
    return isOne ? notOnlyTexts(body) : 'input: this model takes one text at a time';
  },
  encode(body, { model }) {
    const texts = inputTexts(body);
    const { dimensions, input_type = 'search_document' } = body;
    if (isCohere(model)) return { texts, input_type, embedding_types: ['float'] };
    return { inputText: texts[0], ...(dimensions === undefined ? {} : { dimensions }) };
  },
  decode(answer, { model }, asked) {
    const list = inside(answer, 'embeddings', 'float') ?? answer.embeddings;
    const vectors = Array.isArray(list) ? list : Array.isArray(answer.embedding) ? [answer.embedding] : undefined;
    if (vectors === undefined) return messageAsError(answer);
    return embeddingList({ vectors, model, tokens: answer.inputTextTokenCount }, asked);
  },
};

const ranking: FamilyShape = {
  encode({ query, documents, top_n }) {
    const texts = plainDocuments(documents);
    return { query, documents: texts, top_n: top_n ?? texts.length, api_version: 2 };
  },
  decode: (answer) => (Array.isArray(answer.results) ? { results: asObjects(answer.results) } : messageAsError(answer)),
};

const sign = signV4('bedrock');

export const bedrock: Provider = {
  type: 33,
  name: 'aws',
  baseUrl: '',
  paths: {
    'anthropic-messages': on(({ stream }) => (stream ? 'invoke-with-response-stream' : 'invoke')),
    'bedrock-converse': on(({ stream }) => (stream ? 'converse-stream' : 'converse')),
    embeddings: on(() => 'invoke'),
    rerank: on(() => 'invoke'),
  },
  dialectsOf: (model) => (isClaude(model) ? ['anthropic-messages'] : ['bedrock-converse']),
  shapes: { embeddings, rerank: ranking },
  streamUsage: false,
  sign,
  // An invoked model answers in what is accepted, and refuses what it does not know.
  headersOf: ({ stream }): Record<string, string> => (stream ? { accept: 'application/vnd.amazon.eventstream' } : {}),
  variantOf: thinkingVariant,
  adapt,
  framing: 'aws-event-stream',
  mediaByUrl: [],
  models: defaultModels[33] ?? [],
  modelList: {
    path: ({ key, baseUrl, ...channel }) =>
      `${baseUrl || `https://bedrock.${regionOf({ ...channel, key, baseUrl })}.amazonaws.com`}/foundation-models`,
    list: 'modelSummaries',
    id: 'modelId',
  },
};
