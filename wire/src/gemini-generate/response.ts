import type { AnswerContext, Encoded } from '../chat/dialect.ts';
import type { Part } from '../chat/parts.ts';
import { readDecoded } from '../chat/read.ts';
import type { Answer, ChatReading, ChatResponse } from '../chat/response.ts';
import { isErrorAnswer, type WireError } from '../error.ts';
import { asObject, asText, type JsonObject } from '../json.ts';
import { candidateFields } from './answer-reader.ts';
import { writeCitations } from './citations.ts';
import { writeParts } from './encode-parts.ts';
import { errorInOk, noCandidates } from './error.ts';
import { restored } from './extra.ts';
import { camelKeys } from './fields.ts';
import { finishWord } from './finish.ts';
import { createIdSpeller } from './ids.ts';
import { logprobsResult } from './logprobs.ts';
import { decodeResponse } from './stream.ts';
import { usageMetadata } from './usage.ts';

/** The error of a body with status 200; a prompt that was blocked is an answer without candidates. */
export function readFailure(raw: JsonObject): WireError | undefined {
  if (isErrorAnswer(raw)) return errorInOk(raw);
  const { candidates, promptFeedback } = camelKeys(raw);
  if (Array.isArray(candidates) && candidates.length > 0) return undefined;
  const { blockReason } = camelKeys(asObject(promptFeedback) ?? {});
  return asText(blockReason) === '' ? noCandidates : undefined;
}

/** Reads a whole answer that goes through as it is. */
export function readResponse(body: Buffer): ChatReading {
  return readDecoded({ readFailure, decodeResponse }, body);
}

/** Spells a whole answer. */
export function encodeResponse(response: ChatResponse, { id, model }: AnswerContext): Encoded {
  const losses = new Set<string>();
  const { answers, usage, serviceTier = 'auto' } = response;
  const own = restored(response.extra, losses);
  if (serviceTier !== 'auto' && serviceTier !== 'default') losses.add('service_tier');
  const isBlocked = own?.promptFeedback !== undefined && answers.every(({ parts }) => parts.length === 0);
  const candidates = isBlocked ? [] : answers.map((answer, choice) => writeAnswer(answer, choice, own, losses));
  const body = {
    ...(isBlocked ? {} : { candidates }),
    ...topLevel(own),
    ...(usage === undefined ? {} : { usageMetadata: usageMetadata(usage) }),
    modelVersion: model,
    responseId: id,
  };
  return { body, losses: [...losses] };
}

function writeAnswer(answer: Answer, index: number, own: JsonObject | undefined, losses: Set<string>): JsonObject {
  const { parts, finish, logprobs = [] } = answer;
  const spelled = writeParts(parts, { ids: createIdSpeller(true), losses, model: undefined });
  const citationSources = sourcesOf(parts, losses);
  return {
    content: { ...(spelled.length === 0 ? {} : { parts: spelled }), role: 'model' },
    ...(finish === undefined ? {} : { finishReason: finishWord(finish) }),
    index,
    ...(citationSources.length === 0 ? {} : { citationMetadata: { citationSources } }),
    ...(logprobs.length === 0 ? {} : { logprobsResult: logprobsResult(logprobs) }),
    ...candidateFields(own, index),
  };
}

function sourcesOf(parts: readonly Part[], losses: Set<string>): JsonObject[] {
  let before = 0;
  return parts.flatMap((part) => {
    if (part.kind !== 'text') return [];
    const sources = writeCitations(part.citations ?? [], part.text, before, losses);
    before += Buffer.byteLength(part.text);
    return sources;
  });
}

/** What an answer of this dialect brought along beside its candidates. */
export function topLevel(own: JsonObject | undefined): JsonObject {
  return Object.fromEntries(Object.entries(own ?? {}).filter(([key]) => !/^candidate\d*\./.test(key)));
}
