import { chinaModels } from './china-models.ts';
import type { Provider } from './provider.ts';
import { tc3Signer } from './sign/tc3.ts';

/** Hunyuan's own API. */
export const tencent: Provider = {
  type: 23,
  name: 'tencent',
  baseUrl: 'https://hunyuan.tencentcloudapi.com',
  paths: { 'tencent-chat': '/' },
  streamUsage: false,
  sign: tc3Signer({ service: 'hunyuan', action: 'ChatCompletions', version: '2023-09-01' }),
  models: chinaModels[23],
};
