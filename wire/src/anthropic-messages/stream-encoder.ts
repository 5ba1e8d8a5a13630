import type { AnswerContext, StreamEncoder } from '../chat/dialect.ts';
import { servedBy } from '../chat/fold.ts';
import { createLosses } from '../chat/losses.ts';
import { type Part, saidInText } from '../chat/parts.ts';
import type { ChatEvent, Finish, PartHead, PartTail, Served } from '../chat/response.ts';
import { sealSignature } from '../chat/seal.ts';
import { errorStatus } from '../error.ts';
import type { JsonObject } from '../json.ts';
import { encodeFrame } from '../sse.ts';
import type { TokenUsage } from '../usage.ts';
import { createCallIds } from './call-ids.ts';
import { callSignature, encodeBlocks, isOwnCitation } from './encode-blocks.ts';
import { errorFrame } from './error.ts';
import { ownFields } from './fields.ts';
import { writeFinish } from './finish.ts';
import { splitExtras } from './response.ts';
import { dialectName } from './types.ts';
import { writeUsage } from './usage.ts';

interface Head {
  readonly block: JsonObject;
  deltaOf(text: string): JsonObject;
}

interface OpenPart {
  readonly part: number;
  readonly head: Head;
  readonly isCall: boolean;
  /** Of a thought: who issues its signature. */
  readonly dialect: string | undefined;
}

/** The number of a part that came whole: no other has it. */
const wholePart = -1;

/** Writes one stream: always message_start, whole blocks one after another, message_delta and message_stop. */
class Encoder implements StreamEncoder {
  readonly #context: AnswerContext;
  readonly #losses = createLosses();
  readonly #callId = createCallIds();
  #frames: Buffer[] = [];
  #isStarted = false;
  /** Of the block to come. */
  #index = 0;
  #open: OpenPart | undefined;
  #finish: Finish | undefined;
  #callsTools = false;
  #refuses = false;
  readonly #counted = new Map<string, unknown>();
  readonly #fields = new Map<string, unknown>();
  #served: Served | undefined;

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  get losses(): readonly string[] {
    return this.#losses.list();
  }

  push(event: ChatEvent): Buffer | undefined {
    if ('choice' in event && event.choice !== 0) this.#losses.lose('choices');
    else this.#take(event);
    return this.#flush();
  }

  close(usage: TokenUsage | undefined): Buffer {
    this.#start();
    this.#endBlock();
    const { stop_reason, stop_sequence } = writeFinish(this.#finish, this.#callsTools, this.#refuses);
    const { context_management, ...fields } = Object.fromEntries(this.#fields);
    this.#write('message_delta', {
      delta: { stop_reason, stop_sequence, ...fields },
      usage: { ...writeUsage(usage ?? this.#estimate(), this.#served), ...Object.fromEntries(this.#counted) },
      context_management,
    });
    this.#write('message_stop', {});
    return this.#flush() ?? Buffer.alloc(0);
  }

  #flush(): Buffer | undefined {
    const [first, ...others] = this.#frames;
    this.#frames = [];
    return first === undefined || others.length === 0 ? first : Buffer.concat([first, ...others]);
  }

  #write(type: string, members: JsonObject): void {
    this.#frames.push(encodeFrame(JSON.stringify({ type, ...members }), type));
  }

  #estimate(): TokenUsage {
    return { prompt: this.#context.promptEstimate, completion: 0, cached: 0, cacheWrite: 0, reasoning: 0, anomaly: false };
  }

