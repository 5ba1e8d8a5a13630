import type { AnswerContext, StreamEncoder } from '../chat/dialect.ts';
import type { Part } from '../chat/parts.ts';
import type { ChatEvent, Finish, PartHead, PartTail } from '../chat/response.ts';
import { errorStatus } from '../error.ts';
import type { JsonObject } from '../json.ts';
import { encodeFrame } from '../sse.ts';
import type { TokenUsage } from '../usage.ts';
import { candidateFields } from './answer-reader.ts';
import { writeCitations } from './citations.ts';
import { writeParts } from './encode-parts.ts';
import { errorFrame } from './error.ts';
import { restored } from './extra.ts';
import { finishWord } from './finish.ts';
import { createIdSpeller, type IdSpeller } from './ids.ts';
import { logprobsResult } from './logprobs.ts';
import { audioType } from './media.ts';
import { maxPositionChars } from './offsets.ts';
import { topLevel } from './response.ts';
import { carrySignature } from './signature.ts';
import { createSound, type Sound } from './sound.ts';
import { usageMetadata } from './usage.ts';

/** The vendor's client forgets a turn, and the question before it, when a chunk of it has no content. */
const silence = { parts: [{ text: '' }], role: 'model' };

/** Arguments wait until their call is whole; a call beyond this is cut short, and what was dropped is a loss. */
const maxArgumentChars = 4 * 1024 * 1024;

interface Choice {
  readonly ids: IdSpeller;
  head: PartHead | undefined;
  arguments: string;
  /** The open text, and the bytes of those before it: citations name places in them. */
  text: string;
  before: number;
  sound: Sound | undefined;
  finish: Finish | undefined;
}

type Of<Kind extends ChatEvent['kind']> = Extract<ChatEvent, { kind: Kind }>;

