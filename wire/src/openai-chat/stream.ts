import { parseObject } from '../json.ts';
import { createFrameSplitter, decodeFrame, encodeFrame, type FrameSplitter, maxFrameBytes } from '../sse.ts';
import { maxKeptBytes } from '../text-keep.ts';
import type { TokenUsage } from '../usage.ts';
import { inspectFrame, newStreamState, type StreamState, type TapFault } from './tap.ts';
import type { ChatError } from './types.ts';

export interface TapOptions {
  /** We asked for the usage frame, the client did not: keep it from the client. */
  readonly swallowUsage: boolean;
  /** Choices that must finish; default 1. */
  readonly choices?: number;
  /** Hold `[DONE]` back when no usage came before it; `end().tail` then has it. For a synthetic usage frame. */
  readonly holdDone?: boolean;
  /** Bounds, for tests. */
  readonly maxFrameBytes?: number;
  readonly maxEvents?: number;
  readonly keepBytes?: number;
}

/** What is known of a stream that is over. */
export interface TapEnd {
  /** The upstream's figures; undefined when it gave none. Not yet compared with the caller's cap (`capUsage`). */
  readonly usage: TokenUsage | undefined;
  /** Every choice has its finish reason. */
  readonly finished: boolean;
  readonly sawDone: boolean;
  /** The answer is whole: terminated, or finished with its usage. Otherwise the stream was cut. */
  readonly complete: boolean;
  readonly events: number;
  /** All bytes that came from the upstream. */
  readonly bytes: number;
  readonly malformed: number;
  readonly toolCalls: number;
  readonly fault: TapFault | undefined;
  /** The upstream's error event. It was handed out only when content had begun. */
  readonly error: ChatError | undefined;
  /** Bytes still to be sent: a whole last event that lacked its blank line, or the held `[DONE]`. */
  readonly tail: Buffer | undefined;
  /** Bytes never handed out because no legal event came: the start of whatever the upstream sent instead. */
  readonly unsent: Buffer;
  /** Of the first chunk: what a synthetic chunk must repeat. */
  readonly head: StreamState['head'];
  /** Size of the output text in escaped bytes, and how much of it `text()` has: a prefix, at most 256 KiB. */
  readonly textBytes: number;
  readonly keptTextBytes: number;
  text(): string;
}

/** Passes a stream through, frame by frame, and reads what the ledger needs on the way. */
export interface Tap {
  /** Data frames so far. */
  readonly events: number;
  /** Size of the output text so far, in escaped bytes. */
  readonly textBytes: number;
  /** A legal data frame was handed out: from here on no other upstream may be tried. */
  readonly begun: boolean;
  /** Nothing more will be handed out: terminator, error or fault. The upstream may be closed. */
  readonly closed: boolean;
  readonly fault: TapFault | undefined;
  readonly error: ChatError | undefined;
  /**
   * Takes upstream bytes, returns the bytes for the client: complete frames only, the chunk itself where possible.
   * The result may alias the chunk: write it before its memory is reused. Never throws.
   */
  push(chunk: Buffer): Buffer | undefined;
  /** Call when the upstream has ended or was cut. */
  end(): TapEnd;
}

const maxStreamEvents = 500_000;
/** Comments before the first event that are held back, so that a failing upstream leaves no trace at the client. */
const maxHeadBytes = 1024 * 1024;
const unsentBytes = 64 * 1024;

class ChatTap implements Tap {
  readonly #state: StreamState;
  readonly #splitter: FrameSplitter;
  readonly #options: TapOptions;
  #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer | undefined;
  #bytes = 0;
  closed = false;

  constructor(options: TapOptions) {
    this.#options = options;
    this.#splitter = createFrameSplitter(options.maxFrameBytes ?? maxFrameBytes);
    const { swallowUsage, maxEvents = maxStreamEvents, keepBytes = maxKeptBytes } = options;
    this.#state = newStreamState({ swallowUsage, maxEvents, keepBytes });
  }

  get events(): number {
    return this.#state.events;
  }
  get textBytes(): number {
    return this.#state.keep.bytes;
  }
  get begun(): boolean {
    return this.#state.begun;
  }
  get fault(): TapFault | undefined {
    return this.#state.fault;
  }
  get error(): ChatError | undefined {
    return this.#state.error;
  }

