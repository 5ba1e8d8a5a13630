import type { ClientDialect } from '../chat/dialect.ts';
import { errorBody, errorFrame, errorInOk, isErrorAnswer, readError } from './error.ts';
import { editRequest, peekRequest } from './request.ts';
import { readResponse } from './response.ts';
import { createTap } from './stream.ts';

/** POST /v1/chat/completions. */
export const openaiChat: ClientDialect = {
  name: 'openai-chat',
  mediaByUrl: ['image'],
  peekRequest,
  editRequest,
  createTap,
  readResponse,
  readError,
  readFailure: (body) => (isErrorAnswer(body) || !Array.isArray(body.choices) ? errorInOk(body) : undefined),
  errorBody,
  errorFrame,
  decodeRequest: () => ({ ok: false, reason: 'not supported' }),
  encodeRequest: () => ({ body: {}, losses: [] }),
  decodeResponse: () => ({ id: '', model: '', answers: [] }),
  encodeResponse: () => ({ body: {}, losses: [] }),
  createDecoder: () => ({ push: () => [], end: () => [] }),
  createEncoder: () => ({ push: () => undefined, close: () => Buffer.alloc(0), losses: [] }),
};
