import type { AnswerContext, StreamEncoder } from '../chat/dialect.ts';
import { partOf } from '../chat/fold.ts';
import { createLosses } from '../chat/losses.ts';
import { type Part, saidInText, type TextPart } from '../chat/parts.ts';
import type { ChatEvent, Finish, PartHead, PartTail } from '../chat/response.ts';
import type { JsonObject } from '../json.ts';
import { encodeFrame } from '../sse.ts';
import type { TokenUsage } from '../usage.ts';
import { type Ending, echoOf, endingOf, spellAnswer } from './answer.ts';
import { errorFrame } from './error.ts';
import { ownFields } from './extra.ts';
import { deltaEvents, doneEvents, inputEvents, itemAdded, openingEvents, type WireEvent } from './part-events.ts';
import { createItemIds, type ItemId, idPrefix, spellPart } from './spell-items.ts';
import { dialectName, tiers } from './types.ts';

/**
 * What an answer may have in memory for the events that repeat it (`done`, `completed`), in characters. Deltas beyond
 * it are sent all the same, but those events then hold only what came before, and `done_text` is a loss.
 */
const maxKeptChars = 4 * 1024 * 1024;
const charsPerLogprob = 256;
/** Logprobs that may wait for their text. */
const maxWaiting = 16_384;

interface OpenPart {
  readonly head: PartHead;
  readonly id: string;
  readonly logprobs: JsonObject[];
  text: string;
  isFresh: boolean;
}

class Encoder implements StreamEncoder {
  readonly #context: AnswerContext;
  readonly #echo: JsonObject;
  readonly #losses = createLosses();
  readonly #newId: ItemId;
  readonly #maxKeptChars: number;
  readonly #output: JsonObject[] = [];
  #frames: Buffer[] = [];
  #sequence = 0;
  #isStarted = false;
  #open: OpenPart | undefined;
  #keptChars = 0;
  /** Logprobs whose text has not come yet. */
  #logprobs: JsonObject[] = [];
  #finish: Finish | undefined;
  #isRefusalSaid = false;
  #serviceTier: string | undefined;
  /** What the answer says beside. */
  #own: JsonObject = {};

  constructor(context: AnswerContext, keptChars: number) {
    this.#context = context;
    this.#maxKeptChars = keptChars;
    this.#echo = echoOf(context.request);
    this.#newId = createItemIds(context.id);
  }

  get losses(): readonly string[] {
    return this.#losses.list();
  }

  push(event: ChatEvent): Buffer | undefined {
    if ('choice' in event && event.choice !== 0) this.#losses.lose('choices');
    else this.#take(event);
    return this.#frames.length === 0 ? undefined : this.#taken();
  }