  push(chunk: Buffer): Buffer | undefined {
    this.#bytes += chunk.length;
    if (this.closed) return undefined;
    const splitter = this.#splitter;
    if (!splitter.feed(chunk)) return this.#break();
    const { buffer } = splitter;
    let parts: Buffer[] | undefined;
    let from = 0;
    let to = 0;
    while (!this.closed && splitter.next()) {
      const end = splitter.frameEnd;
      if (!this.#passes(buffer, splitter.frameStart, end)) {
        parts ??= [];
        parts.push(buffer.subarray(from, to));
        from = end;
      }
      to = end;
    }
    if (!this.closed) splitter.keepRest();
    const last = to - from === chunk.length && buffer === chunk ? chunk : buffer.subarray(from, to);
    if (parts === undefined) return this.#release(last);
    parts.push(last);
    return this.#release(Buffer.concat(parts));
  }

  #break(): undefined {
    this.#state.fault = 'frame-too-long';
    this.closed = true;
    return undefined;
  }

  /** Judges one frame; true when it goes to the client. */
  #passes(buffer: Buffer, start: number, end: number): boolean {
    const state = this.#state;
    const verdict = inspectFrame(state, buffer, start, end);
    if (verdict === 'content') {
      state.begun = true;
      return true;
    }
    if (verdict === 'forward') return true;
    this.closed = verdict !== 'drop';
    if (verdict !== 'last') return false;
    state.begun = true;
    if (!state.sawDone || state.usage !== undefined || this.#options.holdDone !== true) return true;
    this.#tail = Buffer.from(buffer.subarray(start, end));
    return false;
  }

  /** Hands out what passed, or holds it back while no data frame has come. */
  #release(bytes: Buffer): Buffer | undefined {
    if (this.#state.begun) {
      if (this.#head.length === 0) return bytes.length === 0 ? undefined : bytes;
      const all = Buffer.concat([...this.#head, bytes]);
      this.#head = [];
      return all;
    }
    if (bytes.length > 0) this.#head.push(Buffer.from(bytes));
    this.#headBytes += bytes.length;
    return this.#headBytes > maxHeadBytes ? this.#break() : undefined;
  }

  end(): TapEnd {
    const state = this.#state;
    const rest = this.#splitter.rest();
    if (!this.closed) this.#takeRest(rest);
    this.closed = true;
    const { usage, sawDone, events, malformed, toolCalls, fault, error, head, keep } = state;
    const finished = state.finishedChoices.size >= (this.#options.choices ?? 1);
    const isWhole = sawDone || (finished && usage !== undefined);
    return {
      usage,
      finished,
      sawDone,
      complete: isWhole && fault === undefined && error === undefined,
      events,
      bytes: this.#bytes,
      malformed,
      toolCalls,
      fault,
      error,
      tail: this.#tail,
      unsent: state.begun ? Buffer.alloc(0) : Buffer.concat([...this.#head, rest]).subarray(0, unsentBytes),
      head,
      textBytes: keep.bytes,
      keptTextBytes: keep.keptBytes,
      text: () => keep.text(),
    };
  }

  /** A last event without its blank line counts when it is whole; a cut one does not. */
  #takeRest(rest: Buffer): void {
    const { data } = decodeFrame(rest);
    if (data === undefined || (data.trim() !== '[DONE]' && parseObject(data) === undefined)) return;
    if (!this.#passes(rest, 0, rest.length)) return;
    this.#tail = this.#release(Buffer.concat([rest, Buffer.from(missingEnd(rest))]));
  }
}

/** The line ends that an event still needs before anything may follow it. */
function missingEnd(frame: Buffer): string {
  const last = frame.toString('latin1', Math.max(0, frame.length - 4));
  if (/(\r\n\r\n|\n\n|\r\r)$/.test(last)) return '';
  return /[\r\n]$/.test(last) ? '\n' : '\n\n';
}

/** A tap for one upstream stream of this dialect. */
export function createTap(options: TapOptions): Tap {
  return new ChatTap(options);
}

/** The terminator of this dialect. */
export const doneFrame: Buffer = encodeFrame('[DONE]');

/**
 * The frame with the usage and no choices, for a client that asked for it when the upstream sent none. `head` is what
 * the tap saw of the stream's first chunk.
 */
export function usageFrame(head: TapEnd['head'], usage: Pick<TokenUsage, 'prompt' | 'completion'>): Buffer {
  const { prompt, completion } = usage;
  return encodeFrame(
    JSON.stringify({
      id: head?.id ?? '',
      object: 'chat.completion.chunk',
      created: head?.created ?? 0,
      model: head?.model ?? '',
      choices: [],
      usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
    }),
  );
}
