import { servedBy } from '../chat/fold.ts';
import { maxStreamEvents } from '../chat/oversized.ts';
import type { WireError } from '../error.ts';
import type { FrameTemplate } from '../frame-template.ts';
import { createGatherer } from '../gather.ts';
import { hiddenError, hiddenFrame } from '../hidden.ts';
import { parseObject } from '../json.ts';
import { createFrameSplitter, decodeFrame, encodeFrame, type FrameSplitter } from '../sse.ts';
import type { Tap, TapEnd, TapFault, TapOptions } from '../tap.ts';
import { maxKeptBytes, type TextKeep } from '../text-keep.ts';
import type { TokenUsage } from '../usage.ts';
import { errorFrame } from './error.ts';
import { inspectFrame, newStreamState, type StreamState } from './tap.ts';

/** What the tap of this dialect knows beside. */
export interface ChatTapEnd extends TapEnd {
  /** Bytes still to be sent: a whole last event that lacked its blank line, or the held `[DONE]`. */
  readonly tail: Buffer | undefined;
  /** Of the first chunk: what a synthetic chunk must repeat. */
  readonly head: StreamState['head'];
}

export interface ChatTap extends Tap {
  end(): ChatTapEnd;
}

/** Comments before the first event that are held back, so that a failing upstream leaves no trace at the client. */
const maxHeadBytes = 1024 * 1024;
const unsentBytes = 64 * 1024;
const LF = 0x0a;

class PassingTap implements ChatTap {
  // What an ordinary event needs stands first and together, the rest lies behind: each object that is touched costs a wait.
  /** Those of the state. */
  readonly #template: FrameTemplate;
  readonly #keep: TextKeep;
  /** Events that may pass before one must be pushed again, and how many have since. */
  #mayPass = 0;
  #passed = 0;
  readonly #state: StreamState;
  readonly #splitter: FrameSplitter;
  readonly #options: TapOptions;
  readonly #head = createGatherer(maxHeadBytes, { lent: true });
  #tail: Buffer | undefined;
  #isDoneHeld = false;
  closed = false;

  constructor(options: TapOptions) {
    this.#options = options;
    this.#splitter = createFrameSplitter(options.maxFrameBytes, options.moreRoom);
    const { swallowUsage, maxEvents = maxStreamEvents, keepBytes = maxKeptBytes } = options;
    this.#state = newStreamState({ swallowUsage, maxEvents, keepBytes });
    this.#template = this.#state.template;
    this.#keep = this.#state.keep;
  }

  get events(): number {
    return this.#state.events + this.#passed;
  }
  get textBytes(): number {
    return this.#keep.bytes;
  }
  get thoughtBytes(): number {
    return this.#state.thoughtBytes ?? this.#keep.bytes;
  }
  get begun(): boolean {
    return this.#state.begun;
  }
  get fault(): TapFault | undefined {
    return this.#state.fault;
  }

  passes(bytes: Buffer, from: number, to: number): boolean {
    // A CR at its end might have its LF in the next one.
    if (this.#passed >= this.#mayPass || bytes[to - 1] !== LF) return false;
    const template = this.#template;
    if (!template.matches(bytes, from, to)) return false;
    this.#passed += 1;
    this.#keep.keep(bytes, template.textStart, template.textEnd);
    return true;
  }

  push(chunk: Buffer): Buffer | undefined {
    // Nearly every chunk is one ordinary frame and nothing else.
    if (this.passes(chunk, 0, chunk.length)) return chunk;
    if (this.closed) return undefined;
    this.#countPassed();
    const out = this.#take(chunk);
    const { begun, maxEvents, events } = this.#state;
    // Where nothing is pending an ordinary event changes nothing but the count.
    this.#mayPass = begun && !this.closed && this.#splitter.isEmpty ? maxEvents - events : 0;
    return out;
  }

  #countPassed(): void {
    this.#state.events += this.#passed;
    this.#passed = 0;
    this.#mayPass = 0;
  }

