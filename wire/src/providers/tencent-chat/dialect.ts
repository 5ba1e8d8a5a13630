import type { UpstreamDialect } from '../../chat/dialect.ts';
import { readError, readFailure } from './error.ts';
import { encodeRequest } from './request.ts';
import { decodeResponse } from './response.ts';
import { createDecoder } from './stream.ts';
import { dialect } from './types.ts';

/** Hunyuan's own API, signed with TC3. */
export const tencentChat: UpstreamDialect = {
  name: dialect,
  // Files have no place in it: fetching them would be in vain.
  mediaByUrl: ['image', 'file'],
  encodeRequest,
  decodeResponse,
  createDecoder,
  readError,
  readFailure,
};
