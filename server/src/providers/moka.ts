import { chinaModels } from './china-models.ts';
import type { Provider } from './provider.ts';

/** Embeddings only. */
export const moka: Provider = {
  type: 44,
  name: 'mokaai',
  baseUrl: 'https://api.moka.ai',
  paths: { embeddings: '/embeddings' },
  streamUsage: false,
  models: chinaModels[44],
  modelList: { path: '/v1/models' },
};
