import type { Part, ReasoningPart } from '../chat/parts.ts';
import type { ChatEvent, PartHead, PartTail } from '../chat/response.ts';
import { createRoom, noRoom } from '../chat/room.ts';
import { asObject, asObjects, asText, type JsonObject } from '../json.ts';
import { type CallQueue, createCallQueue } from './call-queue.ts';
import { decodeContent, decodeImage, dialectName } from './content.ts';
import { logprobEntries } from './decode-response.ts';
import { decodeFinish } from './finish.ts';
import { decodeDetail, isSigned } from './reasoning.ts';

/** The deltas of one choice, made into parts of which one is open at a time. */
export interface ChoiceStream {
  /** False: something in the delta cannot be placed. */
  take(choice: JsonObject, events: ChatEvent[]): boolean;
  /** Ends what is open. */
  close(events: ChatEvent[]): void;
}

const reasoningHead: PartHead = { kind: 'reasoning', dialect: dialectName };
const textHead: PartHead = { kind: 'text' };
const refusalHead: PartHead = { kind: 'refusal' };

class Choice implements ChoiceStream {
  readonly #choice: number;
  readonly #calls: CallQueue;
  #part = 0;
  #open: PartHead | undefined;
  #tail: PartTail | undefined;
  #isFinished = false;
  #refused = false;
  /** By how they are spelled: some upstreams repeat them with every chunk. */
  readonly #citations = new Map<string, JsonObject>();
  #transcript = '';
  /** Text that came in the middle of a call. */
  readonly #held: { readonly head: PartHead; readonly text: string }[] = [];
  readonly #room = createRoom();
  #isSound = true;

