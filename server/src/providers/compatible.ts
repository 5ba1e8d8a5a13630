import { channelTypes } from '@tollgate/contract';
import type { JsonObject, WireError } from '@tollgate/wire';
import { refusesThoughts, withoutThoughts } from './ali.ts';
import { currencyBalance, dashboardBalance, overviewBalance, simpleBalance, userInfoBalance } from './balance.ts';
import { renamed, without } from './bodies.ts';
import type { Protocol, UpstreamCallFacts } from './call.ts';
import { defaultModels, openaiModels } from './default-models.ts';
import { adaptEmbeddings } from './embeddings.ts';
import { extensionsByType } from './extensions.ts';
import { minimaxEmbeddings, minimaxImages } from './minimax.ts';
import { adaptMistral } from './mistral.ts';
import { adaptReasoning, betasOf, capField, effortVariant, isCrossed, isReasoning } from './openai.ts';
import { openaiDialects } from './openai-dialects.ts';
import { type EffortsOf, everyEffort, usualEfforts } from './openai-efforts.ts';
import { adaptPerplexity } from './perplexity.ts';
import { sizeAsked } from './pictures.ts';
import { cloudflareGateway, pictures, relayed, sounds, texts, under } from './places.ts';
import type { Provider } from './provider.ts';
import { rankedData } from './rerank.ts';
import { videos } from './tasks/videos.ts';
import { adaptXai, miniEffort, xaiBlames } from './xai.ts';
import { zhipuBlames } from './zhipu.ts';

const creditGrants = '/dashboard/billing/credit_grants';

interface Line {
  name: string;
  /** What stands before the API's paths; default `/v1`. */
  root?: string;
  /** What it offers; default chat, completions and embeddings. */
  speaks?: readonly Protocol[];
  models?: readonly string[];
  /** Makes videos as the API does. */
  videos?: true;
  /** Rejects or ignores stream_options. */
  noStreamUsage?: true;
  /** Efforts that its models take; default what is safe everywhere. */
  efforts?: EffortsOf;
  extra?: Partial<Provider>;
}

const usual: readonly Protocol[] = [...texts, 'embeddings'];
const responses: Protocol = 'openai-responses';
const messages: Protocol = 'anthropic-messages';
/** Former relays in front of the OpenAI API: what it has, they forward. */
const relay = (name: string, balance: Provider['balance']): Line => ({
  name,
  speaks: relayed,
  models: openaiModels,
  videos: true,
  extra: { balance },
});

