import { noArguments, type Part } from '../chat/parts.ts';
import type { ChatEvent, PartHead, PartTail } from '../chat/response.ts';
import { asObject, asObjects, asText, type JsonObject } from '../json.ts';
import { argumentsText, foreignCall, readSignature } from './decode-message.ts';
import { callId } from './decode-response.ts';

/** What parallel calls may have waiting, in characters, before the stream counts as broken. */
const maxWaiting = 4 * 1024 * 1024;
const maxCalls = 1024;
/** How often the arguments of the open call are tried for being whole while others wait. */
const maxTries = 64;

/** Where the pieces go, in order. */
interface Outlet {
  open(head: PartHead, events: ChatEvent[]): void;
  text(text: string, events: ChatEvent[]): void;
  end(tail: PartTail | undefined, events: ChatEvent[]): void;
  whole(value: Part, events: ChatEvent[]): void;
}

interface Call {
  /** As the upstream counts; undefined where it does not. */
  readonly index: number | undefined;
  id: string;
  name: string;
  /** Arguments so far: handed out when the call is open, waiting otherwise. */
  text: string;
  /** Its last character that is no blank closes an object: asking the text itself would write it out for each piece. */
  endsObject: boolean;
  tail: PartTail | undefined;
  /** A call that is no function, gathered as it is. */
  foreign: JsonObject | undefined;
  state: 'waiting' | 'open' | 'over';
  tries: number;
}

/**
 * Brings the calls of a choice in order. One call is open and handed out as it comes; pieces of others wait until its
 * arguments are whole, or until the answer ends.
 */
export interface CallQueue {
  /** There was a call. */
  readonly any: boolean;
  /** False: a piece belongs to no call, or too much waits. */
  take(delta: JsonObject, events: ChatEvent[]): boolean;
  /** Ends the open call if it is whole and none waits; true when none is open any more. */
  yields(events: ChatEvent[]): boolean;
  close(events: ChatEvent[]): void;
}

class Queue implements CallQueue {
  readonly #choice: number;
  readonly #answerId: string;
  readonly #outlet: Outlet;
  readonly #calls: Call[] = [];
  /** The first call that is not over. */
  #at = 0;
  #waiting = 0;

  constructor(choice: number, answerId: string, outlet: Outlet) {
    this.#choice = choice;
    this.#answerId = answerId;
    this.#outlet = outlet;
  }

  get any(): boolean {
    return this.#calls.length > 0;
  }

  take(delta: JsonObject, events: ChatEvent[]): boolean {
    const { tool_calls, function_call } = delta;
    let isPlaced = true;
    if (Array.isArray(tool_calls)) {
      for (const piece of asObjects(tool_calls)) if (!this.#takePiece(piece, events)) isPlaced = false;
    }
    const single = asObject(function_call);
    if (single !== undefined && !this.#takePiece({ index: 0, function: single }, events)) isPlaced = false;
    return isPlaced;
  }

  #takePiece(piece: JsonObject, events: ChatEvent[]): boolean {
    const call = this.#callOf(piece);
    if (call === undefined || !this.#absorb(call, piece, events)) return false;
    this.#advance(events);
    return this.#waiting <= maxWaiting;
  }

  #callOf(piece: JsonObject): Call | undefined {
    const index = typeof piece.index === 'number' ? piece.index : undefined;
    const id = asText(piece.id);
    const named = asText(asObject(piece.function)?.name) !== '';
    const known =
      index === undefined
        ? this.#calls.findLast((call) => id === '' || call.id === id)
        : this.#calls.findLast((call) => call.index === index);
    // Some upstreams count every call as 0, and some do not count.
    const isOther = known !== undefined && id !== '' && known.id !== '' && known.id !== id && named;
    if (known !== undefined && !isOther) return known;
    if (this.#calls.length >= maxCalls) return undefined;
    const call: Call = {
      index,
      id,
      name: '',
      text: '',
      endsObject: false,
      tail: undefined,
      foreign: undefined,
      state: 'waiting',
      tries: 0,
    };
    this.#calls.push(call);
    return call;
  }

  #absorb(call: Call, piece: JsonObject, events: ChatEvent[]): boolean {
    const inner = asObject(piece.function);
    if (call.id === '') call.id = asText(piece.id);
    if (call.name === '') call.name = asText(inner?.name);
    const { signature, dialect } = readSignature(piece);
    if (signature !== undefined) call.tail = { signature, dialect };
    if (inner === undefined && typeof piece.type === 'string' && piece.type !== 'function') call.foreign ??= { type: piece.type };
    if (call.foreign !== undefined) return this.#absorbForeign(call.foreign, piece);
    const text = argumentsText(inner?.arguments);
    if (text === '') return true;
    if (call.state === 'over') return text.trim() === '';
    if (call.text.length <= maxWaiting) append(call, text);
    if (call.state === 'open') this.#outlet.text(text, events);
    else this.#waiting += text.length;
    return true;
  }

  #absorbForeign(call: JsonObject, piece: JsonObject): boolean {
    for (const [key, value] of Object.entries(piece)) {
      // What is written into `__proto__` all objects of the process inherit.
      if (key === 'index' || key === 'type' || key === '__proto__' || value === null) continue;
      const inner = asObject(value);
      if (inner === undefined) {
        call[key] = value;
        this.#waiting += sizeOf(key, value);
      } else {
        const into = asObject(call[key]) ?? {};
        for (const [field, text] of Object.entries(inner)) {
          into[field] = typeof text === 'string' ? asText(into[field]) + text : text;
          this.#waiting += sizeOf(field, text);
        }
        call[key] = into;
      }
    }
    return true;
  }

