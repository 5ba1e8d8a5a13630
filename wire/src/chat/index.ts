export { onlyAllowed, withoutHostedChoice } from './custom-tools.ts';
export type {
  AnswerContext,
  ClientDialect,
  Decoded,
  Encoded,
  Extension,
  StreamDecoder,
  Surface,
  Unfolding,
  UpstreamDialect,
} from './dialect.ts';
export { everyExtension } from './dialect.ts';
export { createCrossingTap } from './event-tap.ts';
export { foldEvents, partOf } from './fold.ts';
export { renameFunctions } from './function-names.ts';
export type * from './parts.ts';
export { decodeAnswer, decodeStreamed, responseText, servedOf } from './read.ts';
export type * from './request.ts';
export type * from './response.ts';
