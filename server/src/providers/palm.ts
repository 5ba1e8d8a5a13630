import { defaultModels } from './default-models.ts';
import type { Provider } from './provider.ts';

/** PaLM 2's chat (contract 6.10): one model, no streams. */
export const palm: Provider = {
  type: 11,
  name: 'google palm',
  baseUrl: 'https://generativelanguage.googleapis.com',
  paths: { 'palm-message': '/v1beta2/models/chat-bison-001:generateMessage' },
  framing: 'json',
  streamUsage: false,
  keyHeader: 'x-goog-api-key',
  models: defaultModels[11] ?? [],
  modelList: { path: '/v1beta2/models', list: 'models', id: 'name', strip: 'models/' },
};
