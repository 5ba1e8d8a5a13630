import type { JsonObject } from '@tollgate/wire';
import { isObject, openTopP, withMessages } from './bodies.ts';
import type { UpstreamCallFacts } from './call.ts';
import { chinaModels } from './china-models.ts';
import { under } from './places.ts';
import type { Provider } from './provider.ts';
import { zhipuSigner } from './sign/zhipu-jwt.ts';

const baseUrl = 'https://open.bigmodel.cn';
const highestTopP = 0.99;

/** An account in debt, which comes with status 429. */
export const zhipuBlames: Provider['blames'] = ({ code }) => (String(code) === '1113' ? 'quota' : undefined);

/** ChatGLM's third API. */
export const zhipu: Provider = {
  type: 16,
  name: 'zhipu',
  baseUrl,
  paths: { 'zhipu-invoke': ({ stream }) => `/api/paas/v3/model-api/{model}/${stream ? 'sse-invoke' : 'invoke'}` },
  streamUsage: false,
  sign: zhipuSigner({ plainToo: false }),
  adapt: belowOne,
  blames: zhipuBlames,
  models: chinaModels[16],
};

/** The present API: chat as OpenAI has it, except for three details. */
export const zhipuV4: Provider = {
  type: 26,
  name: 'zhipu_4v',
  baseUrl,
  paths: {
    ...under('/api/paas/v4', ['openai-chat', 'embeddings', 'rerank', 'moderations', 'images', 'speech', 'transcriptions']),
    'anthropic-messages': '/api/anthropic/v1/messages',
  },
  dialectsOf: (model) => (/^glm-(4\.[5-9]|[5-9])/i.test(model) ? ['openai-chat', 'anthropic-messages'] : ['openai-chat']),
  streamUsage: true,
  extensions: ['reasoning_content'],
  sign: zhipuSigner({ plainToo: true }),
  adapt: adaptV4,
  blames: zhipuBlames,
  models: chinaModels[26],
  modelList: { path: '/api/paas/v4/models' },
};

function belowOne(body: JsonObject): JsonObject {
  return openTopP(body, highestTopP);
}

function adaptV4(body: JsonObject, { protocol }: UpstreamCallFacts): JsonObject {
  if (protocol !== 'openai-chat') return body;
  const bounded = withMessages(belowOne(body), plainImages);
  return typeof bounded.stop === 'string' ? { ...bounded, stop: [bounded.stop] } : bounded;
}

/** Inline pictures go without their `data:` prefix. */
function plainImages(message: JsonObject): JsonObject {
  if (!Array.isArray(message.content)) return message;
  const before = message.content as unknown[];
  const after = before.map(plainImage);
  return after.every((part, k) => part === before[k]) ? message : { ...message, content: after };
}

function plainImage(part: unknown): unknown {
  const image = isObject(part) ? part.image_url : undefined;
  if (!isObject(part) || !isObject(image) || typeof image.url !== 'string') return part;
  const prefix = /^data:image\/[^;,]+;base64,/i.exec(image.url.slice(0, 64))?.[0];
  return prefix === undefined ? part : { ...part, image_url: { ...image, url: image.url.slice(prefix.length) } };
}
