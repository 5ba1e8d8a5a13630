import type { JsonObject } from '@tollgate/wire';
import { renamed } from './bodies.ts';
import type { UpstreamCallFacts } from './call.ts';
import { defaultModels } from './default-models.ts';
import { under } from './places.ts';
import type { Provider } from './provider.ts';

/** Embeddings and rankings in the canonical shape; only the form of vectors has another name. */
export const jina: Provider = {
  type: 38,
  name: 'jina',
  baseUrl: 'https://api.jina.ai',
  paths: under('/v1', ['embeddings', 'rerank']),
  streamUsage: false,
  adapt: (body: JsonObject, { protocol }: UpstreamCallFacts) =>
    protocol === 'embeddings' ? renamed(body, 'encoding_format', 'embedding_type') : body,
  models: defaultModels[38] ?? [],
  modelList: { path: '/v1/models' },
};
