import type { UpstreamDialect } from '../../chat/dialect.ts';
import { readError, readFailure } from './error.ts';
import { encodeRequest } from './request.ts';
import { decodeResponse } from './response.ts';
import { createDecoder } from './stream.ts';
import { dialect } from './types.ts';

/** Version 2 of Cohere's own chat API. */
export const cohereChat: UpstreamDialect = {
  name: dialect,
  mediaByUrl: ['image'],
  encodeRequest,
  decodeResponse,
  createDecoder,
  readError,
  readFailure,
};
