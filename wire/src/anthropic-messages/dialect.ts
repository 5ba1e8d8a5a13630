import type { ClientDialect } from '../chat/dialect.ts';
import { createPassingTap } from '../chat/event-tap.ts';
import { readDecoded } from '../chat/read.ts';
import { holdsSealed } from '../chat/seal.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';
import { errorBody, errorFrame, readError } from './error.ts';
import { editRequest, peekRequest } from './request.ts';
import { decodeResponse, encodeResponse, readFailure } from './response.ts';
import { createDecoder } from './stream-decoder.ts';
import { createEncoder } from './stream-encoder.ts';
import { dialectName } from './types.ts';
import { unfold } from './unfold.ts';

/** POST /v1/messages. */
export const anthropicMessages: ClientDialect = {
  name: dialectName,
  needsCap: true,
  idHeader: 'request-id',
  // Not every upstream of this dialect fetches media (contract 6.11).
  mediaByUrl: [],
  functionNames: /^[a-zA-Z0-9_-]{1,128}$/,
  holdsSealed,
  peekRequest,
  editRequest,
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  createDecoder,
  createEncoder,
  unfold,
  createTap: (options) => createPassingTap(createDecoder(), options),
  readResponse: (body) => readDecoded({ readFailure, decodeResponse }, body),
  readError,
  readFailure,
  errorBody,
  errorFrame,
};
