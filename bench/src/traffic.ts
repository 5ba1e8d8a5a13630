/** What load generator and mock upstream exchange: built from nothing but constants, so that both know every byte. */
export interface Expected {
  /** The whole body as the client must see it. */
  readonly bytes: Buffer;
  /** The one part of it that differs with every call: an id. */
  readonly free?: { readonly from: number; readonly to: number };
  /** Offsets at which a content chunk is complete; empty for an answer that is not streamed. */
  readonly chunkEnds: readonly number[];
  /** From a gateway that spells bodies anew: they must be whole, and a stream have as many chunks. */
  readonly isRespelt?: boolean;
}

export const model = 'gpt-4o-mini';
/**
 * How streams come, chunk by chunk. `long`: what a call costs by itself hardly counts. `crowd`: as fast as models write, for a
 * thousand at once. `idle`: one of many that say something now and then.
 */
export const streams = {
  stream: { chunks: 50, pacingMs: 5 },
  long: { chunks: 500, pacingMs: 5 },
  crowd: { chunks: 200, pacingMs: 50 },
  idle: { chunks: 30, pacingMs: 1_000 },
} as const;
export type StreamKind = keyof typeof streams;
/**
 * `json`, `json20`, `json200`: question and answer of 1, 20 and 200 KB, in one piece. `stream`, `long`: chunk by chunk. `converted`:
 * a caller of another dialect than the upstream's, 1 KB; only a gateway can do that.
 */
export const kinds = ['json', 'json20', 'json200', 'stream', 'long', 'converted'] as const;
export type Kind = (typeof kinds)[number] | StreamKind;
const bodySizes: Record<Kind, number> = {
  ...{ json: 1_000, json20: 20_000, json200: 200_000 },
  ...{ stream: 1_000, long: 1_000, crowd: 1_000, idle: 1_000, converted: 1_000 },
};
/** In the body of a question, where the mock upstream sees it too. */
const markOf = (kind: StreamKind) => `"user":"${kind}"`;
const marks = (Object.keys(streams) as StreamKind[]).map((kind) => ({ kind, mark: Buffer.from(markOf(kind)) }));
/** Which stream a question asks for; undefined for an answer in one piece. */
export const streamAskedBy = (body: Buffer): StreamKind | undefined => marks.find(({ mark }) => body.includes(mark))?.kind;
/** A stream is as much work as some ten calls. */
const callsPerStream = 10;
/** How many of a kind come in a second where so many calls of 1 KB would. */
export const paceOf = (kind: Kind, callsPerSecond: number): number =>
  Math.ceil(isStream(kind) ? callsPerSecond / callsPerStream : callsPerSecond);
export const isStream = (kind: Kind): kind is StreamKind => kind in streams;
const usage = { prompt_tokens: 180, completion_tokens: 160, total_tokens: 340, prompt_tokens_details: { cached_tokens: 0 } };
const identity = { id: 'chatcmpl-9abcdefghijklmnopqrstuvwx', created: 1_730_000_000, model: 'gpt-4o-mini-2024-07-18' };

function filler(length: number): string {
  return 'the gateway forwards each request and counts every token on its way '.repeat(Math.ceil(length / 68)).slice(0, length);
}

export interface Question {
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** Streams do not ask for usage, as most callers do not. */
export function question(kind: Kind): Question {
  const [system, user] = [filler(300), { role: 'user', content: filler(bodySizes[kind] - 450) }];
  if (kind === 'converted') {
    const body = Buffer.from(JSON.stringify({ model, max_tokens: 1_024, system, messages: [user] }));
    return { path: '/v1/messages', headers: ['anthropic-version: 2023-06-01'], body };
  }
  const messages = [{ role: 'system', content: system }, user];
  const more = isStream(kind) ? { stream: true, user: kind } : {};
  const body = Buffer.from(JSON.stringify({ model, messages, ...more }));
  return { path: '/v1/chat/completions', headers: [], body };
}

function answerText(size: number): string {
  return filler(size - 420);
}

/** What the upstream answers to a question of so many bytes: as much. */
export function wholeAnswer(questionBytes: number): Buffer {
  const size = Object.values(bodySizes).reduce((near, one) =>
    Math.abs(one - questionBytes) < Math.abs(near - questionBytes) ? one : near,
  );
  return chatAnswer(size);
}

function chatAnswer(size: number): Buffer {
  const message = { role: 'assistant', content: answerText(size), refusal: null };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }];
  return Buffer.from(
    JSON.stringify({ ...identity, object: 'chat.completion', choices, usage, system_fingerprint: 'fp_0123456789' }),
  );
}

function frame(choices: readonly unknown[], more: object = {}): Buffer {
  return Buffer.from(`data: ${JSON.stringify({ ...identity, object: 'chat.completion.chunk', choices, ...more })}\n\n`);
}

/** The content chunks of a stream: role, words, finish. */
export function contentFrames(kind: StreamKind): Buffer[] {
  const choice = (delta: object, finish: string | null) => [{ index: 0, delta, logprobs: null, finish_reason: finish }];
  const words = Array.from({ length: streams[kind].chunks - 2 }, (_, index) => frame(choice({ content: ` word${index}` }, null)));
  return [frame(choice({ role: 'assistant', content: '' }, null)), ...words, frame(choice({}, 'stop'))];
}

export const usageFrame = frame([], { usage });
export const doneFrame = Buffer.from('data: [DONE]\n\n');

/** What the client must receive. The gateway asks for usage on its own account and keeps that frame; a plain proxy passes it on. */
export function expectedAnswer(kind: Kind, withUsageFrame: boolean): Expected {
  if (kind === 'converted') return convertedAnswer();
  if (!isStream(kind)) return { bytes: chatAnswer(bodySizes[kind]), chunkEnds: [] };
  const frames = contentFrames(kind);
  let end = 0;
  const chunkEnds = frames.map((each) => {
    end += each.length;
    return end;
  });
  return { bytes: Buffer.concat([...frames, ...(withUsageFrame ? [usageFrame] : []), doneFrame]), chunkEnds };
}

const idChars = 31;

function convertedAnswer(): Expected {
  const start = '{"id":"msg_';
  const rest = {
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: answerText(bodySizes.converted) }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: usage.prompt_tokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: usage.completion_tokens,
    },
  };
  const bytes = Buffer.from(`${start}${'x'.repeat(idChars)}",${JSON.stringify(rest).slice(1)}`);
  return { bytes, chunkEnds: [], free: { from: start.length, to: start.length + idChars } };
}