  #take(chunk: Buffer): Buffer | undefined {
    const splitter = this.#splitter;
    if (!splitter.feed(chunk)) return this.#break(splitter.fault);
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

  #break(fault: TapFault = 'frame-too-long'): undefined {
    this.#state.fault = fault;
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
    if (state.error !== undefined) return this.#passesError(buffer.subarray(start, end), state.error);
    if (!state.sawDone || state.usage !== undefined || this.#options.holdDone !== true) return true;
    this.#tail = Buffer.from(buffer.subarray(start, end));
    this.#isDoneHeld = true;
    return false;
  }

  /** What has to be told otherwise goes out with the last bytes: what is hidden, and what clients would take for a piece of the answer. */
  #passesError(frame: Buffer, error: WireError): boolean {
    const { hide } = this.#options;
    const isSpelled = Boolean(parseObject(decodeFrame(frame).data ?? '')?.error);
    const shown = isSpelled ? hiddenFrame(frame, hide) : errorFrame(hiddenError(error, hide));
    if (shown !== frame) this.#tail = shown;
    return shown === frame;
  }

  /** Hands out what passed, or holds it back while no data frame has come. */
  #release(bytes: Buffer): Buffer | undefined {
    if (this.#state.begun) {
      if (this.#head.bytes === 0) return bytes.length === 0 ? undefined : bytes;
      return Buffer.concat([this.#head.take(), bytes]);
    }
    return this.#head.add(bytes) ? undefined : this.#break();
  }

  end(): ChatTapEnd {
    this.#countPassed();
    const state = this.#state;
    const rest = this.#splitter.rest();
    if (!this.closed) this.#takeRest(rest);
    this.closed = true;
    const { usage, serviceTier, uses, cutByLength, sawDone, fault, head, keep } = state;
    const error = state.error ?? (state.begun ? undefined : state.doubt);
    const finished = state.finishedChoices.size >= (this.#options.choices ?? 1);
    const isWhole = sawDone || (finished && usage !== undefined);
    const complete = isWhole && fault === undefined && error === undefined;
    return {
      usage,
      served: servedBy({
        ...(serviceTier === '' ? {} : { serviceTier }),
        ...(uses === undefined ? {} : { uses }),
        ...(cutByLength ? { cutByLength } : {}),
      }),
      complete,
      fault,
      error,
      tail: this.#tail,
      unsent: state.begun ? Buffer.alloc(0) : Buffer.concat([this.#head.take(), rest]).subarray(0, unsentBytes),
      head,
      textBytes: keep.bytes,
      keptTextBytes: keep.keptBytes,
      losses: [],
      text: () => keep.text(),
      closing: (charged) => this.#closing(complete, charged),
    };
  }

  #closing(complete: boolean, charged: Pick<TokenUsage, 'prompt' | 'completion'>): Buffer | undefined {
    const tail = this.#tail;
    // Clients wait for the terminator, whether the upstream sends one or not (contract 6.5).
    if (complete && !this.#state.sawDone) return tail === undefined ? doneFrame : Buffer.concat([tail, doneFrame]);
    if (tail === undefined || !this.#isDoneHeld) return tail;
    // The caller asked for usage and the upstream gave none (contract 6.5).
    return Buffer.concat([usageFrame(this.#state.head, charged), tail]);
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
export function createTap(options: TapOptions): ChatTap {
  return new PassingTap(options);
}

/** The terminator of this dialect. */
export const doneFrame: Buffer = encodeFrame('[DONE]');

/**
 * The frame with the usage and no choices, for a client that asked for it when the upstream sent none. `head` is what
 * the tap saw of the stream's first chunk.
 */
export function usageFrame(head: ChatTapEnd['head'], usage: Pick<TokenUsage, 'prompt' | 'completion'>): Buffer {
  const { prompt, completion } = usage;
  return encodeFrame(
    JSON.stringify({
      id: head?.id ?? '',
      object: head?.object ?? 'chat.completion.chunk',
      created: head?.created ?? 0,
      model: head?.model ?? '',
      choices: [],
      usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
    }),
  );
}
