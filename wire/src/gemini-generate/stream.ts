import type { StreamDecoder } from '../chat/dialect.ts';
import { createPassingTap } from '../chat/event-tap.ts';
import { foldEvents } from '../chat/fold.ts';
import type { ChatEvent, ChatResponse } from '../chat/response.ts';
import { isErrorAnswer } from '../error.ts';
import { asObject, asText, type JsonObject, parseObject } from '../json.ts';
import type { SseFrame } from '../sse.ts';
import type { Tap, TapOptions } from '../tap.ts';
import type { TokenUsage } from '../usage.ts';
import { type ChoiceReader, createChoiceReader } from './answer-reader.ts';
import { callTooLong, errorInOk, noCandidates } from './error.ts';
import { ownExtra } from './extra.ts';
import { camelKeys } from './fields.ts';
import { Grounding } from './grounding.ts';
import { dialectName } from './types.ts';
import { readTier, readUsage } from './usage.ts';

const maxChoices = 128;
/** Members that have a place in the IR. */
const placed = new Set(['candidates', 'usageMetadata', 'modelVersion', 'responseId']);

/** Of a stream or a whole answer, which is a stream of one chunk. */
class AnswerDecoder implements StreamDecoder {
  readonly #choices = new Map<number, ChoiceReader>();
  #events: ChatEvent[] = [];
  #id = '';
  #started = false;
  #blocked = '';
  #tier = '';
  readonly #grounding = new Grounding();
  #partial: TokenUsage | undefined;
  #over = false;
  /** A whole answer, whose figures hold although it may lack its reason. */
  readonly #isWhole: boolean;

  constructor(isWhole: boolean) {
    this.#isWhole = isWhole;
  }

  push({ data = '' }: SseFrame): readonly ChatEvent[] {
    if (this.#over) return [];
    // Not of this dialect, but some relays of it end their streams so.
    if (data.trim() === '[DONE]') return this.end();
    const body = parseObject(data);
    return body === undefined ? [{ kind: 'malformed' }] : this.take(body);
  }

  take(raw: JsonObject): readonly ChatEvent[] {
    if (isErrorAnswer(raw)) return this.#fail({ kind: 'error', error: errorInOk(raw) });
    const body = camelKeys(raw);
    const { candidates = [], usageMetadata, promptFeedback } = body;
    const isLegal =
      Array.isArray(candidates) && ('candidates' in body || asObject(usageMetadata ?? promptFeedback) !== undefined);
    if (!isLegal) return [{ kind: 'malformed' }];
    this.#start(body);
    for (const candidate of candidates) if (this.#candidate(asObject(candidate) ?? {}).isTooLong) return this.#fail(callTooLong);
    this.#blocked = asText(camelKeys(asObject(promptFeedback) ?? {}).blockReason) || this.#blocked;
    const usage = readUsage(usageMetadata);
    if (usage !== undefined) this.#usage(usage);
    this.#served(readTier(usageMetadata));
    const uses = this.#grounding.taken();
    if (uses !== undefined) this.#events.push({ kind: 'uses', uses });
    // An answer without a part has begun, too: its reason waits for the end, where nothing may begin any more.
    if (this.#isFinal && !this.#isWhole) this.#events.push({ kind: 'work' });
    return this.#taken();
  }

  #usage(usage: TokenUsage) {
    this.#partial = this.#isFinal ? undefined : usage;
    this.#events.push({ kind: 'usage', usage, ...(this.#isFinal ? {} : { partial: true }) });
  }

  /** Every chunk repeats it. */
  #served(serviceTier: string) {
    if (serviceTier === '' || serviceTier === this.#tier) return;
    this.#tier = serviceTier;
    this.#events.push({ kind: 'extra', extra: { dialect: dialectName, fields: {} }, serviceTier });
  }

  #start(body: JsonObject) {
    if (!this.#started) {
      this.#started = true;
      this.#id = asText(body.responseId);
      this.#events.push({ kind: 'start', id: this.#id, model: asText(body.modelVersion) });
    }
    const extra = ownExtra(Object.fromEntries(Object.entries(body).filter(([key]) => !placed.has(key))));
    if (extra !== undefined) this.#events.push({ kind: 'extra', extra });
  }

  #fail(error: Extract<ChatEvent, { kind: 'error' }>): readonly ChatEvent[] {
    this.#over = true;
    for (const reader of this.#choices.values()) reader.cut();
    return [...this.#taken(), error];
  }

  #candidate(candidate: JsonObject): ChoiceReader {
    const { index } = candidate;
    this.#grounding.add(candidate);
    const choice = typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < maxChoices ? index : 0;
    const known = this.#choices.get(choice);
    const reader = known ?? createChoiceReader(choice, (event) => this.#events.push(event));
    if (known === undefined) this.#choices.set(choice, reader);
    reader.take(candidate, this.#scope);
    return reader;
  }

  /** Unlike that of any other answer, also of hosts that leave out its id. */
  get #scope(): string {
    this.#id ||= crypto.randomUUID();
    return this.#id;
  }

  /** Before the last chunk the completion still grows. */
  get #isFinal(): boolean {
    const isFinished = this.#choices.size > 0 && [...this.#choices.values()].every(({ isFinished }) => isFinished);
    return this.#isWhole || isFinished || this.#blocked !== '';
  }

  #taken(): readonly ChatEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /**
   * The dialect has no terminator: its end is the end of the bytes when every candidate has its reason. Reasons wait
   * for it, because some upstreams give one with every chunk.
   */
  end(): readonly ChatEvent[] {
    if (this.#over || !this.#started) return [];
    this.#over = true;
    const readers = [...this.#choices].sort(([a], [b]) => a - b).map(([, reader]) => reader);
    for (const reader of readers) reader.finish();
    if (readers.length === 0) return this.#empty();
    if (readers.every(({ isFinished }) => isFinished)) this.#whole();
    return this.#taken();
  }

  /** The last figures hold when the last chunk had none of its own. */
  #whole() {
    const usage = this.#partial;
    if (usage !== undefined && usage.completion > 0) this.#events.push({ kind: 'usage', usage });
    this.#events.push({ kind: 'end' });
  }

  #empty(): readonly ChatEvent[] {
    if (this.#blocked === '') return [{ kind: 'error', error: noCandidates }];
    const finish = { reason: 'content-filter', raw: this.#blocked } as const;
    return [{ kind: 'finish', choice: 0, finish }, { kind: 'end' }];
  }
}

/** Reads one stream. */
export function createDecoder(): StreamDecoder {
  return new AnswerDecoder(false);
}

/** Reads a whole answer: a stream of one chunk, so that both always mean the same. */
export function decodeResponse(body: JsonObject): ChatResponse {
  const decoder = new AnswerDecoder(true);
  const events = [...decoder.take(body), ...decoder.end()];
  return foldEvents(events);
}

/** Passes a stream of this dialect through and reads it on the way. */
export function createTap(options: TapOptions): Tap {
  return createPassingTap(createDecoder(), options);
}
