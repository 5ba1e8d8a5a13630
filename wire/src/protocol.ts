import { errorStatus } from './error.ts';
import type { JsonObject } from './json.ts';
import { errorBody, errorFrame, readError } from './openai-chat/error.ts';
import { decodeStream, foldChunks } from './openai-chat/fold.ts';
import { answerText, readResponse } from './openai-chat/response.ts';
import { createTap } from './openai-chat/stream.ts';
import { usageOf } from './openai-chat/usage.ts';
import type { TokenUsage } from './usage.ts';

/** What every dialect offers; the laws run over this record, and a new dialect is one more of it. */
export interface Protocol {
  readonly name: string;
  readonly createTap: typeof createTap;
  readonly readResponse: typeof readResponse;
  readonly readError: typeof readError;
  readonly errorStatus: typeof errorStatus;
  readonly errorBody: typeof errorBody;
  readonly errorFrame: typeof errorFrame;
  decodeStream(bytes: Buffer): { readonly chunks: JsonObject[]; readonly done: boolean };
  foldChunks(chunks: readonly JsonObject[]): JsonObject;
  usageOf(answer: JsonObject): TokenUsage | undefined;
  answerText(answer: JsonObject): string;
}

const openaiChat: Protocol = {
  name: 'openai-chat',
  createTap,
  readResponse,
  readError,
  errorStatus,
  errorBody,
  errorFrame,
  decodeStream,
  foldChunks,
  usageOf,
  answerText,
};

/** All dialects; fixtures stand in a folder of the same name. */
export const protocols: readonly Protocol[] = [openaiChat];
