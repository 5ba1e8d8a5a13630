import type { AnswerContext, ClientDialect, UpstreamDialect } from '../src/chat/dialect.ts';
import { createCrossingTap, createPassingTap } from '../src/chat/event-tap.ts';
import type { ChatRequest } from '../src/chat/request.ts';
import type { ChatEvent } from '../src/chat/response.ts';
import { createFrameSplitter, decodeFrame, type JsonObject, type Tap, type TapOptions } from '../src/index.ts';
import { type AnswerFixture, parsed, type RequestFixture } from './fixtures.ts';

/** What an address says for the dialects whose model stands there. */
export const hints = { model: 'model-in-path', stream: true };

export const answerContext: AnswerContext = {
  id: 'abc123',
  model: 'model-of-caller',
  created: 1_760_000_000,
  wantsUsage: true,
  promptEstimate: 17,
};

/** Decodes a request that must be legal. */
export function decodeRequest(client: ClientDialect, body: JsonObject, at: typeof hints = hints): ChatRequest {
  const decoded = client.decodeRequest(body, at);
  if (!decoded.ok) throw new Error(`${client.name} refuses: ${decoded.reason}`);
  return decoded.request;
}

export function requestOf({ client, body }: RequestFixture): ChatRequest {
  return decodeRequest(client, body);
}

export function answerOf({ dialect, bytes }: Pick<AnswerFixture, 'dialect' | 'bytes'>) {
  return dialect.decodeResponse(parsed(bytes));
}

/** The frames of a stream; the last one may lack its blank line. */
export function framesOf(stream: Buffer): Buffer[] {
  const splitter = createFrameSplitter(stream.length);
  const frames: Buffer[] = [];
  splitter.feed(stream);
  while (splitter.next()) frames.push(stream.subarray(splitter.frameStart, splitter.frameEnd));
  const rest = splitter.rest();
  return rest.length === 0 ? frames : [...frames, rest];
}

/** The events of a stream, by the decoder alone, one list for each frame and one for the end. */
export function eventsByFrame(dialect: UpstreamDialect, stream: Buffer): { frame: Buffer; events: readonly ChatEvent[] }[] {
  const decoder = dialect.createDecoder();
  const steps = framesOf(stream).map((frame) => {
    const decoded = decodeFrame(frame);
    return { frame, events: decoded.data === undefined ? [] : decoder.push(decoded) };
  });
  return [...steps, { frame: Buffer.alloc(0), events: decoder.end() }];
}

export function eventsOf(dialect: UpstreamDialect, stream: Buffer): ChatEvent[] {
  return eventsByFrame(dialect, stream).flatMap(({ events }) => events);
}

/** Cuts bytes at the given offsets. */
export function cutAt(bytes: Buffer, offsets: readonly number[]): Buffer[] {
  const edges = [0, ...[...offsets].sort((a, b) => a - b), bytes.length];
  return edges.slice(1).map((edge, k) => bytes.subarray(edges[k], edge));
}

/** Runs a tap over chunks. Each chunk's memory is overwritten afterwards, as a pooled read buffer would be. */
export function runTap(tap: Tap, chunks: readonly Buffer[]) {
  const out: Buffer[] = [];
  for (const chunk of chunks) {
    const own = Buffer.from(chunk);
    const bytes = tap.push(own);
    if (bytes !== undefined) out.push(Buffer.from(bytes));
    own.fill(0x21);
  }
  const sent = Buffer.concat(out);
  const { text, unsent, closing, ...report } = tap.end();
  const charged = report.usage ?? { prompt: 1, completion: 2 };
  const last = closing(charged);
  return {
    /** What the client had before the charge. */
    sent,
    out: last === undefined ? sent : Buffer.concat([sent, last]),
    report: { ...report, events: tap.events, text: text() },
  };
}

/** The taps that a stream of a dialect may go through, by what they are called in a test's name. */
export function tapsOf(
  dialect: UpstreamDialect,
  client: ClientDialect | undefined,
): Record<string, (options: TapOptions) => Tap> {
  const passing = (options: TapOptions) => createPassingTap(dialect.createDecoder(), options);
  return client === undefined ? { passing } : { passing, own: client.createTap };
}

export function crossingTap(from: UpstreamDialect, to: ClientDialect, options: TapOptions): Tap {
  return createCrossingTap(from.createDecoder(), to.createEncoder(answerContext), options);
}
