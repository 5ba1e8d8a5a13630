import type { ClientDialect } from '../chat/dialect.ts';
import { decodeRequest } from './decode-request.ts';
import { decodeResponse } from './decode-response.ts';
import { createDecoder } from './decoder.ts';
import { encodeRequest } from './encode-request.ts';
import { encodeResponse } from './encode-response.ts';
import { createEncoder } from './encoder.ts';
import { errorBody, errorFrame, errorInOk, isErrorAnswer, readError } from './error.ts';
import { editRequest, peekRequest } from './request.ts';
import { readResponse } from './response.ts';
import { createTap } from './stream.ts';
import { unfold } from './unfold.ts';

/** POST /v1/chat/completions. */
export const openaiChat: ClientDialect = {
  name: 'openai-chat',
  mediaByUrl: ['image'],
  functionNames: /^[a-zA-Z0-9_-]{1,64}$/,
  peekRequest,
  editRequest,
  createTap,
  readResponse,
  readError,
  readFailure: (body) => (isErrorAnswer(body) || !Array.isArray(body.choices) ? errorInOk(body) : undefined),
  errorBody,
  errorFrame,
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  createDecoder,
  createEncoder,
  unfold,
};