  #start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const { id, model } = this.#context;
    this.#write('message_start', {
      message: {
        id: `msg_${id}`,
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: writeUsage(this.#estimate()),
      },
    });
  }

  #take(event: ChatEvent): void {
    if (event.kind === 'start') this.#start();
    else if (event.kind === 'part-start') this.#startPart(event.part, event.head);
    else if (event.kind === 'delta') this.#delta(event.part, event.text);
    else if (event.kind === 'part-end') this.#endPart(event.part, event.tail ?? {});
    else if (event.kind === 'whole') this.#whole(event.value);
    else if (event.kind === 'logprobs') this.#losses.lose('logprobs');
    else if (event.kind === 'finish') this.#finish = event.finish;
    else if (event.kind === 'extra') this.#extra(event);
    else if (event.kind === 'error') this.#frames.push(errorFrame(event.error, errorStatus(event.error)));
  }

  #extra(event: Extract<ChatEvent, { kind: 'extra' }>): void {
    const { counted, fields } = splitExtras(event.extra, this.#losses);
    for (const [key, value] of Object.entries(counted)) this.#counted.set(key, value);
    for (const [key, value] of Object.entries(fields)) this.#fields.set(key, value);
    this.#served = servedBy(event, this.#served);
  }

  #startPart(part: number, head: PartHead): void {
    const spelled = this.#headOf(head);
    this.#start();
    this.#endBlock();
    if (spelled === undefined) return;
    this.#open = {
      part,
      head: spelled,
      isCall: head.kind === 'tool-call',
      dialect: head.kind === 'reasoning' ? head.dialect : undefined,
    };
    this.#write('content_block_start', { index: this.#index, content_block: spelled.block });
  }

  #headOf(head: PartHead): Head | undefined {
    switch (head.kind) {
      case 'text':
      case 'refusal':
        if (head.kind === 'refusal') this.#refuses = true;
        return { block: { type: 'text', text: '' }, deltaOf: (text) => ({ type: 'text_delta', text }) };
      case 'reasoning':
        return {
          block: { type: 'thinking', thinking: '', signature: '' },
          deltaOf: (thinking) => ({ type: 'thinking_delta', thinking }),
        };
      case 'tool-call': {
        this.#callsTools = true;
        const id = this.#callId({ kind: 'tool-call', id: head.id, name: head.name, arguments: '' });
        return {
          block: { type: 'tool_use', id, name: head.name, input: {}, ...ownFields(head.extra, this.#losses.lose) },
          deltaOf: (partial_json) => ({ type: 'input_json_delta', partial_json }),
        };
      }
      case 'audio':
        this.#losses.lose('audio');
        return undefined;
    }
  }

  #delta(part: number, text: string): void {
    if (this.#open?.part === part && text !== '') this.#writeDelta(this.#open.head.deltaOf(text));
  }

  #writeDelta(delta: JsonObject): void {
    this.#write('content_block_delta', { index: this.#index, delta });
  }

  #endPart(part: number, { signature, citations = [], dialect }: PartTail): void {
    if (this.#open?.part !== part) return;
    const { isCall, dialect: issuer } = this.#open;
    for (const citation of citations) {
      if (isOwnCitation(citation)) this.#writeDelta({ type: 'citations_delta', citation });
      else this.#losses.lose('citations');
    }
    const signed = issuer === undefined ? undefined : sealSignature({ signature, dialect: dialect ?? issuer }, dialectName);
    if (signed !== undefined) this.#writeDelta({ type: 'signature_delta', signature: signed });
    this.#endBlock();
    const sealed = isCall ? callSignature({ signature, dialect }) : undefined;
    if (sealed !== undefined) this.#writeBlock(sealed);
  }

  #endBlock(): void {
    if (this.#open === undefined) return;
    this.#open = undefined;
    this.#write('content_block_stop', { index: this.#index });
    this.#index += 1;
  }

  #writeBlock(content_block: JsonObject): void {
    this.#write('content_block_start', { index: this.#index, content_block });
    this.#write('content_block_stop', { index: this.#index });
    this.#index += 1;
  }

  /** A part that comes at once: told in steps where clients expect them, else as a block that is whole at its start. */
  #whole(part: Part): void {
    const text = saidInText(part, dialectName);
    if (text !== undefined) this.#steps({ kind: 'text' }, text, {});
    else if (part.kind === 'text') this.#steps(part, part.text, { citations: part.citations });
    else if (part.kind === 'refusal') this.#steps(part, part.text, {});
    else if (part.kind === 'tool-call') this.#steps(part, part.arguments, { signature: part.signature, dialect: part.dialect });
    else if (part.kind === 'reasoning' && part.redacted === undefined)
      this.#steps(part, part.text, { signature: part.signature });
    else {
      this.#start();
      this.#endBlock();
      const target = {
        role: 'assistant',
        isNative: false,
        isAnswer: true,
        callId: this.#callId,
        lose: this.#losses.lose,
      } as const;
      for (const block of encodeBlocks([part], target)) this.#writeBlock(block);
    }
  }

  #steps(head: PartHead, text: string, tail: PartTail): void {
    this.#startPart(wholePart, head);
    this.#delta(wholePart, text);
    this.#endPart(wholePart, tail);
  }
}

/** An encoder for one stream. */
export function createEncoder(context: AnswerContext): StreamEncoder {
  return new Encoder(context);
}
