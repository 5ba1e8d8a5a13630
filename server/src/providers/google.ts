import type { JsonObject } from '@tollgate/wire';
import { isObject } from './bodies.ts';
import type { UpstreamCallFacts } from './call.ts';
import { geminiModels } from './default-models.ts';
import { googleRefusals } from './google-refusals.ts';
import { batchEmbeddings, drawnPictures, drawsInChat } from './google-shapes.ts';
import type { Place, Provider } from './provider.ts';
import type { VariantOf } from './variant.ts';

/** Pictures in one message of a request that comes from another dialect (contract 6.13). */
export const maxImages = 16;
const thinks = /^(gemini-2\.5-.+)-(no)?thinking$/;

/** A model named `...-thinking` shows its thoughts, `...-nothinking` has none; what the caller says itself holds. */
export const thoughtVariant: VariantOf = (name) => {
  const [, model, no] = thinks.exec(name) ?? [];
  if (model === undefined) return undefined;
  const wanted = no === undefined ? { thinkingBudget: -1, includeThoughts: true } : { thinkingBudget: 0 };
  return { model, ask: (body, { protocol }) => (protocol === 'gemini-generate' ? withThoughts(body, wanted) : body) };
};

function withThoughts(body: JsonObject, wanted: JsonObject): JsonObject {
  const key = 'generation_config' in body ? 'generation_config' : 'generationConfig';
  const config = isObject(body[key]) ? body[key] : {};
  const own = config.thinkingConfig ?? config.thinking_config;
  return isObject(own) ? body : { ...body, [key]: { ...config, thinkingConfig: wanted } };
}

const categories = ['HARASSMENT', 'HATE_SPEECH', 'SEXUALLY_EXPLICIT', 'DANGEROUS_CONTENT', 'CIVIC_INTEGRITY'];

/** The API version of a model (option `gemini.version_settings`). */
function versionOf({ option, model }: UpstreamCallFacts): string {
  const table = option?.('gemini.version_settings');
  const found = isObject(table) ? (table[model] ?? table.default) : undefined;
  return typeof found === 'string' && /^v\w+$/.test(found) ? found : 'v1beta';
}

/** Sound is answered in base64, without a head, and takes tokens of its own that no text tells beforehand. */
export const spokenInChat: Provider['instead'] = {
  speech:
    'models of this vendor speak in a chat: ask POST /v1/chat/completions with "modalities": ["audio"] and ' +
    '"audio": {"voice": "Kore", "format": "pcm16"}, or :generateContent',
};

/** What a model is asked to do. */
export function generating({ stream }: UpstreamCallFacts): string {
  return stream ? ':streamGenerateContent?alt=sse' : ':generateContent';
}

function asked(action: (call: UpstreamCallFacts) => string): Place {
  return (call) => `/${versionOf(call)}/models/${encodeURIComponent(call.model)}${action(call)}`;
}

/** The operator's thresholds (option `gemini.safety_settings`); of a request in the vendor's own dialect nothing changes. */
export function withSafety(body: JsonObject, { protocol, spoken, option }: UpstreamCallFacts): JsonObject {
  const table = option?.('gemini.safety_settings');
  if (protocol !== 'gemini-generate' || spoken === protocol || !isObject(table) || 'safetySettings' in body) return body;
  const settings = categories.flatMap((name) => {
    const category = `HARM_CATEGORY_${name}`;
    const threshold = table[category] ?? table.default;
    return typeof threshold === 'string' ? [{ category, threshold }] : [];
  });
  return settings.length === 0 ? body : { ...body, safetySettings: settings };
}

export const google: Provider = {
  type: 24,
  name: 'google gemini',
  baseUrl: 'https://generativelanguage.googleapis.com',
  paths: {
    'gemini-generate': asked(generating),
    embeddings: asked(() => ':batchEmbedContents'),
    images: asked(({ model }) => (drawsInChat(model) ? ':generateContent' : ':predict')),
  },
  countPaths: { 'gemini-generate': asked(() => ':countTokens') },
  instead: spokenInChat,
  shapes: { embeddings: batchEmbeddings, images: drawnPictures },
  streamUsage: false,
  keyHeader: 'x-goog-api-key',
  ...googleRefusals,
  variantOf: thoughtVariant,
  maxImages: () => maxImages,
  adapt: withSafety,
  adapts: ({ protocol, spoken }) => spoken !== protocol,
  models: geminiModels,
  modelList: { path: '/v1beta/openai/models', strip: 'models/' },
};
