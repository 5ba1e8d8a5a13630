import type { JsonObject } from '@tollgate/wire';
import type { ChannelFacts, Protocol, UpstreamCallFacts } from './call.ts';
import { defaultModels } from './default-models.ts';
import { adaptReasoning, betasOf, capField, effortVariant, isReasoning } from './openai.ts';
import { openaiDialects } from './openai-dialects.ts';
import { cloudflareGateway, onlyWrites } from './places.ts';
import type { Place, Provider } from './provider.ts';

const defaultVersion = '2024-12-01-preview';
/** The first that knows sessions which only write down. */
const writingVersion = '2025-04-01-preview';
/** From here on deployments may be named with dots; those of resources set up before were named without. */
const firstWithDots = '2025-04-01';
const newHosts = /\.(services\.ai|cognitiveservices)\.azure\.(com|us|cn)$/;

/** The caller's api-version, else the channel's, else the default (contract 6.10). */
function versionOf({ query, channel }: UpstreamCallFacts, otherwise = defaultVersion): string {
  return query?.get('api-version') || channel.other.trim() || otherwise;
}

/** The deployment is named like the model; on older resources without its dots. */
function deploymentOf({ channel, model }: UpstreamCallFacts): string {
  return isNewResource(channel) ? model : model.replaceAll('.', '');
}

/** At one address for all: there the body names the deployment. */
const byBody: ReadonlySet<Protocol> = new Set(['openai-responses', 'responses-compact']);

function adapt(body: JsonObject, call: UpstreamCallFacts): JsonObject {
  const adapted = adaptReasoning(body, call);
  const name = deploymentOf(call);
  return byBody.has(call.protocol) && adapted.model !== name ? { ...adapted, model: name } : adapted;
}

function isNewResource({ baseUrl, other }: ChannelFacts): boolean {
  return newHosts.test(URL.parse(baseUrl)?.hostname ?? '') || other.trim() >= firstWithDots;
}

function deployed(path: string): Place {
  return (call) =>
    `/openai/deployments/${encodeURIComponent(deploymentOf(call))}/${path}?api-version=${encodeURIComponent(versionOf(call))}`;
}

/** The OpenAI API by deployments; the source of all is contract 6.10. */
export const azure: Provider = {
  type: 3,
  name: 'azure',
  baseUrl: '',
  paths: {
    'openai-chat': deployed('chat/completions'),
    'openai-completions': deployed('completions'),
    'openai-responses': '/openai/v1/responses',
    'responses-compact': '/openai/v1/responses/compact',
    embeddings: deployed('embeddings'),
    images: deployed('images/generations'),
    'image-edits': deployed('images/edits'),
    speech: deployed('audio/speech'),
    transcriptions: deployed('audio/transcriptions'),
    translations: deployed('audio/translations'),
    realtime: (call) =>
      onlyWrites(call.query)
        ? `/openai/realtime?intent=transcription&api-version=${encodeURIComponent(versionOf(call, writingVersion))}`
        : `/openai/realtime?deployment=${encodeURIComponent(deploymentOf(call))}&api-version=${encodeURIComponent(versionOf(call))}`,
  },
  fronted: { by: cloudflareGateway, without: '/openai/deployments' },
  headersOf: betasOf,
  dialectsOf: openaiDialects,
  streamUsage: true,
  keyHeader: 'api-key',
  capField,
  variantOf: effortVariant,
  adapt,
  adapts: (call) => isReasoning(call) || byBody.has(call.protocol),
  models: defaultModels[3] ?? [],
  modelList: { path: `/openai/models?api-version=2024-10-21` },
};
