import type { AudioPart, Part } from '../chat/parts.ts';
import type { ChatEvent, PartHead, PartTail } from '../chat/response.ts';
import { asObject, asText, type JsonObject } from '../json.ts';
import { addCitations, inUnits, readCitations, writeCitations } from './citations.ts';
import { callPart, type Piece, readPiece } from './decode-parts.ts';
import { ownExtra } from './extra.ts';
import { camelKeys, listOf } from './fields.ts';
import { readFinish } from './finish.ts';
import { answerCallId } from './ids.ts';
import { readLogprobs } from './logprobs.ts';
import { maxPositionChars } from './offsets.ts';
import { CallAssembly, type FinishedCall } from './partial-call.ts';
import type { Signature } from './signature.ts';
import { createSound, type Sound } from './sound.ts';
import { dialectName } from './types.ts';

/** Reads the candidates of one choice, piece by piece, into events whose parts are sequential. */
export interface ChoiceReader {
  readonly isFinished: boolean;
  /** A call of it cannot be told whole. */
  readonly isTooLong: boolean;
  /** One candidate, as a chunk or a whole answer has it. */
  take(candidate: JsonObject, responseId: string): void;
  /** Its reason when the upstream gave one; parts are closed in any case. */
  finish(): void;
  /** Of an answer that ends in the middle: tells what had come of a call. */
  cut(): void;
}

type Open = { readonly head: PartHead; readonly sound?: Sound };

/** Of one event. */
const maxEntries = 1000;

/** Members of a candidate that have a place in the IR, or say what other members say. */
const placed = new Set(['index', 'content', 'finishReason', 'citationMetadata', 'logprobsResult', 'avgLogprobs', 'tokenCount']);

type Emit = (event: ChatEvent) => void;

class Reader implements ChoiceReader {
  readonly #choice: number;
  readonly #emit: Emit;
  #part = 0;
  #calls = 0;
  #open: Open | undefined;
  #reason = '';
  readonly #citations = new Map<string, JsonObject>();
  /** Of the open text, to find the places that citations name. */
  #said = '';
  readonly #assembly = new CallAssembly();
  #begunCall: string | undefined;

  constructor(choice: number, emit: Emit) {
    this.#choice = choice;
    this.#emit = emit;
  }

  get isFinished(): boolean {
    return this.#reason !== '';
  }

  get isTooLong(): boolean {
    return this.#assembly.isTooLong;
  }

