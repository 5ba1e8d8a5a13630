import { asText, type JsonObject } from '../json.ts';
import { listOf, textsOf } from './fields.ts';
import { plainModel } from './request.ts';

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

/** The names in an upstream's list, without their collection, of the models that make texts or vectors. */
export function readModelList(body: JsonObject): string[] {
  const methods = [...chatMethods, ...embedMethods, 'predict'];
  return listOf(body.models)
    .filter(({ supportedGenerationMethods }) => {
      const own = textsOf(supportedGenerationMethods);
      return own.length === 0 || own.some((method) => methods.includes(method));
    })
    .map(({ name }) => plainModel(asText(name)))
    .filter((name) => name !== '');
}
