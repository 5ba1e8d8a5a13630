import { isErrorAnswer } from '../src/error.ts';
import { decodeFrame, type TapOptions, type TokenUsage } from '../src/index.ts';
import { asObject, asObjects, type JsonObject, parseObject } from '../src/json.ts';
import { createTap } from '../src/openai-chat/stream.ts';
import { usageOf } from '../src/openai-chat/usage.ts';
import { framesOf } from './scenes.ts';

/** What a tap must make of a stream, found the slow and simple way: every frame decoded and parsed. */
export interface Expected {
  /** What reaches the client; empty when the first event is an error. */
  readonly forwarded: Buffer;
  readonly usage: TokenUsage | undefined;
  readonly events: number;
  readonly failed: boolean;
}

export function expectedOf(stream: Buffer, swallowUsage: boolean): Expected {
  const kept: Buffer[] = [];
  let usage: TokenUsage | undefined;
  let events = 0;
  for (const frame of framesOf(stream)) {
    const { data } = decodeFrame(frame);
    const chunk = data === undefined ? undefined : parseObject(data);
    if (chunk !== undefined && isErrorAnswer(chunk)) {
      if (events === 0) return { forwarded: Buffer.alloc(0), usage, events, failed: true };
      return { forwarded: Buffer.concat([...kept, frame]), usage, events, failed: true };
    }
    const own = chunk && usageOf(chunk);
    usage = own ?? usage;
    if (swallowUsage && chunk !== undefined && isUsageOnly(chunk)) continue;
    if (data !== undefined && chunk === undefined && data.trim() !== '[DONE]') continue;
    kept.push(frame);
    if (data === '[DONE]') break;
    if (chunk !== undefined) events += 1;
  }
  return { forwarded: Buffer.concat(kept), usage, events, failed: false };
}

function isUsageOnly(chunk: JsonObject): boolean {
  return asObjects(chunk.choices).length === 0 && asObject(chunk.usage) !== undefined;
}

/** Runs a tap over chunks. Each chunk's memory is overwritten afterwards, as a pooled read buffer would be. */
export function runChatTap(chunks: readonly Buffer[], options: TapOptions) {
  const tap = createTap(options);
  const out: Buffer[] = [];
  for (const chunk of chunks) {
    const own = Buffer.from(chunk);
    const bytes = tap.push(own);
    if (bytes !== undefined) out.push(Buffer.from(bytes));
    own.fill(0x21);
  }
  const { text, tail, unsent, closing, losses, ...report } = tap.end();
  if (tail !== undefined) out.push(tail);
  return { out: Buffer.concat(out), report: { ...report, events: tap.events, text: text() }, tail };
}
