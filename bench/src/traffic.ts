/** What load generator and mock upstream exchange: built from nothing but constants, so that both know every byte. */
export interface Expected {
  /** The whole body as the client must see it. */
  readonly bytes: Buffer;
  /** Offsets at which a content chunk is complete; empty for an answer that is not streamed. */
  readonly chunkEnds: readonly number[];
}

export const model = 'gpt-4o-mini';
export const chatPath = '/v1/chat/completions';
export const chunksPerStream = 50;
export const chunkPacingMs = 5;
const bodySize = 1_000;
const usage = { prompt_tokens: 180, completion_tokens: 160, total_tokens: 340, prompt_tokens_details: { cached_tokens: 0 } };
const identity = { id: 'chatcmpl-9abcdefghijklmnopqrstuvwx', created: 1_730_000_000, model: 'gpt-4o-mini-2024-07-18' };

function filler(length: number): string {
  return 'the gateway forwards each request and counts every token on its way '.repeat(20).slice(0, length);
}

/** A chat request of about 1 KB. Streams do not ask for usage, as most callers do not. */
export function chatRequest(isStream: boolean): Buffer {
  const messages = [
    { role: 'system', content: filler(300) },
    { role: 'user', content: filler(bodySize - 450) },
  ];
  return Buffer.from(JSON.stringify({ model, messages, ...(isStream ? { stream: true } : {}) }));
}

/** A whole answer of about 1 KB. */
export function wholeAnswer(): Buffer {
  const message = { role: 'assistant', content: filler(bodySize - 420), refusal: null };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }];
  return Buffer.from(
    JSON.stringify({ ...identity, object: 'chat.completion', choices, usage, system_fingerprint: 'fp_0123456789' }),
  );
}

function frame(choices: readonly unknown[], more: object = {}): Buffer {
  return Buffer.from(`data: ${JSON.stringify({ ...identity, object: 'chat.completion.chunk', choices, ...more })}\n\n`);
}

/** The content chunks of a stream: role, words, finish. */
export function contentFrames(): Buffer[] {
  const choice = (delta: object, finish: string | null) => [{ index: 0, delta, logprobs: null, finish_reason: finish }];
  const words = Array.from({ length: chunksPerStream - 2 }, (_, index) => frame(choice({ content: ` word${index}` }, null)));
  return [frame(choice({ role: 'assistant', content: '' }, null)), ...words, frame(choice({}, 'stop'))];
}

export const usageFrame = frame([], { usage });
export const doneFrame = Buffer.from('data: [DONE]\n\n');

/** What the client must receive. The gateway asks for usage on its own account and keeps that frame; a plain proxy passes it on. */
export function expectedAnswer(isStream: boolean, withUsageFrame: boolean): Expected {
  if (!isStream) return { bytes: wholeAnswer(), chunkEnds: [] };
  const frames = contentFrames();
  let end = 0;
  const chunkEnds = frames.map((each) => {
    end += each.length;
    return end;
  });
  return { bytes: Buffer.concat([...frames, ...(withUsageFrame ? [usageFrame] : []), doneFrame]), chunkEnds };
}
