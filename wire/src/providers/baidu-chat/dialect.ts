import type { UpstreamDialect } from '../../chat/dialect.ts';
import { readError, readFailure } from './error.ts';
import { encodeRequest } from './request.ts';
import { decodeResponse } from './response.ts';
import { createDecoder } from './stream.ts';
import { dialect } from './types.ts';

/** The first API of Qianfan, one path per model. */
export const baiduChat: UpstreamDialect = {
  name: dialect,
  // Media have no place in it: fetching them would be in vain.
  mediaByUrl: ['image', 'file'],
  encodeRequest,
  decodeResponse,
  createDecoder,
  readError,
  readFailure,
};