  constructor(choice: number, answerId: string) {
    this.#choice = choice;
    this.#calls = createCallQueue(choice, answerId, {
      open: (head, events) => this.#start(head, events),
      text: (text, events) => this.#delta(text, events),
      end: (tail, events) => {
        this.#tail = tail;
        this.#end(events);
      },
      whole: (value, events) => this.#whole(value, events),
    });
  }

  take(choice: JsonObject, events: ChatEvent[]): boolean {
    const delta = asObject(choice.delta);
    const logprobs = choice.logprobs === null || choice.logprobs === undefined ? [] : logprobEntries(choice.logprobs);
    const isPlaced = delta === undefined || this.#takeDelta(delta, events);
    if (logprobs.length > 0) events.push({ kind: 'logprobs', choice: this.#choice, entries: logprobs });
    if (choice.finish_reason !== null && choice.finish_reason !== undefined) this.#takeFinish(choice.finish_reason, events);
    if (!this.#isSound) events.push(noRoom);
    return isPlaced;
  }

  #takeFinish(raw: unknown, events: ChatEvent[]) {
    const finish = decodeFinish(raw, { calls: this.#calls.any, refusal: this.#refused });
    if (finish === undefined || this.#isFinished) return;
    this.close(events);
    this.#isFinished = true;
    events.push({ kind: 'finish', choice: this.#choice, finish });
  }

  #takeDelta(delta: JsonObject, events: ChatEvent[]): boolean {
    if (this.#isFinished) return !speaks(delta);
    const { content } = delta;
    this.#takeReasoning(delta, events);
    if (typeof content === 'string') {
      if (content !== '') this.#say(textHead, content, events);
    } else if (Array.isArray(content)) this.#takeParts(content, events);
    if (typeof delta.refusal === 'string' && delta.refusal !== '') {
      this.#refused = true;
      this.#say(refusalHead, delta.refusal, events);
    }
    if (delta.annotations !== undefined) for (const each of asObjects(delta.annotations)) this.#cite(each);
    if (delta.images !== undefined) this.#takeImages(delta.images, events);
    if (delta.audio !== undefined && delta.audio !== null) this.#takeAudio(asObject(delta.audio) ?? {}, events);
    return this.#calls.take(delta, events);
  }

  #cite(citation: JsonObject) {
    const spelled = JSON.stringify(citation);
    if (!this.#citations.has(spelled) && this.#keeps(spelled)) this.#citations.set(spelled, citation);
  }

  #takeReasoning(delta: JsonObject, events: ChatEvent[]) {
    const text = asText(delta.reasoning_content) || asText(delta.reasoning);
    const details = delta.reasoning_details === undefined ? [] : asObjects(delta.reasoning_details);
    if (text !== '') this.#say(reasoningHead, text, events);
    for (const detail of details) {
      const part = decodeDetail(detail);
      if (part === undefined) continue;
      if (part.text !== '' && text === '') this.#say(headOf(part), part.text, events);
      if (part.redacted !== undefined) this.#insert(part, events);
      else if (isSigned(part)) this.#sign(part, events);
    }
  }

  /** A signature stands behind the thought it is for. */
  #sign(part: ReasoningPart, events: ChatEvent[]) {
    const { signature = '', dialect } = part;
    if (this.#open?.kind !== 'reasoning') {
      this.#calls.close(events);
      this.#start(headOf(part), events);
    }
    this.#tail = { signature, dialect };
    this.#end(events);
  }

  #takeParts(content: readonly unknown[], events: ChatEvent[]) {
    for (const part of decodeContent(content)) {
      if (part.kind === 'text') this.#say(textHead, part.text, events);
      else if (part.kind === 'reasoning') this.#say(reasoningHead, part.text, events);
      else this.#insert(part, events);
    }
  }

  #takeImages(raw: unknown, events: ChatEvent[]) {
    for (const image of asObjects(raw)) this.#insert(decodeImage(image.image_url), events);
  }

  #insert(value: Part, events: ChatEvent[]) {
    this.#calls.close(events);
    this.#whole(value, events);
  }

  #whole(value: Part, events: ChatEvent[]) {
    this.#end(events);
    events.push({ kind: 'whole', choice: this.#choice, part: this.#part, value });
    this.#part += 1;
  }

  #takeAudio({ id, data, transcript }: JsonObject, events: ChatEvent[]) {
    if (this.#open?.kind !== 'audio') {
      this.#calls.close(events);
      this.#start({ kind: 'audio', ...(typeof id === 'string' ? { id } : {}) }, events);
      this.#transcript = '';
    }
    if (this.#keeps(asText(transcript))) this.#transcript += asText(transcript);
    if (this.#transcript !== '') this.#tail = { transcript: this.#transcript };
    if (asText(data) !== '') this.#delta(asText(data), events);
  }

  #say(head: PartHead, text: string, events: ChatEvent[]) {
    if (this.#open?.kind === head.kind) return this.#delta(text, events);
    if (this.#held.length > 0 || !this.#calls.yields(events)) return this.#hold(head, text);
    this.#start(head, events);
    this.#delta(text, events);
  }

  #hold(head: PartHead, text: string) {
    if (this.#keeps(text)) this.#held.push({ head, text });
  }

  #keeps(value: string): boolean {
    if (!this.#room.holds(value)) this.#isSound = false;
    return this.#isSound;
  }

  #start(head: PartHead, events: ChatEvent[]) {
    this.#end(events);
    this.#open = head;
    events.push({ kind: 'part-start', choice: this.#choice, part: this.#part, head });
  }

  #delta(text: string, events: ChatEvent[]) {
    events.push({ kind: 'delta', choice: this.#choice, part: this.#part, text });
  }

  #end(events: ChatEvent[]) {
    const open = this.#open;
    if (open === undefined) return;
    const citations = open.kind === 'text' && this.#citations.size > 0 ? [...this.#citations.values()] : undefined;
    if (citations !== undefined) this.#citations.clear();
    const tail = citations === undefined ? this.#tail : { ...this.#tail, citations };
    events.push({ kind: 'part-end', choice: this.#choice, part: this.#part, ...(tail === undefined ? {} : { tail }) });
    this.#part += 1;
    this.#open = undefined;
    this.#tail = undefined;
  }

  close(events: ChatEvent[]) {
    if (this.#isFinished) return;
    this.#calls.close(events);
    for (const { head, text } of this.#held.splice(0)) this.#say(head, text, events);
    this.#end(events);
  }
}

function headOf({ kind, dialect, id }: ReasoningPart): PartHead {
  return { kind, dialect, ...(id === undefined ? {} : { id }) };
}

/** Does a delta hold anything that counts, so late? */
function speaks({ content, reasoning_content, refusal, tool_calls }: JsonObject): boolean {
  return [content, reasoning_content, refusal].some((text) => asText(text) !== '') || asObjects(tool_calls).length > 0;
}

/** The stream of one choice; ids of calls that lack one are made from the answer's. */
export function createChoiceStream(choice: number, answerId: string): ChoiceStream {
  return new Choice(choice, answerId);
}