/** Every vendor that speaks the OpenAI API, by channel type. Labels and addresses stand in the contract. */
const lines: Readonly<Record<number, Line>> = {
  1: {
    name: 'openai',
    speaks: [
      ...texts,
      responses,
      'responses-compact',
      'decisions',
      'embeddings',
      'moderations',
      ...pictures,
      ...sounds,
      'realtime',
    ],
    videos: true,
    extra: {
      fronted: { by: cloudflareGateway, without: '/v1' },
      countPaths: { 'openai-responses': '/v1/responses/input_tokens' },
      headersOf: betasOf,
      dialectsOf: openaiDialects,
      organizationHeader: 'openai-organization',
      balance: dashboardBalance,
    },
  },
  6: relay('openai-max', dashboardBalance),
  7: relay('ohmygpt', dashboardBalance),
  8: {
    name: 'custom',
    speaks: relayed.filter((protocol) => protocol !== 'realtime'),
    models: openaiModels,
    extra: { completeUrl: true, balance: dashboardBalance },
  },
  9: relay('ails', dashboardBalance),
  10: relay('ai-proxy', overviewBalance),
  12: relay('api2gpt', simpleBalance(creditGrants, 'total_remaining')),
  13: relay('aigc2d', simpleBalance(creditGrants, 'total_available')),
  19: { name: '360', speaks: ['openai-chat', 'embeddings'], noStreamUsage: true },
  20: {
    name: 'openrouter',
    speaks: [...usual, responses, messages],
    extra: {
      headers: { 'x-title': 'Tollgate' },
      headersOf: referer,
      balance: dashboardBalance,
    },
  },
  22: { name: 'fastgpt', speaks: ['openai-chat'], models: openaiModels, noStreamUsage: true },
  25: {
    name: 'moonshot',
    extra: alsoMessages('/v1', '/anthropic', /^kimi-/),
  },
  27: {
    name: 'perplexity',
    root: '',
    speaks: ['openai-chat'],
    noStreamUsage: true,
    extra: { adapt: adaptPerplexity, adapts: undefined },
  },
  31: { name: 'lingyiwanwu', speaks: ['openai-chat'], noStreamUsage: true },
  35: {
    name: 'minimax',
    noStreamUsage: true,
    extra: {
      paths: {
        'openai-chat': '/v1/text/chatcompletion_v2',
        embeddings: '/v1/embeddings',
        images: '/v1/image_generation',
      },
      shapes: { embeddings: minimaxEmbeddings, images: minimaxImages },
    },
  },
  40: {
    name: 'siliconflow',
    speaks: [...usual, 'rerank', 'images', 'speech', 'transcriptions'],
    extra: {
      adapt: adaptSiliconflow,
      adapts: (call) => isReasoning(call) || call.protocol === 'images',
      blames: noBalance,
      balance: userInfoBalance,
    },
  },
  42: {
    name: 'mistral',
    speaks: ['openai-chat', 'embeddings', 'moderations', 'transcriptions'],
    noStreamUsage: true,
    extra: { adapt: adaptMistral, adapts: undefined },
  },
  43: {
    name: 'deepseek',
    extra: {
      paths: {
        'openai-chat': '/v1/chat/completions',
        'openai-completions': '/beta/completions',
        'anthropic-messages': '/anthropic/v1/messages',
      },
      adapt: adaptDeepseek,
      adapts: isReasoning,
      balance: currencyBalance,
    },
  },
  45: {
    name: 'volcengine',
    root: '/api/v3',
    extra: {
      paths: { ...under('/api/v3', [responses, 'embeddings', 'images']), 'openai-chat': botsPlace },
      dialectsOf: (model) => (model.startsWith('doubao-seed') ? ['openai-chat', responses] : ['openai-chat']),
    },
  },
  46: {
    name: 'baidu-v2',
    root: '/v2',
    speaks: ['openai-chat', 'embeddings', 'rerank', 'images'],
  },
  47: { name: 'xinference', speaks: [...usual, 'rerank', ...pictures, ...sounds] },
  48: {
    name: 'xai',
    speaks: [...texts, responses, 'images'],
    extra: { variantOf: miniEffort, adapt: adaptXai, adapts: undefined, blames: xaiBlames },
  },
  1001: { name: 'groq', root: '/openai/v1', speaks: ['openai-chat', responses, ...sounds], efforts: groqEfforts },
  1002: {
    name: 'together',
    speaks: [...usual, 'rerank', 'images', 'speech', 'transcriptions'],
    extra: { modelList: bareList('/v1/models') },
  },
  1003: { name: 'fireworks', speaks: [...usual, responses, 'rerank'] },
  1004: { name: 'cerebras', speaks: texts },
  1005: { name: 'nvidia', speaks: usual },
  1006: {
    name: 'github-models',
    root: '/inference',
    speaks: ['openai-chat', 'embeddings'],
    extra: { modelList: bareList('/catalog/models') },
  },
  1007: { name: 'nebius', speaks: [...usual, 'images'] },
  1008: { name: 'novita', root: '/openai/v1', speaks: [...usual, 'rerank'], extra: { blames: noBalance } },
  1009: { name: 'sambanova', speaks: [...usual, 'transcriptions', 'translations'] },
  1010: { name: 'hyperbolic', speaks: texts },
  1011: { name: 'deepinfra', root: '/v1/openai', speaks: [...usual, 'images', 'speech', 'transcriptions', 'translations'] },
  1012: { name: 'huggingface', speaks: ['openai-chat', responses] },
  1013: { name: 'lm-studio', speaks: [...usual, responses] },
  1014: { name: 'vllm', speaks: [...usual, responses, 'rerank', 'transcriptions', 'translations'] },
  1015: { name: 'llama.cpp', speaks: [...usual, 'rerank'] },
  1016: { name: 'ai21', root: '/studio/v1', speaks: ['openai-chat'], noStreamUsage: true },
  1017: { name: 'scaleway', speaks: [...usual, 'rerank', 'transcriptions'] },
  1018: { name: 'ovhcloud', speaks: [...usual, 'transcriptions'] },
  1019: { name: 'vercel', speaks: ['openai-chat', responses, 'responses-compact', messages, 'embeddings'] },
  1020: { name: 'inception', speaks: ['openai-chat'] },
  1021: { name: 'upstage', speaks: ['openai-chat', 'embeddings'] },
  1022: { name: 'featherless', speaks: texts },
  1023: { name: 'chutes', speaks: texts },
  1024: { name: 'baseten', speaks: ['openai-chat'] },
  1025: { name: 'friendli', root: '/serverless/v1', speaks: texts },
  1026: {
    name: 'voyage',
    speaks: ['embeddings', 'rerank'],
    extra: { shapes: { rerank: rankedData }, adapt: adaptEmbeddings, adapts: undefined },
  },
  1101: {
    name: 'stepfun',
    speaks: ['openai-chat', messages, 'images', ...sounds],
    extra: { dialectsOf: (model) => (/^step-[3-9]/.test(model) ? ['openai-chat', messages] : ['openai-chat']) },
  },
  1102: { name: 'baichuan', speaks: ['openai-chat', 'embeddings'] },
  1103: {
    name: 'modelscope',
    speaks: ['openai-chat', messages, 'embeddings'],
    extra: {
      adapt: (body, call) => withoutThoughts(adaptReasoning(body, call), call),
      adapts: (call) => isReasoning(call) || refusesThoughts(call),
    },
  },
  1104: { name: 'ppio', root: '/openai/v1', speaks: [...usual, 'rerank'], extra: { blames: noBalance } },
  1105: { name: 'infini', speaks: ['openai-chat', 'embeddings', 'rerank'] },
  1106: { name: 'hunyuan', speaks: ['openai-chat', 'embeddings'] },
  1107: { name: 'mimo', extra: alsoMessages('/v1', '/anthropic', /./) },
  1108: { name: 'spark', speaks: ['openai-chat'] },
  1109: { name: 'tokenhub', speaks: ['openai-chat', responses, messages] },
  1110: { name: 'qiniu', speaks: ['openai-chat', messages] },
  1111: { name: 'huawei-maas', speaks: ['openai-chat'] },
  1112: { name: 'sensenova', root: '/compatible-mode/v1', speaks: ['openai-chat'] },
  1113: {
    name: 'zai',
    root: '/api/paas/v4',
    extra: { ...alsoMessages('/api/paas/v4', '/api/anthropic', /^glm-(4\.[5-9]|[5-9])/), blames: zhipuBlames },
  },
  1114: { name: 'longcat', root: '/openai/v1', extra: alsoMessages('/openai/v1', '/anthropic', /./) },
  1115: { name: 'gitee', speaks: [...usual, 'rerank', 'images', 'transcriptions'] },
};

