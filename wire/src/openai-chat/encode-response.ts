import { partToChat } from '../chat/custom-tools.ts';
import type { AnswerContext, Encoded } from '../chat/dialect.ts';
import { createLosses } from '../chat/losses.ts';
import type { AudioPart, Part, ReasoningPart } from '../chat/parts.ts';
import type { Answer, ChatResponse } from '../chat/response.ts';
import { asObjects, type JsonObject } from '../json.ts';
import type { TokenUsage } from '../usage.ts';
import { messageAnnotations } from './citations.ts';
import { dialectName, encodeImage, type Target } from './content.ts';
import { madeOf } from './decode-response.ts';
import { encodeFunctionCall } from './encode-messages.ts';
import { encodeExtra } from './extra.ts';
import { encodeFinish, pauseWord } from './finish.ts';
import { encodeReasoning } from './reasoning.ts';

/** A caller is told everything; fields that its client does not know are skipped there. */
export function answerTarget(lose: (word: string) => void): Target {
  return { can: () => true, lose };
}

/** Spells a whole answer. Never throws on what a decoder made. */
export function encodeResponse(response: ChatResponse, context: AnswerContext): Encoded {
  const losses = createLosses();
  const { answers, usage, serviceTier, extra } = response;
  const body = {
    id: answerId(context),
    object: 'chat.completion',
    created: context.created,
    model: context.model,
    choices: answers.map((answer, index) => encodeAnswer(answer, index, context, answerTarget(losses.lose))),
    ...(usage === undefined ? {} : { usage: encodeUsage(usage) }),
    ...(serviceTier === undefined ? {} : { service_tier: serviceTier }),
    ...encodeExtra(extra, losses.lose),
  };
  return { body, losses: losses.list() };
}

/** The id of an answer in this dialect. */
export function answerId({ id }: AnswerContext): string {
  return `chatcmpl-${id}`;
}

function encodeAnswer(answer: Answer, index: number, context: AnswerContext, target: Target): JsonObject {
  const { finish, logprobs } = answer;
  const parts = answer.parts.map((part) => partToChat(part, target.lose));
  const message = encodeMessage(parts, target, context.created);
  const reason = encodeFinish(finish, madeOf(parts));
  if (finish?.reason === 'pause') target.lose(pauseWord);
  const isOlder = context.request?.singleCalls === true && reason === 'tool_calls';
  return {
    index,
    message: isOlder ? withSingleCall(message, target) : message,
    logprobs: logprobs === undefined ? null : { content: logprobs, refusal: null },
    finish_reason: isOlder ? 'function_call' : reason,
  };
}

/** As callers expect it that ask with `functions`. */
function withSingleCall({ tool_calls, ...message }: JsonObject, target: Target): JsonObject {
  const [call, ...more] = asObjects(tool_calls);
  if (more.length > 0) target.lose('parallel_tools');
  return call === undefined ? message : { ...message, function_call: call.function };
}

function encodeMessage(parts: readonly Part[], target: Target, created: number): JsonObject {
  const texts = parts.map((part) => saidBy(part, target)).filter((text) => text !== undefined);
  const refusals = parts.filter((part) => part.kind === 'refusal').map(({ text }) => text);
  const citations = messageAnnotations(parts, target.lose);
  const calls = parts.flatMap((part) => encodeCall(part, target) ?? []);
  const images = parts.flatMap((part) => (part.kind === 'image' ? (encodeImage(part, target) ?? []) : []));
  const sound = parts.find((part) => part.kind === 'audio');
  return {
    role: 'assistant',
    content: texts.length === 0 ? null : texts.join(''),
    refusal: refusals.length === 0 ? null : refusals.join(''),
    ...encodeReasoning(
      parts.filter((part): part is ReasoningPart => part.kind === 'reasoning'),
      target,
      true,
    ),
    ...(citations.length === 0 ? {} : { annotations: citations }),
    ...(images.length === 0 ? {} : { images }),
    ...(sound === undefined ? {} : { audio: spoken(sound, created) }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** Nobody here keeps it to be named later, which is what its end says: clients refuse a sound that has none. */
function spoken({ id = '', base64, transcript = '' }: AudioPart, created: number): JsonObject {
  return { id, data: base64, transcript, expires_at: created };
}

function saidBy(part: Part, target: Target): string | undefined {
  if (part.kind === 'text') return part.text;
  if (part.kind === 'file') target.lose('file');
  if (part.kind !== 'foreign' || part.dialect === dialectName) return undefined;
  if (part.text === undefined) target.lose(`hosted_tool:${part.name}`);
  return part.text;
}

function encodeCall(part: Part, target: Target): JsonObject | undefined {
  if (part.kind === 'tool-call') return encodeFunctionCall(part, target);
  return part.kind === 'foreign' && part.dialect === dialectName ? part.raw : undefined;
}

/** The figures as this dialect tells them: cached ones are part of the prompt. */
export function encodeUsage(usage: TokenUsage): JsonObject {
  const { prompt, completion, cached, cacheWrite, reasoning, audioPrompt, imagePrompt, audioCompletion, imageCompletion } = usage;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: cached,
      audio_tokens: audioPrompt ?? 0,
      ...(imagePrompt === undefined ? {} : { image_tokens: imagePrompt }),
      ...(cacheWrite === 0 ? {} : { cache_write_tokens: cacheWrite }),
    },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: audioCompletion ?? 0,
      ...(imageCompletion === undefined ? {} : { image_tokens: imageCompletion }),
    },
  };
}
