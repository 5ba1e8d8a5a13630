import type { JsonObject } from '@tollgate/wire';
import { expect, test } from 'vitest';
import type { ChannelFacts, UpstreamCallFacts } from './call.ts';
import type { Provider } from './provider.ts';
import { providerOf } from './registry.ts';

const facts: ChannelFacts = { id: 1, baseUrl: '', key: 'key', organization: '', other: '' };

function recordOf(type: number): Provider {
  const record = providerOf(type);
  if (record === undefined) throw new Error(`no type ${type}`);
  return record;
}

function callOf(
  protocol: string,
  model: string,
  more: Partial<UpstreamCallFacts> & { other?: string; baseUrl?: string } = {},
): UpstreamCallFacts {
  const { other = '', baseUrl = '', ...rest } = more;
  return { channel: { ...facts, other, baseUrl }, model, stream: false, protocol, spoken: 'openai-chat', ...rest };
}

/** Where a record is asked, as the relay puts it together. */
function placeOf(type: number, call: UpstreamCallFacts): string {
  const { paths, baseUrl } = recordOf(type);
  const place = paths[call.protocol];
  if (place === undefined) throw new Error(`type ${type} does not speak ${call.protocol}`);
  const path = typeof place === 'string' ? place : place(call);
  const named = path.replaceAll('{model}', encodeURIComponent(call.model));
  return /^[a-z]+:\/\//.test(named) ? named : (call.channel.baseUrl || baseUrl) + named;
}

function adapted(type: number, body: JsonObject, call: UpstreamCallFacts): JsonObject {
  return recordOf(type).adapt?.(body, call) ?? body;
}

const aip = 'https://aip.baidubce.com/rpc/2.0/ai_custom/v1/wenxinworkshop';
const ark = 'https://ark.cn-beijing.volces.com/api/v3';
const dashscope = 'https://dashscope.aliyuncs.com';
const spark = 'wss://spark-api.xf-yun.com';

