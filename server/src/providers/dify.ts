import type { Provider } from './provider.ts';

/** An application: its key says which, and the application chooses the model. */
export const dify: Provider = {
  type: 37,
  name: 'dify',
  baseUrl: 'https://api.dify.ai',
  paths: { 'dify-chat': '/v1/chat-messages' },
  streamUsage: false,
  // Agents refuse to answer at once.
  streamsOnly: true,
  models: [],
};
