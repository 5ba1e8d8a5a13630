import type { WireError } from '../error.ts';
import { createGatherer } from '../gather.ts';
import { hiddenError, hiddenFrame } from '../hidden.ts';
import { createFrameSplitter, decodeFrame, type FrameSplitter, maxFrameBytes } from '../sse.ts';
import type { Tap, TapEnd, TapFault, TapOptions } from '../tap.ts';
import { createTextKeep, maxKeptBytes, type TextKeep } from '../text-keep.ts';
import { mergeUsage, type TokenUsage } from '../usage.ts';
import { customText } from './custom-tools.ts';
import type { StreamDecoder, StreamEncoder } from './dialect.ts';
import { servedBy } from './fold.ts';
import { isTooMuch, maxStreamEvents } from './oversized.ts';
import type { Extra, Part } from './parts.ts';
import type { ChatEvent, Served } from './response.ts';

/** Illegal events are skipped up to here; one more and the stream counts as cut. */
const maxMalformed = 3;
/**
 * What may be held back before content begins, so that a failing upstream leaves no trace at the client. Some dialects
 * repeat the request's instructions and tools in two events before.
 */
const maxHeadBytes = 2 * maxFrameBytes;
const maxExtraChars = 4 * 1024 * 1024;
const unsentBytes = 64 * 1024;
const none: Buffer = Buffer.alloc(0);

/**
 * A tap made of a decoder alone: with an encoder the client gets the stream in its own dialect, without one the
 * upstream's frames go through as they are.
 */
class EventTap implements Tap {
  readonly #decoder: StreamDecoder;
  readonly #encoder: StreamEncoder | undefined;
  readonly #options: TapOptions;
  readonly #splitter: FrameSplitter;
  readonly #keep: TextKeep;
  readonly #finished = new Set<number>();
  /** What waits for content: it may outlive the chunks it came in. */
  readonly #head = createGatherer(maxHeadBytes, { lent: true });
  #out: Buffer[] = [];
  #malformed = 0;
  #usage: TokenUsage | undefined;
  #promptUsage: TokenUsage | undefined;
  #pictures: number | undefined;
  #served: Served | undefined;
  /** Own fields that a decoder told: how much each of them takes up. */
  readonly #extras = new Map<string, number>();
  #extraChars = 0;
  #terminated = false;
  #tail: Buffer | undefined;
  /** Of the open parts: what their deltas are. */
  #isText = true;
  #isThought = false;
  #thoughtBytes: number | undefined;
  #error: WireError | undefined;
  events = 0;
  /** Frames without data: as many may come as events. */
  #quiet = 0;
  begun = false;
  closed = false;
  fault: TapFault | undefined;

  constructor(decoder: StreamDecoder, encoder: StreamEncoder | undefined, options: TapOptions) {
    this.#decoder = decoder;
    this.#encoder = encoder;
    this.#options = options;
    this.#splitter = createFrameSplitter(options.maxFrameBytes, options.moreRoom);
    this.#keep = createTextKeep(options.keepBytes ?? maxKeptBytes);
  }

  get textBytes(): number {
    return this.#keep.bytes;
  }

  get thoughtBytes(): number {
    return this.#thoughtBytes ?? this.#keep.bytes;
  }

  push(chunk: Buffer): Buffer | undefined {
    if (this.closed) return undefined;
    const splitter = this.#splitter;
    if (!splitter.feed(chunk)) {
      this.#break(splitter.fault ?? 'frame-too-long');
      return undefined;
    }
    const { buffer } = splitter;
    while (!this.closed && splitter.next()) this.#take(buffer.subarray(splitter.frameStart, splitter.frameEnd));
    if (!this.closed) splitter.keepRest();
    return this.#release();
  }