/** One chunk per event; tool calls come whole, reasons and usage with the last chunk. */
class AnswerEncoder implements StreamEncoder {
  readonly #context: AnswerContext;
  readonly #losses = new Set<string>();
  readonly #choices = new Map<number, Choice>();
  readonly #own = new Map<string, unknown>();
  #wrote = false;

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  get losses(): readonly string[] {
    return [...this.#losses];
  }

  push(event: ChatEvent): Buffer | undefined {
    switch (event.kind) {
      case 'part-start':
        return this.#open(event);
      case 'delta':
        return this.#delta(event);
      case 'part-end':
        return this.#close(event);
      case 'whole':
        if (event.value.kind === 'text' && event.value.citations !== undefined) this.#losses.add('citations');
        return this.#parts(event.choice, [event.value]);
      case 'logprobs':
        return this.#beside(event.choice, { logprobsResult: logprobsResult(event.entries) });
      case 'finish':
        this.#choice(event.choice).finish = event.finish;
        return undefined;
      case 'extra':
        return this.#extra(event);
      case 'error':
        return errorFrame(event.error, errorStatus(event.error));
      default:
        return undefined;
    }
  }

  #choice(index: number): Choice {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const fresh = {
      ids: createIdSpeller(true),
      head: undefined,
      arguments: '',
      text: '',
      before: 0,
      sound: undefined,
      finish: undefined,
    };
    this.#choices.set(index, fresh);
    return fresh;
  }

  #open({ choice: index, head }: Of<'part-start'>): undefined {
    const choice = this.#choice(index);
    choice.head = head;
    choice.arguments = '';
    choice.text = '';
    choice.sound = head.kind === 'audio' ? createSound() : undefined;
  }

  #delta({ choice: index, text }: Of<'delta'>): Buffer | undefined {
    const choice = this.#choice(index);
    const { head, sound } = choice;
    if (head?.kind === 'tool-call') {
      const room = maxArgumentChars - choice.arguments.length;
      choice.arguments += text.slice(0, room);
      if (text.length > room) this.#losses.add('tool_arguments');
      return undefined;
    }
    if (head?.kind === 'audio') return this.#audio(index, head.format, sound?.add(text) ?? '');
    if (head?.kind === 'text' && choice.text.length < maxPositionChars) choice.text += text;
    return this.#content(index, [head?.kind === 'reasoning' ? { text, thought: true } : { text }]);
  }

  #audio(index: number, format = '', data: string): Buffer | undefined {
    return data === '' ? undefined : this.#content(index, [{ inlineData: { mimeType: audioType(format), data } }]);
  }

  #close({ choice: index, tail = {} }: Of<'part-end'>): Buffer | undefined {
    const choice = this.#choice(index);
    const { head, sound } = choice;
    choice.head = undefined;
    if (head?.kind === 'audio') return this.#audio(index, head.format, sound?.rest() ?? '');
    if (head?.kind === 'tool-call') return this.#call(index, head, choice.arguments, tail);
    const { signature, dialect, citations = [] } = tail;
    if (head?.kind === 'reasoning' && signature !== undefined) {
      const thoughtSignature = carrySignature({ signature, dialect: dialect ?? head.dialect });
      return this.#content(index, [{ text: '', thought: true, thoughtSignature }]);
    }
    if (head?.kind !== 'text') return undefined;
    const citationSources = writeCitations(citations, choice.text, choice.before, this.#losses);
    choice.before += Buffer.byteLength(choice.text);
    return citationSources.length === 0 ? undefined : this.#beside(index, { citationMetadata: { citationSources } });
  }

  #call(index: number, head: Extract<PartHead, { kind: 'tool-call' }>, text: string, tail: PartTail) {
    const { signature, dialect } = tail;
    const signed = signature === undefined ? {} : { signature, ...(dialect === undefined ? {} : { dialect }) };
    return this.#parts(index, [{ ...head, arguments: text, ...signed }]);
  }

  #parts(index: number, parts: readonly Part[]): Buffer | undefined {
    const { ids } = this.#choice(index);
    return this.#content(index, writeParts(parts, { ids, losses: this.#losses, model: undefined }));
  }

  #content(index: number, parts: readonly JsonObject[]): Buffer | undefined {
    return parts.length === 0 ? undefined : this.#said({ content: { parts, role: 'model' }, index });
  }

  /** What is told of an answer beside what it says. */
  #beside(index: number, members: JsonObject): Buffer {
    return this.#said({ content: silence, index, ...members });
  }

  /** Clients read the first candidate of a chunk as the first of all. */
  #said(candidate: JsonObject): Buffer {
    return this.#chunk([...(candidate.index === 0 ? [] : [{ content: silence, index: 0 }]), candidate]);
  }

  #chunk(candidates: readonly JsonObject[] | undefined, more: JsonObject = {}): Buffer {
    const { id, model } = this.#context;
    this.#wrote = true;
    return encodeFrame(
      JSON.stringify({ ...(candidates === undefined ? {} : { candidates }), ...more, modelVersion: model, responseId: id }),
    );
  }

  #extra({ extra, serviceTier = 'auto' }: Of<'extra'>): undefined {
    if (serviceTier !== 'auto' && serviceTier !== 'default') this.#losses.add('service_tier');
    for (const [key, value] of Object.entries(restored(extra, this.#losses) ?? {})) this.#own.set(key, value);
  }

  close(usage: TokenUsage | undefined): Buffer {
    const own = Object.fromEntries(this.#own);
    const more = { ...topLevel(own), ...(usage === undefined ? {} : { usageMetadata: usageMetadata(usage) }) };
    // A prompt that was blocked has no candidates.
    if (own.promptFeedback !== undefined && !this.#wrote) return this.#chunk(undefined, more);
    const choices = this.#choices.size === 0 ? [0] : [...this.#choices.keys()].sort((a, b) => a - b);
    return this.#chunk(
      choices.map((index) => this.#last(index, own)),
      more,
    );
  }

  #last(index: number, own: JsonObject): JsonObject {
    const finish = this.#choices.get(index)?.finish ?? { reason: 'stop', raw: '' };
    return { content: silence, finishReason: finishWord(finish), index, ...candidateFields(own, index) };
  }
}

/** Writes one stream. */
export function createEncoder(context: AnswerContext): StreamEncoder {
  return new AnswerEncoder(context);
}
