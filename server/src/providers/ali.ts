import type { JsonObject } from '@tollgate/wire';
import { embeddings, images, isMultimodal, rerank } from './ali-shapes.ts';
import type { UpstreamCallFacts } from './call.ts';
import { chinaModels } from './china-models.ts';
import { under } from './places.ts';
import type { Provider } from './provider.ts';

const services = '/api/v1/services';

/** DashScope: chat as OpenAI has it, everything else in shapes of its own. */
export const ali: Provider = {
  type: 17,
  name: 'ali',
  baseUrl: 'https://dashscope.aliyuncs.com',
  paths: {
    ...under('/compatible-mode/v1', ['openai-chat', 'openai-completions']),
    'anthropic-messages': '/apps/anthropic/v1/messages',
    embeddings: `${services}/embeddings/text-embedding/text-embedding`,
    rerank: `${services}/rerank/text-rerank/text-rerank`,
    images: ({ model }) =>
      `${services}/aigc/${isMultimodal(model) ? 'multimodal-generation/generation' : 'text2image/image-synthesis'}`,
  },
  shapes: { embeddings, rerank, images },
  dialectsOf: (model) => (/^qwen3\.\d/.test(model) ? [...chatDialects, 'anthropic-messages'] : chatDialects),
  streamUsage: true,
  extensions: ['top_k', 'cache_control', 'reasoning_content'],
  headersOf,
  adapt,
  // A code says so in chat alone.
  blames: ({ message }) =>
    /^Access denied, please make sure your account is in good standing/.test(message) ? 'quota' : undefined,
  models: chinaModels[17],
  modelList: { path: '/compatible-mode/v1/models' },
};

const chatDialects: readonly string[] = ['openai-chat', 'openai-completions'];

function headersOf({ channel, stream, protocol, model }: UpstreamCallFacts): Readonly<Record<string, string>> {
  return {
    ...(stream ? { 'x-dashscope-sse': 'enable' } : {}),
    ...(channel.other === '' ? {} : { 'x-dashscope-plugin': channel.other }),
    ...(protocol === 'images' && !isMultimodal(model) ? { 'x-dashscope-async': 'enable' } : {}),
  };
}

/** `top_p` lies strictly between 0 and 1. */
function adapt(body: JsonObject, call: UpstreamCallFacts): JsonObject {
  if (call.protocol !== 'openai-chat') return body;
  const whole = withoutThoughts(body, call);
  if (typeof whole.top_p !== 'number') return whole;
  const top_p = Math.min(0.999, Math.max(0.001, whole.top_p));
  return top_p === whole.top_p ? whole : { ...whole, top_p };
}

/** Open weights that think unless they are told not to. */
const thinksUnasked = /^(?:qwen\/)?qwen3-\d+(?:\.\d+)?b(?:-a\d+b)?$/i;

/** They refuse to think where nothing is streamed, also where nobody asked them to. */
export function refusesThoughts({ protocol, model, stream }: UpstreamCallFacts): boolean {
  return protocol === 'openai-chat' && !stream && thinksUnasked.test(model);
}

export function withoutThoughts(body: JsonObject, call: UpstreamCallFacts): JsonObject {
  return refusesThoughts(call) && body.enable_thinking === undefined ? { ...body, enable_thinking: false } : body;
}
