import type { JsonObject } from '../json.ts';

const chatMethods = ['generateContent', 'streamGenerateContent', 'countTokens'];
const embedMethods = ['embedContent', 'batchEmbedContents'];

/** One entry of GET /v1beta/models. `embeds` = it makes vectors instead of texts. */
export function modelEntry(name: string, embeds = false): JsonObject {
  const supportedGenerationMethods = embeds ? embedMethods : chatMethods;
  return { name: `models/${name}`, baseModelId: name, version: '001', displayName: name, supportedGenerationMethods };
}

/** The answer of GET /v1beta/models: everything in one page. */
export function modelList(names: readonly string[], embeds: (name: string) => boolean = () => false): JsonObject {
  return { models: names.map((name) => modelEntry(name, embeds(name))) };
}
