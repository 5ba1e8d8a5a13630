export { createArrayFramer } from './array-framer.ts';
export { countedRequest, countTokensAnswer, countTokensBody, decodeCountTokens, readCountTokens } from './count-tokens.ts';
export { geminiGenerate as dialect } from './dialect.ts';
export { batchEmbedSurface, embedSurface } from './embed-surfaces.ts';
export {
  decodeEmbedAnswer,
  decodeEmbedRequest,
  type EmbedInput,
  type EmbedKind,
  encodeEmbedAnswer,
  encodeEmbedRequest,
  spellInput,
} from './embeddings.ts';
export { modelEntry, modelList } from './models.ts';
