import { channelTypes } from '@tollgate/contract';
import { currencyBalance, dashboardBalance, overviewBalance, simpleBalance, userInfoBalance } from './balance.ts';
import type { Provider } from './provider.ts';

const chatPath = '/v1/chat/completions';
const modelsPath = '/v1/models';
const creditGrants = '/dashboard/billing/credit_grants';
const openaiModels = [
  'gpt-5.1',
  'gpt-5',
  'gpt-5-mini',
  'gpt-5-nano',
  'gpt-4.1',
  'gpt-4.1-mini',
  'gpt-4.1-nano',
  'gpt-4o',
  'gpt-4o-mini',
  'chatgpt-4o-latest',
  'o3',
  'o3-mini',
  'o4-mini',
  'gpt-4-turbo',
  'gpt-4',
  'gpt-3.5-turbo',
];

/** Reasoning families refuse max_tokens. */
const capField = (model: string) => (/^(o\d|gpt-[5-9])/.test(model) ? 'max_completion_tokens' : 'max_tokens');

interface Line {
  name: string;
  path?: string;
  modelsPath?: string;
  models?: readonly string[];
  /** Rejects or ignores stream_options. */
  noStreamUsage?: true;
  extra?: Partial<Provider>;
}

/** Every vendor that speaks the OpenAI chat dialect, by channel type. Labels and addresses stand in the contract. */
const lines: Readonly<Record<number, Line>> = {
  1: { name: 'openai', models: openaiModels, extra: { organizationHeader: 'openai-organization', balance: dashboardBalance } },
  6: { name: 'openai-max', models: openaiModels, extra: { balance: dashboardBalance } },
  7: { name: 'ohmygpt', models: openaiModels, extra: { balance: dashboardBalance } },
  8: { name: 'custom', models: openaiModels, extra: { completeUrl: true, balance: dashboardBalance } },
  9: { name: 'ails', models: openaiModels, extra: { balance: dashboardBalance } },
  10: { name: 'ai-proxy', models: openaiModels, extra: { balance: overviewBalance } },
  12: { name: 'api2gpt', models: openaiModels, extra: { balance: simpleBalance(creditGrants, 'total_remaining') } },
  13: { name: 'aigc2d', models: openaiModels, extra: { balance: simpleBalance(creditGrants, 'total_available') } },
  19: { name: '360', models: ['360gpt2-pro', '360gpt-pro', '360gpt-turbo'], noStreamUsage: true },
  20: { name: 'openrouter', extra: { headers: { 'x-title': 'Tollgate' }, balance: dashboardBalance } },
  22: { name: 'fastgpt', models: openaiModels, noStreamUsage: true },
  25: {
    name: 'moonshot',
    models: ['kimi-k2-turbo-preview', 'kimi-latest', 'moonshot-v1-8k', 'moonshot-v1-32k', 'moonshot-v1-128k'],
  },
  27: {
    name: 'perplexity',
    path: '/chat/completions',
    models: ['sonar', 'sonar-pro', 'sonar-reasoning', 'sonar-deep-research'],
    noStreamUsage: true,
  },
  31: { name: 'lingyiwanwu', models: ['yi-lightning', 'yi-large', 'yi-medium', 'yi-vision'], noStreamUsage: true },
  35: {
    name: 'minimax',
    path: '/v1/text/chatcompletion_v2',
    models: ['MiniMax-M2', 'MiniMax-Text-01', 'abab6.5s-chat'],
    noStreamUsage: true,
  },
  40: {
    name: 'siliconflow',
    models: ['deepseek-ai/DeepSeek-V3', 'deepseek-ai/DeepSeek-R1', 'Qwen/Qwen3-235B-A22B', 'THUDM/GLM-4-9B-0414'],
    extra: { balance: userInfoBalance },
  },
  42: {
    name: 'mistral',
    models: ['mistral-large-latest', 'mistral-medium-latest', 'mistral-small-latest', 'codestral-latest'],
    noStreamUsage: true,
  },
  43: { name: 'deepseek', models: ['deepseek-chat', 'deepseek-reasoner'], extra: { balance: currencyBalance } },
  45: {
    name: 'volcengine',
    path: '/api/v3/chat/completions',
    modelsPath: '/api/v3/models',
    models: ['doubao-seed-1-6', 'doubao-1-5-pro-32k', 'doubao-1-5-lite-32k'],
  },
  46: {
    name: 'baidu-v2',
    path: '/v2/chat/completions',
    modelsPath: '/v2/models',
    models: ['ernie-4.5-turbo-128k', 'ernie-4.0-turbo-8k', 'ernie-speed-pro-128k', 'deepseek-v3', 'deepseek-r1'],
  },
  47: { name: 'xinference' },
  48: { name: 'xai', models: ['grok-4', 'grok-3', 'grok-3-mini', 'grok-code-fast-1'] },
};

const baseUrls = new Map(channelTypes.map(({ type, baseUrl }) => [type, baseUrl]));

export const compatibleProviders: readonly Provider[] = Object.entries(lines).map(([type, line]) => ({
  type: Number(type),
  name: line.name,
  baseUrl: baseUrls.get(Number(type)) ?? '',
  paths: { 'openai-chat': line.path ?? chatPath },
  streamUsage: line.noStreamUsage !== true,
  capField,
  models: line.models ?? [],
  modelList: { path: line.modelsPath ?? modelsPath },
  ...line.extra,
}));
