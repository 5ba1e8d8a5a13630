import { type JsonObject, parseObject } from '../json.ts';
import { decodeFrame, framesOf, isSilent } from '../sse.ts';
import type { UpstreamDialect } from './dialect.ts';
import { textOf } from './event-tap.ts';
import { foldEvents, servedBy } from './fold.ts';
import { isOversized, isTooMuch, maxStreamEvents } from './oversized.ts';
import type { ChatEvent, ChatReading, ChatResponse, CrossedReading, Served } from './response.ts';

const notJson: CrossedReading = { kind: 'invalid', reason: 'not-json' };

/** Parses and decodes a whole answer. Never throws. */
export function decodeAnswer(dialect: Pick<UpstreamDialect, 'readFailure' | 'decodeResponse'>, body: Buffer): CrossedReading {
  const text = body.toString('utf8');
  const answer: JsonObject | undefined = parseObject(text);
  if (answer === undefined) return { kind: 'invalid', reason: text.trim() === '' ? 'empty' : 'not-json' };
  if (isOversized(answer, body.length)) return notJson;
  const error = dialect.readFailure(answer);
  return error === undefined ? { kind: 'answer', response: dialect.decodeResponse(answer) } : { kind: 'error', error };
}

/**
 * Reads a stream that was collected to its end, for a caller who wants the whole answer of an upstream that only
 * streams. A stream that was cut is no answer. Never throws.
 */
export function decodeStreamed(
  dialect: Pick<UpstreamDialect, 'createDecoder' | 'readFailure' | 'decodeResponse'>,
  body: Buffer,
): CrossedReading {
  const decoder = dialect.createDecoder();
  const events: ChatEvent[] = [];
  let [frames, isStream] = [0, false];
  for (const bytes of framesOf(body)) {
    frames += 1;
    const frame = decodeFrame(bytes);
    if (frames > maxStreamEvents || isTooMuch(frame.data, bytes.length)) return notJson;
    if (frame.data === undefined) continue;
    isStream = true;
    // One by one: a frame may hold more events than a call takes arguments.
    for (const event of decoder.push(frame)) {
      if (event.kind === 'error') return { kind: 'error', error: event.error };
      events.push(event);
    }
    if (events.at(-1)?.kind === 'end') break;
  }
  if (!isStream) return isSilent(body) ? { kind: 'invalid', reason: 'empty' } : decodeAnswer(dialect, body);
  if (events.at(-1)?.kind !== 'end') for (const event of decoder.end()) events.push(event);
  const isWhole = events.some(({ kind }) => kind === 'finish' || kind === 'end');
  return isWhole ? { kind: 'answer', response: foldEvents(events) } : notJson;
}

/** Reads a whole answer that will go through as it is, with nothing but the dialect's decoder. */
export function readDecoded(dialect: Pick<UpstreamDialect, 'readFailure' | 'decodeResponse'>, body: Buffer): ChatReading {
  const reading = decodeAnswer(dialect, body);
  if (reading.kind !== 'answer') return reading;
  const { response } = reading;
  const served = servedOf(response);
  return {
    kind: 'answer',
    usage: response.usage,
    ...(served === undefined ? {} : { served }),
    text: () => responseText(response),
  };
}

/** What a whole answer tells of how it was made; undefined = nothing. */
export function servedOf(response: ChatResponse): Served | undefined {
  const isCut = response.answers.some(({ finish }) => finish?.reason === 'length');
  return servedBy(isCut ? { ...response, cutByLength: true } : response);
}

/** All texts that the model made, over all choices. */
export function responseText({ answers }: ChatResponse): string {
  return answers.flatMap(({ parts }) => parts.map(textOf)).join('');
}