  take(raw: JsonObject, responseId: string): void {
    const candidate = camelKeys(raw);
    addCitations(this.#citations, readCitations(candidate));
    const { parts } = camelKeys(asObject(candidate.content) ?? {});
    for (const item of listOf(parts)) this.#piece(readPiece(item), responseId);
    const entries = readLogprobs(candidate.logprobsResult);
    for (let from = 0; from < entries.length; from += maxEntries) {
      this.#emit({ kind: 'logprobs', choice: this.#choice, entries: entries.slice(from, from + maxEntries) });
    }
    this.#more(Object.fromEntries(Object.entries(candidate).filter(([key]) => !placed.has(key))));
    this.#reason = asText(candidate.finishReason) || this.#reason;
  }

  cut(): void {
    const { written } = this.#assembly;
    if (written !== '') this.#emit({ kind: 'work', text: written });
  }

  finish(): void {
    // Of an answer that was cut a call is cut, too.
    if (this.isFinished) this.#called(this.#assembly.finish(), '');
    else this.cut();
    this.#close();
    const citationSources = writeCitations([...this.#citations.values()], '', 0, new Set());
    if (citationSources.length > 0) this.#more({ citationMetadata: { citationSources } });
    this.#citations.clear();
    const reason = this.#reason;
    if (reason !== '') this.#emit({ kind: 'finish', choice: this.#choice, finish: readFinish(reason, this.#calls > 0) });
  }

  #piece(piece: Piece, responseId: string) {
    const isNothing = piece.kind === 'text' && piece.text === '';
    if (piece.kind !== 'call' && !isNothing) this.#called(this.#assembly.finish(), responseId);
    if (piece.kind === 'text') this.#text(piece);
    else if (piece.kind === 'media') this.#media(piece);
    else if (piece.kind === 'foreign') this.#whole(piece.part);
    else if (piece.kind === 'call') this.#called(this.#assembly.take(piece.call, piece.signature), responseId);
  }

  /** A call that comes in pieces begins with its name; its arguments follow when all of them are there. */
  #called(calls: readonly FinishedCall[], responseId: string) {
    if (this.isTooLong) return;
    for (const { call, signature } of calls) {
      const id = this.#begunCall;
      this.#begunCall = undefined;
      if (id === undefined) {
        const ownId = this.#nextId(call, responseId);
        this.#whole(callPart(call, signature, () => ownId));
      } else {
        this.#delta(callPart(call, signature, () => id).arguments);
        this.#close(signature);
      }
    }
    const { head } = this.#assembly;
    if (head === undefined || this.#begunCall !== undefined) return;
    const id = this.#nextId(head, responseId);
    this.#begunCall = id;
    this.#start({ head: { kind: 'tool-call', id, name: asText(head.name) } });
  }

  #nextId({ id }: JsonObject, responseId: string): string {
    this.#calls += 1;
    return asText(id) || answerCallId(this.#calls, this.#choice, responseId);
  }

  #text({ text, isThought, signature }: Extract<Piece, { kind: 'text' }>) {
    if (text !== '') {
      const head: PartHead = isThought ? { kind: 'reasoning', dialect: dialectName } : { kind: 'text' };
      if (this.#open?.head.kind !== head.kind) this.#start({ head });
      this.#delta(text);
      if (!isThought && this.#said.length < maxPositionChars) this.#said += text;
    }
    if (signature === undefined) return;
    if (isThought && this.#open?.head.kind === 'reasoning') this.#close(signature);
    else this.#whole({ kind: 'reasoning', text: '', ...signature });
  }

  #media({ part, signature }: Extract<Piece, { kind: 'media' }>) {
    if (part.kind === 'audio') this.#audio(part);
    else this.#whole(part);
    if (signature !== undefined) this.#whole({ kind: 'reasoning', text: '', ...signature });
  }

  #audio({ base64, format }: AudioPart) {
    const { head } = this.#open ?? {};
    const isSame = head?.kind === 'audio' && head.format === format;
    if (!isSame) this.#start({ head: { kind: 'audio', format }, sound: createSound() });
    this.#delta(this.#open?.sound?.add(base64) ?? '');
  }

  #start(open: Open) {
    this.#close();
    this.#open = open;
    this.#emit({ kind: 'part-start', choice: this.#choice, part: this.#part, head: open.head });
  }

  #delta(text: string) {
    if (text !== '') this.#emit({ kind: 'delta', choice: this.#choice, part: this.#part, text });
  }

  #whole(value: Part) {
    this.#close();
    this.#emit({ kind: 'whole', choice: this.#choice, part: this.#part, value });
    this.#part += 1;
  }

  #close(signature?: Signature) {
    const open = this.#open;
    if (open === undefined) return;
    this.#delta(open.sound?.rest() ?? '');
    const tail = open.head.kind === 'text' ? this.#cited() : signature;
    this.#emit({ kind: 'part-end', choice: this.#choice, part: this.#part, ...(tail === undefined ? {} : { tail }) });
    this.#part += 1;
    this.#open = undefined;
  }

  #cited(): PartTail | undefined {
    const citations = inUnits([...this.#citations.values()], this.#said);
    this.#citations.clear();
    this.#said = '';
    return citations.length === 0 ? undefined : { citations };
  }

  #more(members: JsonObject) {
    const named = Object.entries(members).map(([key, value]) => [candidateKey(this.#choice, key), value]);
    const extra = ownExtra(Object.fromEntries(named));
    if (extra !== undefined) this.#emit({ kind: 'extra', extra });
  }
}

/** A reader that hands its events to `emit`. */
export function createChoiceReader(choice: number, emit: Emit): ChoiceReader {
  return new Reader(choice, emit);
}

/** How a member of one candidate is called among the fields of the whole answer. */
function candidateKey(choice: number, name: string): string {
  return `candidate${choice === 0 ? '' : choice}.${name}`;
}

/** The members that an answer's own fields hold for one candidate. */
export function candidateFields(fields: JsonObject | undefined, choice: number): JsonObject {
  const prefix = candidateKey(choice, '');
  const entries = Object.entries(fields ?? {}).filter(([key]) => key.startsWith(prefix));
  return Object.fromEntries(entries.map(([key, value]) => [key.slice(prefix.length), value]));
}
