import { partToChat } from '../chat/custom-tools.ts';
import type { AnswerContext, StreamEncoder } from '../chat/dialect.ts';
import { createLosses, type Losses } from '../chat/losses.ts';
import type { Part } from '../chat/parts.ts';
import type { ChatEvent, PartHead, PartTail } from '../chat/response.ts';
import type { JsonObject } from '../json.ts';
import type { TokenUsage } from '../usage.ts';
import { type ChoiceState, type ChunkWriter, createChunkWriter } from './chunk-writer.ts';
import { spellCitations } from './citations.ts';
import { dialectName, encodeImage, type Target } from './content.ts';
import { encodeFunctionCall } from './encode-messages.ts';
import { answerTarget, encodeUsage } from './encode-response.ts';
import { errorFrame } from './error.ts';
import { encodeExtra } from './extra.ts';
import { encodeFinish, pauseWord } from './finish.ts';
import { encodeDetail } from './reasoning.ts';
import { doneFrame } from './stream.ts';

/** Of one answer. */
const maxSources = 10_000;

class Encoder implements StreamEncoder {
  readonly #context: AnswerContext;
  readonly #losses: Losses = createLosses();
  readonly #target: Target;
  readonly #chunks: ChunkWriter;

  /** The caller asks with `functions`. */
  readonly #isOlder: boolean;

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#isOlder = context.request?.singleCalls === true;
    this.#target = answerTarget(this.#losses.lose);
    this.#chunks = createChunkWriter(context);
  }

  get losses(): readonly string[] {
    return this.#losses.list();
  }

  push(event: ChatEvent): Buffer | undefined {
    this.#take(event);
    if (event.kind === 'error') return errorFrame(event.error);
    const text = this.#chunks.take();
    return text === '' ? undefined : Buffer.from(text);
  }

  #take(event: ChatEvent) {
    switch (event.kind) {
      case 'delta':
        return this.#delta(this.#chunks.choiceOf(event.choice), event.text);
      case 'part-start':
        return this.#partStart(this.#chunks.choiceOf(event.choice), event.head);
      case 'part-end':
        return this.#partEnd(this.#chunks.choiceOf(event.choice), event.tail);
      case 'whole':
        return this.#whole(this.#chunks.choiceOf(event.choice), event.value);
      case 'logprobs':
        return this.#chunks.chunk(
          this.#chunks.choiceOf(event.choice),
          '{}',
          JSON.stringify({ content: event.entries, refusal: null }),
        );
      case 'finish': {
        const state = this.#chunks.choiceOf(event.choice);
        const reason = encodeFinish(event.finish, { calls: state.calls > 0, refusal: state.refusal });
        if (event.finish.reason === 'pause') this.#losses.lose(pauseWord);
        return this.#finish(state, reason);
      }
      case 'extra':
        return this.#extra(event);
      default:
    }
  }

  #extra({ extra, serviceTier }: Extract<ChatEvent, { kind: 'extra' }>) {
    const own = encodeExtra(extra, this.#losses.lose);
    const more = { ...own, ...(serviceTier === undefined ? {} : { service_tier: serviceTier }) };
    for (const name of this.#chunks.repeat(more)) this.#losses.lose(name);
  }

  #delta(state: ChoiceState, text: string) {
    switch (state.head?.kind) {
      case 'text':
        state.chars += text.length;
        return this.#chunks.chunk(state, `{"content":${JSON.stringify(text)}}`);
      case 'reasoning':
        return this.#chunks.chunk(state, `{"reasoning_content":${JSON.stringify(text)}}`);
      case 'tool-call':
        return this.#arguments(state, JSON.stringify(text));
      case 'refusal':
        return this.#chunks.chunk(state, `{"refusal":${JSON.stringify(text)}}`);
      case 'audio':
        return this.#chunks.chunk(state, `{"audio":{"data":${JSON.stringify(text)}}}`);
      default:
    }
  }

  #arguments(state: ChoiceState, text: string) {
    const index = state.calls - 1;
    if (!this.#isOlder) this.#chunks.chunk(state, `{"tool_calls":[{"index":${index},"function":{"arguments":${text}}}]}`);
    else if (index === 0) this.#chunks.chunk(state, `{"function_call":{"arguments":${text}}}`);
  }

  #partStart(state: ChoiceState, head: PartHead) {
    state.head = head;
    state.textFrom = state.chars;
    if (head.kind === 'refusal') state.refusal = true;
    else if (head.kind === 'tool-call') {
      this.#call(state, encodeFunctionCall({ ...head, arguments: '' }, this.#target));
    } else if (head.kind === 'audio') this.#chunks.chunk(state, JSON.stringify({ audio: { id: head.id ?? '' } }));
    else if (!state.isTold && head.kind === 'text') this.#chunks.chunk(state, '{"content":""}');
  }

  #call(state: ChoiceState, call: JsonObject) {
    this.#tellSources(state);
    if (!this.#isOlder) this.#chunks.chunk(state, JSON.stringify({ tool_calls: [{ index: state.calls, ...call }] }));
    else if (state.calls === 0) this.#chunks.chunk(state, JSON.stringify({ function_call: call.function }));
    else this.#losses.lose('parallel_tools');
    state.calls += 1;
  }

  #partEnd(state: ChoiceState, tail: PartTail | undefined) {
    const { head } = state;
    state.head = undefined;
    if (tail === undefined || head === undefined) return;
    const { signature, dialect, citations, transcript } = tail;
    if (citations !== undefined) this.#cite(state, citations);
    if (transcript !== undefined && head.kind === 'audio') this.#chunks.chunk(state, JSON.stringify({ audio: { transcript } }));
    if (signature === undefined) return;
    if (head.kind === 'reasoning') {
      const part = { ...head, text: '', signature, dialect: dialect ?? head.dialect };
      this.#detail(state, encodeDetail(part, state.details));
    } else if (head.kind === 'tool-call') {
      const { extra_content } = encodeFunctionCall({ ...head, arguments: '', signature, dialect }, this.#target);
      if (extra_content !== undefined)
        this.#chunks.chunk(state, JSON.stringify({ tool_calls: [{ index: state.calls - 1, extra_content }] }));
    }
  }

  #cite(state: ChoiceState, citations: readonly JsonObject[]) {
    for (const source of spellCitations(citations, state.textFrom, state.chars - state.textFrom, this.#losses.lose)) {
      if (state.sources.length < maxSources) state.sources.push(source);
      else this.#losses.lose('citations');
    }
  }

  /** In one chunk behind all texts, as the vendor does: its own client keeps only the last. */
  #tellSources(state: ChoiceState) {
    if (state.sources.length > 0) this.#chunks.chunk(state, JSON.stringify({ annotations: state.sources.splice(0) }));
  }

  #detail(state: ChoiceState, detail: JsonObject) {
    state.details += 1;
    this.#chunks.chunk(state, JSON.stringify({ reasoning_details: [detail] }));
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
        return image === undefined ? undefined : this.#chunks.chunk(state, JSON.stringify({ images: [image] }));
      }
      case 'audio':
        return this.#chunks.chunk(
          state,
          JSON.stringify({ audio: { id: part.id ?? '', data: part.base64, transcript: part.transcript ?? '' } }),
        );
      default:
        return this.#wholeForeign(state, partToChat(part, this.#losses.lose));
    }
  }

  #wholeReasoning(state: ChoiceState, part: Extract<Part, { kind: 'reasoning' }>) {
    if (part.text !== '') this.#chunks.chunk(state, JSON.stringify({ reasoning_content: part.text }));
    if (part.signature === undefined && part.redacted === undefined) return;
    this.#detail(state, encodeDetail({ ...part, text: '' }, state.details));
  }

  #wholeForeign(state: ChoiceState, part: Part) {
    if (part.kind !== 'foreign') return this.#losses.lose(part.kind.replace('-', '_'));
    if (part.dialect === dialectName) {
      if (part.name.startsWith('tool_calls.')) this.#call(state, part.raw);
    } else if (part.text !== undefined) this.#chunks.chunk(state, JSON.stringify({ content: part.text }));
    else this.#losses.lose(`hosted_tool:${part.name}`);
  }

  #finish(state: ChoiceState, reason: string) {
    if (state.isFinished) return;
    state.isFinished = true;
    this.#tellSources(state);
    const told = this.#isOlder && reason === 'tool_calls' ? 'function_call' : reason;
    this.#chunks.chunk(state, '{}', 'null', JSON.stringify(told));
  }

  close(usage: TokenUsage | undefined): Buffer {
    const chunks = this.#chunks;
    if (chunks.choices.size === 0) chunks.choiceOf(0);
    for (const state of chunks.choices.values()) this.#finish(state, state.calls > 0 ? 'tool_calls' : 'stop');
    if (usage !== undefined && this.#context.wantsUsage) chunks.usage(encodeUsage(usage));
    return Buffer.concat([Buffer.from(chunks.take()), doneFrame]);
  }
}

/** Writes one stream of `chat.completion.chunk` frames. */
export function createEncoder(context: AnswerContext): StreamEncoder {
  return new Encoder(context);
}
