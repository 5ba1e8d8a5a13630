import type { WireError } from '../error.ts';
import { type JsonObject, parseObject } from '../json.ts';
import type { TokenUsage } from '../usage.ts';
import type { UpstreamDialect } from './dialect.ts';
import { textOf } from './event-tap.ts';
import type { ChatResponse } from './response.ts';

/** What a complete body with a 2xx status turned out to be. */
export type ChatReading =
  | {
      readonly kind: 'answer';
      /** The upstream's figures; undefined when it gave none. Not yet compared with the caller's cap (`capUsage`). */
      readonly usage: TokenUsage | undefined;
      /** All output text, for counting when there is no usage. */
      text(): string;
    }
  /** A failure that came with a success status; nothing of it may reach the client as 2xx. */
  | { readonly kind: 'error'; readonly error: WireError }
  | { readonly kind: 'invalid'; readonly reason: 'empty' | 'not-json' };

/** A reading of an answer that will be spelled in another dialect. */
export type CrossedReading =
  | Exclude<ChatReading, { kind: 'answer' }>
  | { readonly kind: 'answer'; readonly response: ChatResponse };

/** Parses and decodes a whole answer. Never throws. */
export function decodeAnswer(dialect: Pick<UpstreamDialect, 'readFailure' | 'decodeResponse'>, body: Buffer): CrossedReading {
  const text = body.toString('utf8');
  const answer: JsonObject | undefined = parseObject(text);
  if (answer === undefined) return { kind: 'invalid', reason: text.trim() === '' ? 'empty' : 'not-json' };
  const error = dialect.readFailure(answer);
  return error === undefined ? { kind: 'answer', response: dialect.decodeResponse(answer) } : { kind: 'error', error };
}

/** Reads a whole answer that will go through as it is, with nothing but the dialect's decoder. */
export function readDecoded(dialect: Pick<UpstreamDialect, 'readFailure' | 'decodeResponse'>, body: Buffer): ChatReading {
  const reading = decodeAnswer(dialect, body);
  if (reading.kind !== 'answer') return reading;
  const { response } = reading;
  return { kind: 'answer', usage: response.usage, text: () => responseText(response) };
}

/** All texts that the model made, over all choices. */
export function responseText({ answers }: ChatResponse): string {
  return answers.flatMap(({ parts }) => parts.map(textOf)).join('');
}
