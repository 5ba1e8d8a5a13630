import { chinaModels } from './china-models.ts';
import type { Provider } from './provider.ts';

/** A knowledge base: the channel's special field names which one. */
export const library: Provider = {
  type: 21,
  name: 'ai-proxy-library',
  baseUrl: 'https://api.aiproxy.io',
  paths: { 'library-ask': '/api/library/ask' },
  streamUsage: false,
  adapt: (body, { channel }) => ({ ...body, libraryId: channel.other }),
  models: chinaModels[21],
};