  #break(fault: TapFault) {
    this.fault = fault;
    this.closed = true;
  }

  #take(frame: Buffer) {
    const decoded = decodeFrame(frame);
    const isQuiet = decoded.data === undefined;
    if (isQuiet) this.#quiet += 1;
    else this.events += 1;
    if (Math.max(this.events, this.#quiet) > (this.#options.maxEvents ?? maxStreamEvents)) return this.#break('too-many-events');
    if (isQuiet) return this.#emit(this.#encoder === undefined ? frame : none);
    if (isTooMuch(decoded.data, frame.length)) return this.#break('too-many-events');
    this.#handle(this.#decoder.push(decoded), frame);
  }

  #handle(events: readonly ChatEvent[], frame: Buffer | undefined) {
    let isLegal = true;
    for (const event of events) {
      if (event.kind === 'malformed') isLegal = false;
      this.#absorb(event);
      if (this.#error !== undefined && !this.begun) return;
      const bytes = this.#encoder?.push(event.kind === 'error' ? this.#shown(event) : event);
      if (bytes !== undefined) this.#emit(bytes);
      if (this.closed) break;
    }
    if (this.#encoder !== undefined || !isLegal || frame === undefined) return;
    this.#emit(this.#error === undefined ? frame : hiddenFrame(frame, this.#options.hide));
  }

  #shown(event: Extract<ChatEvent, { kind: 'error' }>): ChatEvent {
    return { ...event, error: hiddenError(event.error, this.#options.hide) };
  }

  #absorb(event: ChatEvent) {
    switch (event.kind) {
      case 'part-start':
        this.begun = true;
        this.#isText = event.head.kind !== 'audio';
        this.#isThought = event.head.kind === 'reasoning';
        if (event.head.kind === 'tool-call') this.#say(event.head.name);
        return;
      case 'delta':
        if (this.#isText) this.#say(event.text);
        return;
      case 'whole':
        this.begun = true;
        this.#isThought = event.value.kind === 'reasoning';
        this.#say(this.#deliveredBy(event.value));
        return;
      case 'work':
        this.begun = true;
        if (this.#encoder === undefined && event.text !== undefined) this.#keep.keepText(event.text);
        return;
      case 'finish':
        this.begun = true;
        this.#finished.add(event.choice);
        if (event.finish.reason === 'length') this.#served = servedBy({ cutByLength: true }, this.#served);
        return;
      case 'usage':
        if (event.partial === true) this.#promptUsage = event.usage;
        else this.#usage = mergeUsage(this.#usage, event.usage);
        return;
      case 'pictures':
        this.#pictures = event.count;
        return;
      case 'extra':
        if (this.#encoder !== undefined) this.#takeExtra(event.extra);
        this.#served = servedBy(event, this.#served);
        return;
      case 'uses':
        this.#served = servedBy(event, this.#served);
        return;
      case 'error':
        if (event.isOurs === true) this.#break('too-many-events');
        // Of one of ours nobody is told where the upstream's own events go through.
        if (event.isOurs !== true || this.#encoder !== undefined) this.#error = event.error;
        this.closed = true;
        return;
      case 'end':
        this.#terminated = true;
        this.closed = true;
        return;
      case 'malformed':
        this.#malformed += 1;
        if (this.#malformed > maxMalformed) this.#break('malformed');
        return;
      default:
    }
  }

  /** Their last values, or their names as losses, are kept until the end of the stream. */
  #takeExtra({ fields, hints }: Extra) {
    for (const [key, value] of Object.entries({ ...fields, ...hints })) {
      const chars = key.length + (JSON.stringify(value)?.length ?? 0);
      this.#extraChars += chars - (this.#extras.get(key) ?? 0);
      this.#extras.set(key, chars);
    }
    if (this.#extraChars > maxExtraChars) this.#break('too-many-events');
  }

  #say(text: string) {
    if (!this.#isThought && text !== '') this.#thoughtBytes ??= this.#keep.bytes;
    this.#keep.keepText(text);
  }

  /** Who reads the upstream's own stream was told piece by piece what comes whole here. */
  #deliveredBy(part: Part): string {
    return this.#encoder === undefined && part.kind === 'foreign' ? (part.text ?? '') : textOf(part);
  }

  #emit(bytes: Buffer) {
    if (bytes.length === 0) return;
    if (this.begun) return this.#put(bytes);
    if (!this.#head.add(bytes)) this.#break('frame-too-long');
  }

  /** Frames that lie behind each other in their chunk go on as one piece of it: nothing is copied. */
  #put(bytes: Buffer) {
    const last = this.#out.at(-1);
    if (last === undefined || last.buffer !== bytes.buffer || last.byteOffset + last.length !== bytes.byteOffset) {
      this.#out.push(bytes);
      return;
    }
    this.#out[this.#out.length - 1] = Buffer.from(last.buffer, last.byteOffset, last.length + bytes.length);
  }

  #release(): Buffer | undefined {
    if (!this.begun) return undefined;
    if (this.#head.bytes > 0) this.#out.unshift(this.#head.take());
    if (this.#out.length === 0) return undefined;
    const out = this.#out.length === 1 ? this.#out[0] : Buffer.concat(this.#out);
    this.#out = [];
    return out;
  }

  end(): TapEnd {
    const rest = this.#splitter.rest();
    if (!this.closed) this.#takeRest(rest);
    this.closed = true;
    const isFinished = this.#finished.size >= (this.#options.choices ?? 1);
    const isWhole = this.#terminated || (isFinished && this.#usage !== undefined);
    const complete = isWhole && this.fault === undefined && this.#error === undefined;
    const keep = this.#keep;
    return {
      usage: this.#usage,
      promptUsage: this.#promptUsage,
      pictures: this.#pictures,
      served: this.#served,
      complete,
      fault: this.fault,
      error: this.#error,
      unsent: this.begun ? none : Buffer.concat([this.#head.take(), rest]).subarray(0, unsentBytes),
      textBytes: keep.bytes,
      keptTextBytes: keep.keptBytes,
      losses: this.#encoder?.losses ?? [],
      text: () => keep.text(),
      closing: (charged) => this.#closing(complete, charged),
    };
  }

  /** A last event without its blank line counts when it is whole; the end of the bytes may say something, too. */
  #takeRest(rest: Buffer) {
    const { data } = decodeFrame(rest);
    if (data !== undefined && isWholeJson(data)) this.#take(Buffer.concat([rest, Buffer.from('\n\n')]));
    if (!this.closed) this.#handle(this.#decoder.end(), undefined);
    this.#tail = this.#release();
  }

  #closing(complete: boolean, charged: Pick<TokenUsage, 'prompt' | 'completion'>): Buffer | undefined {
    const end = complete ? this.#encoder?.close(this.#usage ?? plain(charged)) : undefined;
    if (end === undefined) return this.#tail;
    return this.#tail === undefined ? end : Buffer.concat([this.#tail, end]);
  }
}

function plain({ prompt, completion }: Pick<TokenUsage, 'prompt' | 'completion'>): TokenUsage {
  return { prompt, completion, cached: 0, cacheWrite: 0, reasoning: 0, anomaly: false };
}

function isWholeJson(data: string): boolean {
  try {
    JSON.parse(data);
    return true;
  } catch {
    return data.trim() === '[DONE]';
  }
}

/** The countable text of a part. */
export function textOf(part: Part): string {
  if (part.kind === 'tool-call') return part.name + part.arguments;
  if (part.kind === 'foreign') return part.text ?? customText(part);
  return 'text' in part ? (part.text ?? '') : '';
}

/** Passes a stream through and reads it with the dialect's decoder. */
export function createPassingTap(decoder: StreamDecoder, options: TapOptions): Tap {
  return new EventTap(decoder, undefined, options);
}

/** Brings a stream of one dialect to a client of another. */
export function createCrossingTap(decoder: StreamDecoder, encoder: StreamEncoder, options: TapOptions): Tap {
  return new EventTap(decoder, encoder, options);
}