/** This installation, as the vendor's rankings show it. */
function referer({ option }: UpstreamCallFacts): Record<string, string> {
  const address = option?.('ServerAddress');
  return typeof address === 'string' && address !== '' ? { 'http-referer': address } : {};
}

/** Of its models each family takes its own, and the others refuse the member. */
function groqEfforts(model: string): readonly string[] {
  if (model.includes('gpt-oss')) return ['low', 'medium', 'high'];
  return model.includes('qwen') ? ['none', 'default'] : [];
}

/** Its models think unless a member of its own says no. */
function adaptDeepseek(body: JsonObject, call: UpstreamCallFacts): JsonObject {
  const fitted = adaptReasoning(body, call, everyEffort);
  if (call.protocol !== 'openai-chat' || !isCrossed(call) || fitted.reasoning_effort !== 'none') return fitted;
  return { ...without(fitted, ['reasoning_effort']), thinking: { type: 'disabled' } };
}

/** Said with 403 alone, as is a lack of rights. */
function noBalance({ message }: Pick<WireError, 'message'>): 'quota' | undefined {
  return /^(?:Sorry, your account balance is insufficient|not enough balance)/i.test(message) ? 'quota' : undefined;
}

/** Sizes and numbers of pictures have names of their own. */
function adaptSiliconflow(body: JsonObject, call: UpstreamCallFacts): JsonObject {
  if (call.protocol !== 'images') return adaptReasoning(body, call);
  const sized = sizeAsked(body) === undefined ? body : renamed(body, 'size', 'image_size');
  return renamed(sized, 'n', 'batch_size');
}

/** Bots have a place of their own. */
function botsPlace({ model }: UpstreamCallFacts): string {
  return model.startsWith('bot') ? '/api/v3/bots/chat/completions' : '/api/v3/chat/completions';
}

/** A vendor that also speaks the Anthropic API, under another root and to some of its models. */
function alsoMessages(root: string, messagesRoot: string, models: RegExp): Pick<Provider, 'paths' | 'dialectsOf'> {
  return {
    paths: { ...under(root, ['openai-chat']), ...under(`${messagesRoot}/v1`, [messages]) },
    dialectsOf: (model) => (models.test(model) ? ['openai-chat', messages] : ['openai-chat']),
  };
}

/** A list of models without an envelope. */
function bareList(path: string): Provider['modelList'] {
  return { path, list: '' };
}

const baseUrls = new Map(channelTypes.map(({ type, baseUrl }) => [type, baseUrl]));

export const compatibleProviders: readonly Provider[] = Object.entries(lines).map(([type, line]) =>
  compatible(Number(type), line),
);

/** The record of a vendor that speaks the OpenAI API. */
export function compatible(
  type: number,
  { name, root = '/v1', speaks = usual, efforts = usualEfforts, ...line }: Line,
): Provider {
  return {
    type,
    name,
    baseUrl: baseUrls.get(type) ?? '',
    paths: under(root, speaks, baseUrls.get(type)),
    streamUsage: line.noStreamUsage !== true,
    extensions: extensionsByType[type],
    capField,
    variantOf: effortVariant,
    adapt: (body, call) => adaptReasoning(body, call, efforts),
    adapts: isReasoning,
    models: line.models ?? defaultModels[type] ?? [],
    modelList: { path: `${root}/models` },
    ...(line.videos === true ? { tasks: videos(root) } : {}),
    ...line.extra,
  };
}
