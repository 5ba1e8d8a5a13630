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
import type { Signature } from './signature.ts';
import { createSound, type Sound } from './sound.ts';
import { dialectName } from './types.ts';

/** Reads the candidates of one choice, piece by piece, into events whose parts are sequential. */
export interface ChoiceReader {
  readonly isFinished: boolean;
  /** One candidate, as a chunk or a whole answer has it. */
  take(candidate: JsonObject, responseId: string): void;
  /** Its reason when the upstream gave one; parts are closed in any case. */
  finish(): void;
}

type Open = { readonly head: PartHead; readonly sound?: Sound };

/** Of one event. */
const maxEntries = 1000;

/** Members of a candidate that have a place in the IR, or say what other members say. */
const placed = new Set(['index', 'content', 'finishReason', 'citationMetadata', 'logprobsResult', 'avgLogprobs', 'tokenCount']);

/** A reader that hands its events to `emit`. */
export function createChoiceReader(choice: number, emit: (event: ChatEvent) => void): ChoiceReader {
  let part = 0;
  let calls = 0;
  let open: Open | undefined;
  let reason = '';
  let citations: JsonObject[] = [];
  /** Of the open text, to find the places that citations name. */
  let said = '';

  const close = (signature?: Signature) => {
    if (open === undefined) return;
    const rest = open.sound?.rest() ?? '';
    if (rest !== '') emit({ kind: 'delta', choice, part, text: rest });
    let tail: PartTail | undefined = signature;
    if (open.head.kind === 'text' && citations.length > 0) {
      tail = { citations: inUnits(citations, said) };
      citations = [];
    }
    said = '';
    emit({ kind: 'part-end', choice, part, ...(tail === undefined ? {} : { tail }) });
    part += 1;
    open = undefined;
  };
  const whole = (value: Part) => {
    close();
    emit({ kind: 'whole', choice, part, value });
    part += 1;
  };
  const start = (next: Open) => {
    close();
    open = next;
    emit({ kind: 'part-start', choice, part, head: next.head });
  };
  const delta = (text: string) => {
    if (text !== '') emit({ kind: 'delta', choice, part, text });
  };
  const more = (members: JsonObject) => {
    const extra = ownExtra(Object.fromEntries(Object.entries(members).map(([key, value]) => [candidateKey(choice, key), value])));
    if (extra !== undefined) emit({ kind: 'extra', extra });
  };
  const text = (piece: Extract<Piece, { kind: 'text' }>) => {
    const { isThought, signature } = piece;
    if (piece.text !== '') {
      const kind = isThought ? 'reasoning' : 'text';
      if (open?.head.kind !== kind) start({ head: isThought ? { kind: 'reasoning', dialect: dialectName } : { kind: 'text' } });
      delta(piece.text);
      if (!isThought && said.length < maxPositionChars) said += piece.text;
    }
    if (signature === undefined) return;
    if (isThought && open?.head.kind === 'reasoning') close(signature);
    else whole({ kind: 'reasoning', text: '', ...signature });
  };
  const audio = ({ base64, format }: AudioPart) => {
    const isSame = open?.head.kind === 'audio' && open.head.format === format;
    if (!isSame) start({ head: { kind: 'audio', format }, sound: createSound() });
    delta(open?.sound?.add(base64) ?? '');
  };
  const media = ({ part: value, signature }: Extract<Piece, { kind: 'media' }>) => {
    if (value.kind === 'audio') audio(value);
    else whole(value);
    if (signature !== undefined) whole({ kind: 'reasoning', text: '', ...signature });
  };
  const takePiece = (piece: Piece, responseId: string) => {
    if (piece.kind === 'text') text(piece);
    else if (piece.kind === 'media') media(piece);
    else if (piece.kind === 'foreign') whole(piece.part);
    else if (piece.kind === 'call' && asText(piece.call.name) !== '') {
      calls += 1;
      whole(callPart(piece.call, piece.signature, (given) => given || answerCallId(calls, choice, responseId)));
    }
  };

  return {
    get isFinished() {
      return reason !== '';
    },
    take(raw, responseId) {
      const candidate = camelKeys(raw);
      addCitations(citations, readCitations(candidate));
      const { parts } = camelKeys(asObject(candidate.content) ?? {});
      for (const item of listOf(parts)) takePiece(readPiece(item), responseId);
      const entries = readLogprobs(candidate.logprobsResult);
      for (let from = 0; from < entries.length; from += maxEntries) {
        emit({ kind: 'logprobs', choice, entries: entries.slice(from, from + maxEntries) });
      }
      more(Object.fromEntries(Object.entries(candidate).filter(([key]) => !placed.has(key))));
      reason = asText(candidate.finishReason) || reason;
    },
    finish() {
      close();
      if (citations.length > 0) more({ citationMetadata: { citationSources: writeCitations(citations, '', 0, new Set()) } });
      citations = [];
      if (reason !== '') emit({ kind: 'finish', choice, finish: readFinish(reason, calls > 0) });
    },
  };
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
