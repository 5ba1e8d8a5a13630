import type { Part } from '../chat/parts.ts';
import type { ChatEvent, PartHead, PartTail } from '../chat/response.ts';

/** What may wait for the end of another part, in characters. */
const maxWaitingChars = 4 * 1024 * 1024;
const maxParts = 8192;

interface Slot {
  readonly content: PartHead | { readonly kind: 'whole'; readonly value: Part };
  /** Pieces that came while another part was open. */
  waiting: string;
  chars: number;
  isOpen: boolean;
  /** Set when the part has ended. */
  tail: PartTail | undefined;
  isEnded: boolean;
}

/**
 * Brings the parts of an answer in sequence, by the order of their starts: one is open and handed out as it comes, the
 * pieces of others wait. Keys name parts; what concerns an unknown or ended part does nothing.
 */
export interface Sequence {
  /** False: more waits than may, or there are too many parts. */
  readonly isSound: boolean;
  /** Characters a part has got so far; undefined = it never started. */
  charsOf(key: string): number | undefined;
  start(key: string, head: PartHead): void;
  delta(key: string, text: string): void;
  end(key: string, tail?: PartTail): void;
  whole(key: string, value: Part): void;
  /** Something else waits for the end of a part: so many characters. */
  wait(chars: number): void;
  /** Ends all parts. */
  close(): void;
  /** The events that are due. */
  take(): ChatEvent[];
}

class PartSequence implements Sequence {
  readonly #slots = new Map<string, Slot>();
  readonly #queue: Slot[] = [];
  #events: ChatEvent[] = [];
  #part = 0;
  #waitingChars = 0;
  isSound = true;

  charsOf(key: string): number | undefined {
    return this.#slots.get(key)?.chars;
  }

  start(key: string, head: PartHead) {
    this.#add(key, head);
  }

  whole(key: string, value: Part) {
    this.#add(key, { kind: 'whole', value });
  }

  #add(key: string, content: Slot['content']) {
    if (this.#slots.has(key)) return;
    if (this.#slots.size === maxParts) {
      this.isSound = false;
      return;
    }
    const isEnded = content.kind === 'whole';
    const slot: Slot = { content, waiting: '', chars: 0, isOpen: false, tail: undefined, isEnded };
    this.#slots.set(key, slot);
    this.#queue.push(slot);
    this.#advance();
    // Those that wait are pictures and what hosted tools found; they count until the stream is over.
    if (content.kind === 'whole' && this.#queue.length > 0) this.wait(JSON.stringify(content.value).length);
  }

  wait(chars: number) {
    this.#waitingChars += chars;
    if (this.#waitingChars > maxWaitingChars) this.isSound = false;
  }

  delta(key: string, text: string) {
    const slot = this.#slots.get(key);
    if (slot === undefined || slot.isEnded || text === '') return;
    slot.chars += text.length;
    if (slot.isOpen) {
      this.#events.push({ kind: 'delta', choice: 0, part: this.#part, text });
      return;
    }
    slot.waiting += text;
    this.wait(text.length);
  }

  end(key: string, tail?: PartTail) {
    const slot = this.#slots.get(key);
    if (slot === undefined || slot.isEnded) return;
    slot.isEnded = true;
    slot.tail = tail;
    this.#advance();
  }

  #advance() {
    for (let slot = this.#queue[0]; slot !== undefined; slot = this.#queue[0]) {
      if (slot.content.kind === 'whole') {
        this.#events.push({ kind: 'whole', choice: 0, part: this.#part, value: slot.content.value });
      } else {
        if (!slot.isOpen) this.#open(slot, slot.content);
        if (!slot.isEnded) return;
        const tail = slot.tail === undefined ? {} : { tail: slot.tail };
        this.#events.push({ kind: 'part-end', choice: 0, part: this.#part, ...tail });
      }
      this.#part += 1;
      this.#queue.shift();
    }
  }

  #open(slot: Slot, head: PartHead) {
    slot.isOpen = true;
    this.#events.push({ kind: 'part-start', choice: 0, part: this.#part, head });
    if (slot.waiting === '') return;
    this.#events.push({ kind: 'delta', choice: 0, part: this.#part, text: slot.waiting });
    this.#waitingChars -= slot.waiting.length;
    slot.waiting = '';
  }

  close() {
    for (const slot of this.#queue) slot.isEnded = true;
    this.#advance();
  }

  take(): ChatEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}

/** An empty sequence for the one answer of a stream. */
export function createSequence(): Sequence {
  return new PartSequence();
}