  #taken(): Buffer {
    const frames = this.#frames;
    this.#frames = [];
    return frames.length === 1 && frames[0] !== undefined ? frames[0] : Buffer.concat(frames);
  }

  #take(event: ChatEvent) {
    if (event.kind === 'start') this.#start();
    else if (event.kind === 'part-start') this.#openPart(event.head);
    else if (event.kind === 'delta') this.#delta(event.text);
    else if (event.kind === 'part-end') this.#endPart(event.tail);
    else if (event.kind === 'whole') this.#writeWhole(event.value);
    else if (event.kind === 'logprobs') this.#takeLogprobs(event.entries);
    else if (event.kind === 'finish') this.#takeFinish(event.finish);
    else if (event.kind === 'extra') this.#takeExtra(event);
    else if (event.kind === 'error') this.#frames.push(errorFrame(event.error, this.#sequence));
  }

  /** What is lost of it is told before the charge, and what it is spelled as behind that. */
  #takeFinish(finish: Finish) {
    this.#finish = finish;
    endingOf(finish, this.#isRefusalSaid, this.#losses);
  }

  #takeExtra({ extra, serviceTier }: Extract<ChatEvent, { kind: 'extra' }>) {
    if (serviceTier !== undefined && !tiers.has(serviceTier)) this.#losses.lose('service_tier');
    this.#serviceTier = serviceTier ?? this.#serviceTier;
    this.#own = { ...this.#own, ...ownFields(extra, this.#losses) };
  }

  #takeLogprobs(entries: readonly JsonObject[]) {
    if (this.#logprobs.length + entries.length > maxWaiting) this.#losses.lose('logprobs');
    else this.#logprobs.push(...entries);
  }

  #write({ type, ...fields }: WireEvent) {
    this.#frames.push(encodeFrame(JSON.stringify({ type, sequence_number: this.#sequence, ...fields }), type));
    this.#sequence += 1;
  }

  #writeAnswer(type: string, usage?: TokenUsage, ending?: Ending) {
    const state = { ending, output: this.#output, usage, serviceTier: this.#serviceTier };
    this.#write({ type, response: { ...spellAnswer(this.#context, this.#echo, state, this.#losses), ...this.#own } });
  }

  #start() {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#writeAnswer('response.created');
    this.#writeAnswer('response.in_progress');
  }

  /** Is there room to keep this much more? */
  #keeps(chars: number): boolean {
    if (this.#keptChars + chars > this.#maxKeptChars) {
      this.#losses.lose('done_text');
      // Nothing shorter may slip in behind what is missing.
      this.#keptChars = this.#maxKeptChars;
      return chars === 0;
    }
    this.#keptChars += chars;
    return true;
  }

  #openPart(head: PartHead) {
    this.#start();
    this.#endPart();
    const id = head.kind === 'reasoning' ? this.#reasoningId(head) : this.#newId(idPrefix(head.kind));
    if (head.kind === 'refusal') this.#isRefusalSaid = true;
    this.#open = { head, id, logprobs: [], text: '', isFresh: true };
    for (const event of openingEvents(head, id, this.#output.length)) this.#write(event);
  }

  #reasoningId(head: Extract<PartHead, { kind: 'reasoning' }>): string {
    const [item] = spellPart({ ...head, text: '' }, this.#newId('rs'), this.#losses);
    return String(item?.id);
  }

  #delta(text: string) {
    const open = this.#open;
    if (open === undefined) return;
    const isText = open.head.kind === 'text';
    const logprobs = isText ? this.#logprobs.splice(0) : [];
    if (text === '' && logprobs.length === 0) return;
    if (open.head.kind !== 'audio' && this.#keeps(text.length + logprobs.length * charsPerLogprob)) {
      open.text += text;
      open.logprobs.push(...logprobs);
    }
    for (const event of deltaEvents(open, text, logprobs, this.#output.length)) this.#write(event);
    open.isFresh = false;
  }

  #endPart(tail?: PartTail) {
    const open = this.#open;
    if (open === undefined) return;
    if (this.#logprobs.length > 0) this.#delta('');
    this.#open = undefined;
    const part = partOf(open.head, open.text, tail ?? {});
    if (part.kind === 'audio') return this.#writeSpoken(part.transcript);
    const [item, ...others] = spellPart(part, open.id, this.#losses, open.logprobs);
    if (item === undefined) return;
    for (const event of doneEvents(item, this.#output.length, open.isFresh)) this.#write(event);
    this.#output.push(item);
    for (const other of others) this.#writeItem(other);
  }

  /** What of a sound can be said here. */
  #writeSpoken(transcript: string | undefined) {
    this.#losses.lose('audio');
    if (transcript !== undefined) this.#writeText({ kind: 'text', text: transcript });
  }

  #writeText({ text, citations, phase }: TextPart) {
    this.#openPart({ kind: 'text', ...(phase === undefined ? {} : { phase }) });
    this.#delta(text);
    this.#endPart(citations === undefined ? {} : { citations });
  }

  #writeWhole(part: Part) {
    this.#start();
    this.#endPart();
    const text = saidInText(part, dialectName);
    if (text !== undefined) return this.#writeText({ kind: 'text', text });
    if (part.kind === 'text') return this.#writeText(part);
    if (part.kind === 'audio') return this.#writeSpoken(part.transcript);
    if (part.kind === 'refusal' || part.kind === 'tool-call' || (part.kind === 'reasoning' && part.redacted === undefined)) {
      return this.#writePieces(part);
    }
    for (const item of spellPart(part, this.#newId(idPrefix(part.kind)), this.#losses)) this.#writeItem(item);
  }

  #writePieces(part: Extract<Part, { kind: 'refusal' | 'tool-call' | 'reasoning' }>) {
    this.#openPart(part);
    this.#delta(part.kind === 'tool-call' ? part.arguments : part.text);
    this.#endPart(part.kind === 'refusal' ? {} : { signature: part.signature, dialect: part.dialect });
  }

  /** An item that comes at once. */
  #writeItem(item: JsonObject) {
    this.#write(itemAdded(item, this.#output.length));
    for (const event of inputEvents(item, this.#output.length)) this.#write(event);
    this.#write({ type: 'response.output_item.done', output_index: this.#output.length, item });
    const { id, type, status } = item;
    this.#output.push(this.#keeps(JSON.stringify(item).length) ? item : { id, type, status });
  }

  close(usage: TokenUsage | undefined): Buffer {
    this.#start();
    this.#endPart();
    if (this.#logprobs.length > 0) this.#losses.lose('logprobs');
    const ending = endingOf(this.#finish, this.#isRefusalSaid, this.#losses);
    this.#writeAnswer(`response.${ending.status}`, usage, ending);
    return this.#taken();
  }
}

/** An encoder for one stream. `keptChars` bounds what it keeps to repeat. */
export function createEncoder(context: AnswerContext, keptChars: number = maxKeptChars): StreamEncoder {
  return new Encoder(context, keptChars);
}
