import type { ClientDialect } from '../chat/dialect.ts';
import { createPassingTap } from '../chat/event-tap.ts';
import { readDecoded } from '../chat/read.ts';
import { holdsSealed } from '../chat/seal.ts';
import { decodeRequest } from './decode-request.ts';
import { decodeResponse } from './decode-response.ts';
import { createDecoder } from './decoder.ts';
import { encodeRequest } from './encode-request.ts';
import { encodeResponse } from './encode-response.ts';
import { createEncoder } from './encoder.ts';
import { errorBody, errorFrame, readError, readFailure } from './error.ts';
import { editRequest, peekRequest } from './request.ts';
import { holdsSummary } from './summary.ts';
import { dialectName } from './types.ts';
import { unfold } from './unfold.ts';

/** POST /v1/responses. */
export const openaiResponses: ClientDialect = {
  name: dialectName,
  mediaByUrl: ['image', 'file'],
  functionNames: /^[a-zA-Z0-9_-]{1,64}$/,
  namesAllowed: true,
  holdsSealed: (body) => holdsSealed(body) || holdsSummary(body),
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
  errorFrame: (error) => errorFrame(error),
};
