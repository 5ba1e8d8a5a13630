import type { UpstreamDialect } from '../../chat/dialect.ts';
import { readError, readFailure } from './error.ts';
import { encodeRequest } from './request.ts';
import { decodeResponse } from './response.ts';
import { createDecoder } from './stream.ts';
import { dialect } from './types.ts';

/** What Bedrock's models beside Claude are asked in. */
export const bedrockConverse: UpstreamDialect = {
  name: dialect,
  mediaByUrl: [],
  encodeRequest,
  decodeResponse,
  createDecoder,
  readError,
  readFailure,
};
