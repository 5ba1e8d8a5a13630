import { channelTypes } from '@tollgate/contract';
import { plannedModels } from './planned-models.ts';
import type { Provider } from './provider.ts';

interface Line {
  name: string;
  extra?: Partial<Provider>;
}

const anthropicHeaders = { 'anthropic-version': '2023-06-01' };

/** Channel types that can be stored, listed and asked for models although the relay does not speak them yet. */
const lines: Readonly<Record<number, Line>> = {
  2: { name: 'midjourney', extra: { untestable: 'midjourney channel test is not supported' } },
  3: { name: 'azure', extra: { keyHeader: 'api-key' } },
  4: { name: 'ollama', extra: { modelList: { path: '/v1/models' } } },
  5: { name: 'midjourney', extra: { untestable: 'midjourney plus channel test is not supported!!!' } },
  11: { name: 'google palm' },
  14: {
    name: 'anthropic',
    extra: { keyHeader: 'x-api-key', headers: anthropicHeaders, modelList: { path: '/v1/models' } },
  },
  24: { name: 'google gemini', extra: { modelList: { path: '/v1beta/openai/models', strip: 'models/' } } },
  33: { name: 'aws' },
  34: { name: 'cohere', extra: { modelList: { path: '/compatibility/v1/models' } } },
  36: { name: 'suno', extra: { untestable: 'suno channel test is not supported' } },
  38: { name: 'jina', extra: { modelList: { path: '/v1/models' } } },
  39: { name: 'cloudflare' },
  41: { name: 'vertex-ai' },
};

const baseUrls = new Map(channelTypes.map(({ type, baseUrl }) => [type, baseUrl]));

/** What `plannedProviders` says of a type until a protocol's own table takes the line over. */
export const plannedProviders: readonly Provider[] = Object.entries(lines).map(([type, line]) => ({
  type: Number(type),
  name: line.name,
  baseUrl: baseUrls.get(Number(type)) ?? '',
  paths: {},
  planned: true,
  streamUsage: false,
  models: plannedModels[Number(type)] ?? [],
  ...line.extra,
}));
