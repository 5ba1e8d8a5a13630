import type { ClientDialect } from '../chat/dialect.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';
import { createEncoder } from './encoder.ts';
import { errorBody, errorFrame, readError } from './error.ts';
import { editRequest, peekRequest } from './request.ts';
import { encodeResponse, readFailure, readResponse } from './response.ts';
import { holdsSealed } from './signature.ts';
import { createDecoder, createTap, decodeResponse } from './stream.ts';
import { dialectName } from './types.ts';
import { unfold } from './unfold.ts';

/** POST /v1beta/models/{model}:generateContent and :streamGenerateContent. */
export const geminiGenerate: ClientDialect = {
  name: dialectName,
  mediaByUrl: [],
  functionNames: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/,
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
  readResponse,
  createTap,
  readError,
  readFailure,
  errorBody,
  errorFrame,
};