  /** Opens the first call when it has its name; ends it when it is whole and another waits. */
  #advance(events: ChatEvent[]) {
    for (let call = this.#calls[this.#at]; call !== undefined; call = this.#calls[this.#at]) {
      if (call.foreign === undefined && call.state === 'waiting' && call.name !== '') this.#open(call, events);
      if (this.#at === this.#calls.length - 1 || !isWhole(call)) return;
      this.#end(call, events);
    }
  }

  #open(call: Call, events: ChatEvent[]) {
    call.state = 'open';
    const id = call.id || callId(this.#answerId, this.#choice, this.#at);
    this.#outlet.open({ kind: 'tool-call', id, name: call.name }, events);
    if (call.text === '') return;
    this.#waiting -= call.text.length;
    this.#outlet.text(call.text, events);
  }

  #end(call: Call, events: ChatEvent[]) {
    if (call.foreign !== undefined) this.#outlet.whole(foreignCall(call.foreign), events);
    else {
      if (call.state === 'waiting') this.#open(call, events);
      if (call.text === '') this.#outlet.text(noArguments, events);
      this.#outlet.end(call.tail, events);
    }
    call.state = 'over';
    call.text = '';
    this.#at += 1;
  }

  yields(events: ChatEvent[]): boolean {
    const call = this.#calls[this.#at];
    if (call !== undefined && this.#at === this.#calls.length - 1 && isWhole(call)) this.#end(call, events);
    return this.#at === this.#calls.length;
  }

  close(events: ChatEvent[]) {
    for (let call = this.#calls[this.#at]; call !== undefined; call = this.#calls[this.#at]) this.#end(call, events);
  }
}

/** What a member of a call that is no function takes up. */
function sizeOf(key: string, value: unknown): number {
  return typeof value === 'string' ? value.length : JSON.stringify([key, value]).length;
}

function append(call: Call, text: string): void {
  const said = text.trimEnd();
  if (said !== '') call.endsObject = said.endsWith('}');
  call.text += text;
}

function isWhole(call: Call): boolean {
  if (call.foreign !== undefined || call.name === '' || !call.endsObject || call.tries >= maxTries) return false;
  call.tries += 1;
  try {
    JSON.parse(call.text);
    return true;
  } catch {
    return false;
  }
}

/** An empty queue for one choice. */
export function createCallQueue(choice: number, answerId: string, outlet: Outlet): CallQueue {
  return new Queue(choice, answerId, outlet);
}
