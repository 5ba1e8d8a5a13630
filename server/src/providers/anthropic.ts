import { isObject } from './bodies.ts';
import type { UpstreamCallFacts } from './call.ts';
import { thinkingVariant } from './claude.ts';
import { claudeModels } from './default-models.ts';
import type { Place, Provider } from './provider.ts';

const defaultVersion = '2023-06-01';
/** Models of before the messages API. */
const isLegacy = (model: string) => /^claude-(2|instant|1|v1)/.test(model);

const messages: Place = ({ model }) => {
  if (isLegacy(model)) throw new RangeError(`${model} is not served by the messages API`);
  return '/v1/messages';
};

/** The caller's version and betas, and what the operator sets for the model (option `claude.model_headers_settings`). */
function dialectHeaders({ header, option, model }: UpstreamCallFacts): Record<string, string> {
  const beta = header?.('anthropic-beta');
  const headers: Record<string, string> = { 'anthropic-version': header?.('anthropic-version') ?? defaultVersion };
  if (beta !== undefined) headers['anthropic-beta'] = beta;
  for (const [name, values] of Object.entries(modelHeaders(option?.('claude.model_headers_settings'), model))) {
    const all = [headers[name] ?? '', ...values].filter((value) => value !== '');
    headers[name] = [...new Set(all)].join(',');
  }
  return headers;
}

/** `{model: {header: [values]}}`; values may also be one text. Anything else counts as nothing. */
function modelHeaders(table: unknown, model: string): Record<string, string[]> {
  const own = isObject(table) && isObject(table[model]) ? table[model] : {};
  return Object.fromEntries(
    Object.entries(own).map(([name, value]) => [
      name.toLowerCase(),
      (Array.isArray(value) ? value : [value]).filter((each): each is string => typeof each === 'string'),
    ]),
  );
}

/** An account without credit, at a limit of its own or closed is told as a wrong request. */
const blames: Provider['blames'] = ({ message }) => {
  if (/^(?:Your credit balance is too low|You have reached your specified [\w ]{0,20}usage limits)/.test(message)) return 'quota';
  return message.startsWith('This organization has been disabled') ? 'auth' : undefined;
};

/** The messages API. */
export const anthropic: Provider = {
  type: 14,
  name: 'anthropic',
  baseUrl: 'https://api.anthropic.com',
  paths: { 'anthropic-messages': messages },
  countPaths: { 'anthropic-messages': '/v1/messages/count_tokens' },
  streamUsage: false,
  keyHeader: 'x-api-key',
  headers: { 'anthropic-version': defaultVersion },
  headersOf: dialectHeaders,
  variantOf: thinkingVariant,
  blames,
  models: claudeModels,
  modelList: { path: '/v1/models?limit=1000' },
};
