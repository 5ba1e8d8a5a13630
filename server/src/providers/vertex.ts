import { type JsonObject, parseObject } from '@tollgate/wire';
import { isObject, without } from './bodies.ts';
import type { ChannelFacts, ChatProtocol, UpstreamCallFacts } from './call.ts';
import { betasForClouds, bodyForClouds, thinkingVariant } from './claude.ts';
import { defaultModels } from './default-models.ts';
import { generating, maxImages, spokenInChat, thoughtVariant, withSafety } from './google.ts';
import { googleRefusals } from './google-refusals.ts';
import { cloudEmbeddings, drawnPictures, drawsInChat, embedsInBatches } from './google-shapes.ts';
import type { Provider } from './provider.ts';
import { readServiceAccount, signWithGoogleToken } from './sign/google-token.ts';
import { anyOf } from './variant.ts';

const messagesVersion = 'vertex-2023-10-16';

/** The publisher's names of Claude models: `name@date`. */
const claudeNames: Readonly<Record<string, string>> = {
  'claude-3-sonnet-20240229': 'claude-3-sonnet@20240229',
  'claude-3-opus-20240229': 'claude-3-opus@20240229',
  'claude-3-haiku-20240307': 'claude-3-haiku@20240307',
  'claude-3-5-sonnet-20240620': 'claude-3-5-sonnet@20240620',
  'claude-3-5-sonnet-20241022': 'claude-3-5-sonnet-v2@20241022',
};
const dated = /^(claude-.+)-(\d{8})$/;

function publishedName(model: string): string {
  return claudeNames[model] ?? model.replace(dated, '$1@$2');
}

/** The region of a model: the channel's field is a name, or a map from models to names with a `default` (contract 4.3). */
function regionOf({ other }: ChannelFacts, model: string): string {
  const text = other.trim();
  const table = text.startsWith('{') ? parseObject(text) : undefined;
  const region = table === undefined ? text : (table[model] ?? table.default);
  if (typeof region !== 'string' || !/^[a-z0-9-]+$/.test(region)) throw new RangeError('the region is missing');
  return region;
}

/** The host of a region; the global one has no prefix, and the multi-regions have hosts of their own. */
function hostOf(region: string): string {
  if (region === 'global') return 'https://aiplatform.googleapis.com';
  return region === 'us' || region === 'eu'
    ? `https://aiplatform.${region}.rep.googleapis.com`
    : `https://${region}-aiplatform.googleapis.com`;
}

function projectOf({ key }: ChannelFacts): string {
  const project = readServiceAccount(key)?.projectId ?? '';
  if (project === '') throw new RangeError('the key is no service account file');
  return encodeURIComponent(project);
}

function located({ channel, model }: UpstreamCallFacts, version: string): string {
  const region = regionOf(channel, model);
  const base = channel.baseUrl.replace(/\/+$/, '') || hostOf(region);
  return `${base}/${version}/projects/${projectOf(channel)}/locations/${region}`;
}

function published(publisher: string, action: (call: UpstreamCallFacts) => string, version = 'v1') {
  return (call: UpstreamCallFacts) => {
    const name = publisher === 'anthropic' ? publishedName(call.model) : call.model;
    return `${located(call, version)}/publishers/${publisher}/models/${encodeURIComponent(name).replaceAll('%40', '@')}${action(call)}`;
  };
}

const predicted = published('google', () => ':predict');
const embeddedInBatches = published('google', () => ':batchEmbedContents', 'v1beta1');

/** Which of the models' dialects one speaks: by its family. Open weights share the OpenAI API. */
function dialectsOf(model: string): readonly ChatProtocol[] {
  if (model.startsWith('claude')) return ['anthropic-messages'];
  return /\/|llama/.test(model) ? ['openai-chat'] : ['gemini-generate'];
}

/** The caller's betas go into a header there too; the version goes into the body instead of the model. */
function adapt(body: JsonObject, call: UpstreamCallFacts): JsonObject {
  if (call.protocol === 'gemini-generate') return withRoles(withSafety(body, call));
  if (call.protocol !== 'anthropic-messages') return body;
  return { ...without(bodyForClouds(body), ['model']), anthropic_version: messagesVersion };
}

/** A turn without a role is the user's: the vendor's other API takes it so, as its own examples have it, and this one refuses it. */
function withRoles(body: JsonObject): JsonObject {
  const { contents } = body;
  const turns: unknown[] = Array.isArray(contents) ? contents : [contents];
  if (!turns.some(lacksRole)) return body;
  return { ...body, contents: turns.map((turn) => (lacksRole(turn) ? { ...turn, role: 'user' } : turn)) };
}

function lacksRole(turn: unknown): turn is JsonObject {
  return isObject(turn) && (turn.role ?? '') === '';
}

function headersOf(call: UpstreamCallFacts): Record<string, string> {
  const betas = call.protocol === 'anthropic-messages' ? betasForClouds(call) : [];
  return betas.length === 0 ? {} : { 'anthropic-beta': betas.join(',') };
}

export const vertex: Provider = {
  type: 41,
  name: 'vertex-ai',
  baseUrl: '',
  paths: {
    'gemini-generate': published('google', generating),
    'anthropic-messages': published('anthropic', ({ stream }) => (stream ? ':streamRawPredict?alt=sse' : ':rawPredict')),
    'openai-chat': (call) => `${located(call, 'v1beta1')}/endpoints/openapi/chat/completions`,
    embeddings: (call) => (embedsInBatches(call.model) ? embeddedInBatches : predicted)(call),
    images: published('google', ({ model }) => (drawsInChat(model) ? ':generateContent' : ':predict')),
  },
  countPaths: { 'gemini-generate': published('google', () => ':countTokens') },
  dialectsOf,
  instead: spokenInChat,
  shapes: { embeddings: cloudEmbeddings, images: drawnPictures },
  streamUsage: true,
  sign: signWithGoogleToken,
  retryAfterOf: googleRefusals.retryAfterOf,
  headersOf,
  variantOf: anyOf(thinkingVariant, thoughtVariant),
  adapt,
  adapts: ({ protocol }) => protocol !== 'openai-chat',
  // What callers of the vendor's own dialect name by address is fetched there.
  mediaByUrl: (protocol) => (protocol === 'gemini-generate' ? ['image', 'file'] : []),
  maxImages: (protocol) => (protocol === 'gemini-generate' ? maxImages : undefined),
  models: defaultModels[41] ?? [],
  modelList: {
    path: (channel) =>
      `${channel.baseUrl.replace(/\/+$/, '') || hostOf(regionOf(channel, 'default'))}/v1beta1/publishers/google/models?pageSize=1000`,
    list: 'publisherModels',
    id: 'name',
    strip: 'publishers/google/models/',
  },
};
