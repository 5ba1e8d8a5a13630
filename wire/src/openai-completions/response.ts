import type { AnswerContext, Encoded } from '../chat/dialect.ts';
import { createLosses } from '../chat/losses.ts';
import type { Part } from '../chat/parts.ts';
import type { Answer, ChatResponse } from '../chat/response.ts';
import { asNumber, asObjects, asText, type JsonObject } from '../json.ts';
import { encodeUsage } from '../openai-chat/encode-response.ts';
import { decodeFinish, encodeFinish } from '../openai-chat/finish.ts';
import { usageOf } from '../openai-chat/usage.ts';
import { decodeLogprobs, encodeLogprobs } from './logprobs.ts';

/** An answer here is text alone. */
export const plainText = { calls: false, refusal: false };

/** Reads a whole answer. Never throws. */
export function decodeResponse(body: JsonObject): ChatResponse {
  const usage = usageOf(body);
  const choices = asObjects(body.choices).sort((a, b) => (asNumber(a.index) || 0) - (asNumber(b.index) || 0));
  return {
    id: asText(body.id),
    model: asText(body.model),
    ...(typeof body.created === 'number' ? { created: body.created } : {}),
    answers: choices.map(decodeChoice),
    ...(usage === undefined ? {} : { usage }),
  };
}

function decodeChoice({ text, finish_reason, logprobs }: JsonObject): Answer {
  const finish = decodeFinish(finish_reason, plainText);
  const entries = decodeLogprobs(logprobs);
  return {
    parts: asText(text) === '' ? [] : [{ kind: 'text', text: asText(text) }],
    ...(finish === undefined ? {} : { finish }),
    ...(entries.length === 0 ? {} : { logprobs: entries }),
  };
}

/** Spells a whole answer; what is no text is lost. */
export function encodeResponse({ answers, usage, extra }: ChatResponse, { id, model, created }: AnswerContext): Encoded {
  const { lose, list } = createLosses();
  if (extra !== undefined) for (const field of Object.keys(extra.fields)) lose(field);
  const choices = answers.map(({ parts, finish, logprobs }, index) => ({
    text: parts.map((part) => sayPart(part, lose)).join(''),
    index,
    logprobs: logprobs === undefined ? null : encodeLogprobs(logprobs, 0),
    finish_reason: encodeFinish(finish?.reason === 'tool-calls' ? undefined : finish, plainText),
  }));
  const figures = usage === undefined ? {} : { usage: encodeUsage(usage) };
  return { body: { id: answerId(id), object: 'text_completion', created, model, choices, ...figures }, losses: list() };
}

/** The id of an answer in this dialect. */
export function answerId(id: string): string {
  return `cmpl-${id}`;
}

/** What a part says in text; "" and a loss for what cannot be text. */
export function sayPart(part: Part, lose: (word: string) => void): string {
  if (part.kind === 'text' && part.citations !== undefined) lose('citations');
  if (part.kind === 'text' || part.kind === 'refusal') return part.text;
  if (part.kind === 'foreign' && part.text !== undefined) return part.text;
  lose(lostWord(part));
  return part.kind === 'audio' ? (part.transcript ?? '') : '';
}

function lostWord(part: Part): string {
  if (part.kind === 'foreign') return `hosted_tool:${part.name}`;
  return part.kind === 'tool-call' ? 'tools' : part.kind.replace('-', '_');
}
