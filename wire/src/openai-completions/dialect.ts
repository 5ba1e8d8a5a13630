import type { ClientDialect } from '../chat/dialect.ts';
import { openaiChat } from '../openai-chat/dialect.ts';
import { decodeRequest, encodeRequest } from './conversation.ts';
import { createDecoder } from './decoder.ts';
import { createEncoder } from './encoder.ts';
import { dialectName } from './name.ts';
import { editRequest, peekRequest } from './request.ts';
import { decodeResponse, encodeResponse } from './response.ts';
import { unfold } from './unfold.ts';

const { createTap, readResponse, readError, readFailure, errorBody, errorFrame } = openaiChat;

/** POST /v1/completions: one text that the model goes on with. Frames and errors are those of its younger sibling. */
export const openaiCompletions: ClientDialect = {
  name: dialectName,
  promptOnly: true,
  mediaByUrl: [],
  peekRequest,
  editRequest,
  createTap,
  readResponse,
  readError,
  readFailure,
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
