export { withAddedTools } from './added-tools.ts';
export { countTokensAnswer, countTokensRequest, decodeCountTokens, readCountTokens } from './count-tokens.ts';
export { anthropicMessages as dialect } from './dialect.ts';
