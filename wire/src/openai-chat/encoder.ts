import type { AnswerContext, StreamEncoder } from '../chat/dialect.ts';
import { createLosses, type Losses } from '../chat/losses.ts';
import type { Part } from '../chat/parts.ts';
import type { ChatEvent, PartHead, PartTail } from '../chat/response.ts';
import type { JsonObject } from '../json.ts';
import type { TokenUsage } from '../usage.ts';
import { dialectName, encodeImage, type Target } from './content.ts';
import { encodeFunctionCall } from './encode-messages.ts';
import { answerId, answerTarget, encodeUsage } from './encode-response.ts';
import { errorFrame } from './error.ts';
import { encodeExtra } from './extra.ts';
import { encodeFinish } from './finish.ts';
import { encodeDetail } from './reasoning.ts';
import { doneFrame } from './stream.ts';

interface ChoiceState {
  readonly index: number;
  head: PartHead | undefined;
  isTold: boolean;
  calls: number;
  refusal: boolean;
  isFinished: boolean;
  details: number;
}

class Encoder implements StreamEncoder {
  readonly #context: AnswerContext;
  readonly #losses: Losses = createLosses();
  readonly #target: Target;
  readonly #choices = new Map<number, ChoiceState>();
  /** All bytes of a frame before its choices. */
  #head: string;
  #fields: JsonObject = {};
  #pieces: string[] = [];

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#target = answerTarget(this.#losses.lose);
    this.#head = this.#spellHead();
  }

  get losses(): readonly string[] {
    return this.#losses.list();
  }

  #spellHead(): string {
    const { created, model } = this.#context;
    const head = { id: answerId(this.#context), object: 'chat.completion.chunk', created, model, ...this.#fields };
    return `data: ${JSON.stringify(head).slice(0, -1)},"choices":[`;
  }

  push(event: ChatEvent): Buffer | undefined {
    this.#take(event);
    if (event.kind === 'error') return errorFrame(event.error);
    if (this.#pieces.length === 0) return undefined;
    const bytes = Buffer.from(this.#pieces.length === 1 ? (this.#pieces[0] ?? '') : this.#pieces.join(''));
    this.#pieces = [];
    return bytes;
  }

  #take(event: ChatEvent) {
    switch (event.kind) {
      case 'delta':
        return this.#delta(this.#choiceOf(event.choice), event.text);
      case 'part-start':
        return this.#partStart(this.#choiceOf(event.choice), event.head);
      case 'part-end':
        return this.#partEnd(this.#choiceOf(event.choice), event.tail);
      case 'whole':
        return this.#whole(this.#choiceOf(event.choice), event.value);
      case 'logprobs':
        return this.#frame(this.#choiceOf(event.choice), '{}', JSON.stringify({ content: event.entries, refusal: null }));
      case 'finish': {
        const state = this.#choiceOf(event.choice);
        const reason = encodeFinish(event.finish, { calls: state.calls > 0, refusal: state.refusal });
        return this.#finish(state, reason);
      }
      case 'extra':
        return this.#extra(event);
      default:
    }
  }

  #extra({ extra, serviceTier }: Extract<ChatEvent, { kind: 'extra' }>) {
    const own = encodeExtra(extra, this.#losses.lose);
    this.#fields = { ...this.#fields, ...own, ...(serviceTier === undefined ? {} : { service_tier: serviceTier }) };
    this.#head = this.#spellHead();
  }

  #choiceOf(index: number): ChoiceState {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const fresh = { index, head: undefined, isTold: false, calls: 0, refusal: false, isFinished: false, details: 0 };
    this.#choices.set(index, fresh);
    return fresh;
  }

  /** One chunk of one choice; the first one tells who speaks. */
  #frame(state: ChoiceState, delta: string, logprobs = 'null', finish = 'null') {
    let told = delta;
    if (!state.isTold) {
      state.isTold = true;
      const rest = delta === '{}' ? '}' : `,${delta.slice(1)}`;
      told = `{"role":"assistant"${delta.startsWith('{"content"') ? '' : ',"content":null'}${rest}`;
    }
    this.#pieces.push(
      `${this.#head}{"index":${state.index},"delta":${told},"logprobs":${logprobs},"finish_reason":${finish}}]}\n\n`,
    );
  }

  #delta(state: ChoiceState, text: string) {
    switch (state.head?.kind) {
      case 'text':
        return this.#frame(state, `{"content":${JSON.stringify(text)}}`);
      case 'reasoning':
        return this.#frame(state, `{"reasoning_content":${JSON.stringify(text)}}`);
      case 'tool-call':
        return this.#frame(
          state,
          `{"tool_calls":[{"index":${state.calls - 1},"function":{"arguments":${JSON.stringify(text)}}}]}`,
        );
      case 'refusal':
        return this.#frame(state, `{"refusal":${JSON.stringify(text)}}`);
      case 'audio':
        return this.#frame(state, `{"audio":{"data":${JSON.stringify(text)}}}`);
      default:
    }
  }

  #partStart(state: ChoiceState, head: PartHead) {
    state.head = head;
    if (head.kind === 'refusal') state.refusal = true;
    else if (head.kind === 'tool-call') {
      this.#call(state, encodeFunctionCall({ ...head, arguments: '' }, this.#target));
    } else if (head.kind === 'audio') this.#frame(state, JSON.stringify({ audio: { id: head.id ?? '' } }));
    else if (!state.isTold && head.kind === 'text') this.#frame(state, '{"content":""}');
  }

  #call(state: ChoiceState, call: JsonObject) {
    this.#frame(state, JSON.stringify({ tool_calls: [{ index: state.calls, ...call }] }));
    state.calls += 1;
  }

  #partEnd(state: ChoiceState, tail: PartTail | undefined) {
    const { head } = state;
    state.head = undefined;
    if (tail === undefined || head === undefined) return;
    const { signature, dialect, citations, transcript } = tail;
    if (citations !== undefined) this.#frame(state, JSON.stringify({ annotations: citations }));
    if (transcript !== undefined && head.kind === 'audio') this.#frame(state, JSON.stringify({ audio: { transcript } }));
    if (signature === undefined) return;
    if (head.kind === 'reasoning') {
      const part = { kind: 'reasoning' as const, text: '', signature, dialect: dialect ?? head.dialect };
      this.#detail(state, encodeDetail(part, state.details));
    } else if (head.kind === 'tool-call') {
      const { extra_content } = encodeFunctionCall({ ...head, arguments: '', signature, dialect }, this.#target);
      if (extra_content !== undefined)
        this.#frame(state, JSON.stringify({ tool_calls: [{ index: state.calls - 1, extra_content }] }));
    }
  }

  #detail(state: ChoiceState, detail: JsonObject) {
    state.details += 1;
    this.#frame(state, JSON.stringify({ reasoning_details: [detail] }));
  }

  #whole(state: ChoiceState, part: Part) {
    switch (part.kind) {
      case 'text':
      case 'refusal':
        this.#partStart(state, { kind: part.kind });
        this.#delta(state, part.text);
        return this.#partEnd(
          state,
          part.kind === 'text' && part.citations !== undefined ? { citations: part.citations } : undefined,
        );
      case 'reasoning':
        return this.#wholeReasoning(state, part);
      case 'tool-call':
        return this.#call(state, encodeFunctionCall(part, this.#target));
      case 'image': {
        const image = encodeImage(part, this.#target);
        return image === undefined ? undefined : this.#frame(state, JSON.stringify({ images: [image] }));
      }
      case 'audio':
        return this.#frame(
          state,
          JSON.stringify({ audio: { id: part.id ?? '', data: part.base64, transcript: part.transcript ?? '' } }),
        );
      default:
        return this.#wholeForeign(state, part);
    }
  }

  #wholeReasoning(state: ChoiceState, part: Extract<Part, { kind: 'reasoning' }>) {
    if (part.text !== '') this.#frame(state, JSON.stringify({ reasoning_content: part.text }));
    if (part.signature === undefined && part.redacted === undefined) return;
    this.#detail(state, encodeDetail({ ...part, text: '' }, state.details));
  }

  #wholeForeign(state: ChoiceState, part: Extract<Part, { kind: 'foreign' | 'file' | 'tool-result' }>) {
    if (part.kind !== 'foreign') return this.#losses.lose(part.kind.replace('-', '_'));
    if (part.dialect === dialectName) {
      if (part.name.startsWith('tool_calls.')) this.#call(state, part.raw);
    } else if (part.text !== undefined) this.#frame(state, JSON.stringify({ content: part.text }));
    else this.#losses.lose(`hosted_tool:${part.name}`);
  }

  #finish(state: ChoiceState, reason: string) {
    if (state.isFinished) return;
    state.isFinished = true;
    this.#frame(state, '{}', 'null', JSON.stringify(reason));
  }

  close(usage: TokenUsage | undefined): Buffer {
    if (this.#choices.size === 0) this.#choiceOf(0);
    for (const state of this.#choices.values()) this.#finish(state, state.calls > 0 ? 'tool_calls' : 'stop');
    if (usage !== undefined && this.#context.wantsUsage) {
      this.#pieces.push(`${this.#head}],"usage":${JSON.stringify(encodeUsage(usage))}}\n\n`);
    }
    return Buffer.concat([Buffer.from(this.#pieces.splice(0).join('')), doneFrame]);
  }
}

/** Writes one stream of `chat.completion.chunk` frames. */
export function createEncoder(context: AnswerContext): StreamEncoder {
  return new Encoder(context);
}
