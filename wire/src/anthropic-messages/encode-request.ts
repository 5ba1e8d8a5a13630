import type { Encoded, RequestContext } from '../chat/dialect.ts';
import { createLosses, type Losses } from '../chat/losses.ts';
import type { Part } from '../chat/parts.ts';
import type { ChatRequest, OutputFormat } from '../chat/request.ts';
import { asObject, asText, defined, type JsonObject } from '../json.ts';
import { encodeConversation } from './encode-messages.ts';
import { encodeTools, isForced } from './encode-tools.ts';

import { type ModelTraits, traitsOf } from './models.ts';
import { outputSchema } from './output-schema.ts';
import { encodeReasoning } from './thinking.ts';
import { dialectName } from './types.ts';

/** Longer names of end users are refused. */
const maxUserChars = 256;

interface Draft {
  readonly request: ChatRequest;
  /** The caller spoke this dialect: what it said stays as it was, as far as it can be said at all. */
  readonly isNative: boolean;
  readonly traits: ModelTraits;
  readonly losses: Losses;
}

/** Spells a request (contract 6.11). Never throws. */
export function encodeRequest(request: ChatRequest, { model, defaultMaxTokens }: RequestContext): Encoded {
  const losses = createLosses();
  const isNative = request.extra?.dialect === dialectName;
  const draft: Draft = { request, isNative, traits: traitsOf(model), losses };
  const maxTokens = request.maxTokens ?? defaultMaxTokens;
  const { thinking, effort } = encodeReasoning(request.reasoning, {
    maxTokens,
    traits: draft.traits,
    isForced: isForced(request, draft.traits),
    isUnsigned: (!isNative || hasForeignThoughts(request)) && isUnsigned(request),
    lose: losses.lose,
  });
  const { output_config: config, ...extra } = isNative ? (request.extra?.fields ?? {}) : {};
  const body: JsonObject = {
    model,
    max_tokens: maxTokens,
    ...defined(encodeConversation(request, { isNative, traits: draft.traits, lose: losses.lose })),
    ...encodeTools(request, { isNative, traits: draft.traits, lose: losses.lose }),
    ...defined({ thinking }),
    ...encodeSampling(draft, thinking !== undefined && thinking.type !== 'disabled'),
    ...encodeStop(draft),
    ...outputConfig(draft, config, effort),
    ...encodeCaller(draft),
    ...(request.stream ? { stream: true } : {}),
    ...defined(isStilled(request, thinking) ? withoutThoughts(extra) : extra),
  };
  noteUnspoken(draft);
  return { body, losses: losses.list() };
}

/** Did the caller want thoughts that it cannot have? */
function isStilled({ reasoning }: ChatRequest, thinking: JsonObject | undefined): boolean {
  return reasoning?.spelled?.fields.thinking !== undefined && thinking === undefined;
}

/** To clear thoughts is refused where there are none. */
function withoutThoughts(fields: JsonObject): JsonObject {
  const { context_management: management, ...others } = fields;
  const { edits, ...rest } = asObject(management) ?? {};
  if (!Array.isArray(edits)) return fields;
  const kept = edits.filter((edit) => !asText(asObject(edit)?.type).startsWith('clear_thinking'));
  return kept.length === 0 && Object.keys(rest).length === 0
    ? others
    : { ...others, context_management: { ...rest, edits: kept } };
}

/** Another dialect's model answered before: its thoughts do not come along. */
function hasForeignThoughts({ messages }: ChatRequest): boolean {
  return messages.some(({ parts }) => parts.some((part) => part.kind === 'reasoning' && part.dialect !== dialectName));
}

/** The last turn called tools and has no thoughts that this dialect signed, and their results are what is answered. */
function isUnsigned({ messages }: ChatRequest): boolean {
  const isCall = (part: Part) => part.kind === 'tool-call';
  const isSigned = (part: Part) =>
    part.kind === 'reasoning' && part.dialect === dialectName && (part.signature ?? part.redacted) !== undefined;
  const at = messages.findLastIndex(({ role }) => role === 'assistant');
  const turn = messages[at];
  const isAnswered = messages.slice(at + 1).some(({ parts }) => parts.some(({ kind }) => kind === 'tool-result'));
  return turn !== undefined && isAnswered && turn.parts.some(isCall) && !turn.parts.some(isSigned);
}