test.each<[type: number, protocol: string, model: string, url: string]>([
  [15, 'baidu-chat', 'ERNIE-4.0-8K', `${aip}/chat/completions_pro`],
  [15, 'baidu-chat', 'ERNIE-Bot-turbo', `${aip}/chat/eb-instant`],
  [15, 'baidu-chat', 'ERNIE-3.5-8K-0205', `${aip}/chat/ernie-3.5-8k-0205`],
  [15, 'baidu-chat', 'BLOOMZ-7B', `${aip}/chat/bloomz_7b1`],
  [15, 'baidu-chat', 'my model/1', `${aip}/chat/my%20model%2F1`],
  [15, 'embeddings', 'Embedding-V1', `${aip}/embeddings/embedding-v1`],
  [15, 'embeddings', 'bge-large-zh', `${aip}/embeddings/bge_large_zh`],
  [16, 'zhipu-invoke', 'chatglm_turbo', 'https://open.bigmodel.cn/api/paas/v3/model-api/chatglm_turbo/invoke'],
  [17, 'openai-chat', 'qwen-max', `${dashscope}/compatible-mode/v1/chat/completions`],
  [17, 'anthropic-messages', 'qwen3.7-max', `${dashscope}/apps/anthropic/v1/messages`],
  [17, 'embeddings', 'text-embedding-v4', `${dashscope}/api/v1/services/embeddings/text-embedding/text-embedding`],
  [17, 'rerank', 'gte-rerank-v2', `${dashscope}/api/v1/services/rerank/text-rerank/text-rerank`],
  [17, 'images', 'wan2.2-t2i-plus', `${dashscope}/api/v1/services/aigc/text2image/image-synthesis`],
  [17, 'images', 'qwen-image-plus', `${dashscope}/api/v1/services/aigc/multimodal-generation/generation`],
  [18, 'spark-chat', 'SparkDesk-v3.5', `${spark}/v3.5/chat`],
  [18, 'spark-chat', 'max-32k', `${spark}/chat/max-32k`],
  [18, 'spark-chat', 'spark-x2', `${spark}/x2`],
  [18, 'spark-chat', 'SparkDesk', `${spark}/v1.1/chat`],
  [19, 'openai-chat', '360gpt-pro', 'https://api.360.cn/v1/chat/completions'],
  [21, 'library-ask', 'gpt-4o', 'https://api.aiproxy.io/api/library/ask'],
  [22, 'openai-chat', 'm', 'https://fastgpt.run/api/openapi/v1/chat/completions'],
  [23, 'tencent-chat', 'hunyuan-pro', 'https://hunyuan.tencentcloudapi.com/'],
  [25, 'openai-chat', 'kimi-k3', 'https://api.moonshot.cn/v1/chat/completions'],
  [25, 'anthropic-messages', 'kimi-k3', 'https://api.moonshot.cn/anthropic/v1/messages'],
  [26, 'openai-chat', 'glm-5.3', 'https://open.bigmodel.cn/api/paas/v4/chat/completions'],
  [26, 'anthropic-messages', 'glm-5.3', 'https://open.bigmodel.cn/api/anthropic/v1/messages'],
  [26, 'embeddings', 'embedding-3', 'https://open.bigmodel.cn/api/paas/v4/embeddings'],
  [26, 'images', 'cogview-4', 'https://open.bigmodel.cn/api/paas/v4/images/generations'],
  [31, 'openai-chat', 'yi-large', 'https://api.lingyiwanwu.com/v1/chat/completions'],
  [35, 'openai-chat', 'MiniMax-M2', 'https://api.minimax.chat/v1/text/chatcompletion_v2'],
  [35, 'images', 'image-01', 'https://api.minimax.chat/v1/image_generation'],
  [37, 'dify-chat', 'any', 'https://api.dify.ai/v1/chat-messages'],
  [44, 'embeddings', 'm3e-large', 'https://api.moka.ai/embeddings'],
  [45, 'openai-chat', 'doubao-seed-2-0-pro', `${ark}/chat/completions`],
  [45, 'openai-chat', 'bot-20250101-abc', `${ark}/bots/chat/completions`],
  [45, 'openai-responses', 'doubao-seed-2-0-pro', `${ark}/responses`],
  [45, 'images', 'doubao-seedream-4-0', `${ark}/images/generations`],
  [46, 'openai-chat', 'ernie-5.0', 'https://qianfan.baidubce.com/v2/chat/completions'],
  [46, 'embeddings', 'bge-large-zh', 'https://qianfan.baidubce.com/v2/embeddings'],
  [1101, 'openai-chat', 'step-3', 'https://api.stepfun.com/v1/chat/completions'],
  [1104, 'openai-chat', 'm', 'https://api.ppio.com/openai/v1/chat/completions'],
  [1105, 'openai-chat', 'm', 'https://cloud.infini-ai.com/maas/v1/chat/completions'],
  [1106, 'openai-chat', 'm', 'https://api.hunyuan.cloud.tencent.com/v1/chat/completions'],
  [1107, 'anthropic-messages', 'm', 'https://api.xiaomimimo.com/anthropic/v1/messages'],
  [1108, 'openai-chat', '4.0Ultra', 'https://spark-api-open.xf-yun.com/v1/chat/completions'],
  [1109, 'openai-responses', 'hy3', 'https://tokenhub.tencentmaas.com/v1/responses'],
  [1112, 'openai-chat', 'm', 'https://api.sensenova.cn/compatible-mode/v1/chat/completions'],
  [1113, 'openai-chat', 'glm-5.3', 'https://api.z.ai/api/paas/v4/chat/completions'],
  [1114, 'anthropic-messages', 'm', 'https://api.longcat.chat/anthropic/v1/messages'],
])('type %i is asked for %s of %s at %s', (type, protocol, model, url) => {
  expect(placeOf(type, callOf(protocol, model))).toBe(url);
});

test('a streamed answer of ChatGLM’s third API has a place of its own', () => {
  expect(placeOf(16, callOf('zhipu-invoke', 'chatglm_pro', { stream: true }))).toMatch(/chatglm_pro\/sse-invoke$/);
});