/** Thinking allows neither another temperature than 1 nor top_k, nor a narrow top_p; the newest models allow none of it. */
function encodeSampling({ request, isNative, traits, losses }: Draft, isThinking: boolean): JsonObject {
  let { temperature, topP, topK } = request;
  const refused = isThinking || (traits.sampling === 'none' && !isNative);
  if (temperature !== undefined && temperature !== 1 && (temperature > 1 || refused)) {
    losses.lose('temperature');
    temperature = refused && !isThinking ? undefined : 1;
  }
  if (isThinking && !isNative) temperature = 1;
  // 1 means the same as nothing, and some models refuse the pair.
  const isPaired = temperature !== undefined && traits.sampling === 'one';
  if (topP !== undefined && !isNative && (refused || topP === 1 || isPaired)) {
    if (topP !== 1) losses.lose('top_p');
    topP = undefined;
  } else if (topP !== undefined && isThinking && topP < 0.95) {
    losses.lose('top_p');
    topP = undefined;
  }
  if (topK !== undefined && refused) {
    losses.lose('top_k');
    topK = undefined;
  }
  return defined({ temperature, top_p: topP, top_k: topK });
}

function encodeStop({ request: { stop }, isNative, losses }: Draft): JsonObject {
  const sequences = isNative ? stop : stop.filter((text) => text.trim() !== '');
  if (sequences.length < stop.length) losses.lose('stop');
  return sequences.length === 0 ? {} : { stop_sequences: sequences };
}

function outputConfig(draft: Draft, extra: unknown, effort: string | undefined): JsonObject {
  const format = draft.request.output === undefined ? undefined : encodeFormat(draft.request.output, draft);
  const config = { ...asObject(extra), ...defined({ effort, format }) };
  return Object.keys(config).length === 0 ? {} : { output_config: config };
}

function encodeFormat(output: OutputFormat, { isNative, traits, losses }: Draft): JsonObject | undefined {
  if (output.kind === 'json') {
    losses.lose('json');
    return undefined;
  }
  if (isNative) return { type: 'json_schema', schema: output.schema };
  if (!traits.structured) {
    losses.lose('json_schema');
    return undefined;
  }
  const schema = outputSchema(output.schema, () => losses.lose('json_schema'));
  const { description } = output;
  return { type: 'json_schema', schema: description === undefined ? schema : { description, ...schema } };
}

function encodeCaller({ request: { user, metadata, serviceTier }, isNative, losses }: Draft): JsonObject {
  if (metadata !== undefined && !isNative && Object.keys(metadata).length > 0) losses.lose('metadata');
  const isTooLong = user !== undefined && user.length > maxUserChars && !isNative;
  if (isTooLong) losses.lose('user');
  const named = { ...(isNative ? metadata : {}), ...defined({ user_id: isTooLong ? undefined : user }) };
  const tier = serviceTier === 'default' ? 'standard_only' : serviceTier;
  const isKnown = tier === undefined || tier === 'auto' || tier === 'standard_only' || isNative;
  if (!isKnown) losses.lose('service_tier');
  return {
    ...(Object.keys(named).length === 0 ? {} : { metadata: named }),
    ...(tier !== undefined && isKnown ? { service_tier: tier } : {}),
  };
}

/** What the dialect has no words for. */
function noteUnspoken({ request, isNative, losses }: Draft): void {
  const { seed, frequencyPenalty = 0, presencePenalty = 0, choices, logprobs, modalities = [], audioOut, cacheKey } = request;
  const words: readonly (readonly [string, boolean])[] = [
    ['seed', seed !== undefined],
    ['frequency_penalty', frequencyPenalty !== 0],
    ['presence_penalty', presencePenalty !== 0],
    ['choices', choices > 1],
    ['logprobs', logprobs !== undefined],
    ['modalities', modalities.some((modality) => modality !== 'text')],
    ['audio', audioOut !== undefined],
    ['cache_key', cacheKey !== undefined],
  ];
  for (const [word, isSet] of words) if (isSet) losses.lose(word);
  if (!isNative) for (const field of Object.keys(request.extra?.fields ?? {})) losses.lose(field);
}