test('the version of Spark is the caller’s, else the model’s, else the channel’s', () => {
  const query = new URLSearchParams({ 'api-version': 'v4.0' });
  expect(placeOf(18, callOf('spark-chat', 'SparkDesk-v3.5', { query }))).toBe(`${spark}/v4.0/chat`);
  expect(placeOf(18, callOf('spark-chat', 'SparkDesk', { other: 'v3.1' }))).toBe(`${spark}/v3.1/chat`);
  expect(placeOf(18, callOf('spark-chat', 'max-32k', { baseUrl: 'https://own.example/' }))).toBe(
    'wss://own.example/chat/max-32k',
  );
  expect(() => placeOf(18, callOf('spark-chat', 'SparkDesk-v9'))).toThrow(RangeError);
});

test('models are offered the Anthropic API only where their vendor has it', () => {
  const speaks = (type: number, model: string) => recordOf(type).dialectsOf?.(model)?.includes('anthropic-messages');
  expect([speaks(26, 'glm-5.3'), speaks(26, 'glm-4-plus')]).toEqual([true, false]);
  expect([speaks(25, 'kimi-k3'), speaks(25, 'moonshot-v1-8k')]).toEqual([true, false]);
  expect([speaks(17, 'qwen3.7-max'), speaks(17, 'qwen-long')]).toEqual([true, false]);
});

test('Spark’s body says who asks and which model is meant; old models hear instructions as a turn', () => {
  const text = [
    { role: 'system', content: 'be brief' },
    { role: 'user', content: 'hi' },
  ];
  const body = { header: { uid: 'u' }, parameter: { chat: { max_tokens: 5 } }, payload: { message: { text } } };
  const call = (model: string) => {
    const bare = callOf('spark-chat', model);
    return { ...bare, channel: { ...bare.channel, key: 'app|secret|api' } };
  };
  expect(adapted(18, body, call('SparkDesk-v3.5'))).toEqual({
    header: { uid: 'u', app_id: 'app' },
    parameter: { chat: { domain: 'generalv3.5', max_tokens: 5 } },
    payload: { message: { text } },
  });
  expect(adapted(18, body, call('SparkDesk-v1.1'))).toMatchObject({
    parameter: { chat: { domain: 'lite' } },
    payload: {
      message: {
        text: [
          { role: 'user', content: 'be brief' },
          { role: 'assistant', content: 'Okay' },
          { role: 'user', content: 'hi' },
        ],
      },
    },
  });
});

test('GLM gets pictures without their prefix, a list of stops, and top_p below 1', () => {
  const call = callOf('openai-chat', 'glm-5.3');
  const url = 'https://pictures.example/1.png';
  const message = (image: string) => ({
    role: 'user',
    content: [
      { type: 'text', text: '?' },
      { type: 'image_url', image_url: { url: image } },
    ],
  });
  const untouched = { model: 'm', messages: [message(url)], top_p: 0.5, stop: ['a'] };
  expect(adapted(26, untouched, call)).toBe(untouched);
  expect(adapted(26, { ...untouched, messages: [message('data:image/png;base64,iVBO')], top_p: 1, stop: 'a' }, call)).toEqual({
    model: 'm',
    messages: [message('iVBO')],
    top_p: 0.99,
    stop: ['a'],
  });
});

test('DashScope: top_p within its bounds, and headers for streams, plugins and work in the background', () => {
  const call = callOf('openai-chat', 'qwen-max');
  expect([0, 0.5, 1].map((top_p) => adapted(17, { top_p }, call).top_p)).toEqual([0.001, 0.5, 0.999]);
  const headers = (facts: UpstreamCallFacts) => recordOf(17).headersOf?.(facts);
  expect(headers({ ...callOf('openai-chat', 'qwen-max', { other: 'plug' }), stream: true })).toEqual({
    'x-dashscope-sse': 'enable',
    'x-dashscope-plugin': 'plug',
  });
  expect(headers(callOf('images', 'wan2.2-t2i-plus'))).toEqual({ 'x-dashscope-async': 'enable' });
  expect(headers(callOf('images', 'qwen-image-plus'))).toEqual({});
});

test('a knowledge base is named by the channel', () => {
  expect(adapted(21, { query: 'q' }, callOf('library-ask', 'm', { other: 'lib-1' }))).toEqual({ query: 'q', libraryId: 'lib-1' });
});
