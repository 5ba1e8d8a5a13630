import type { StreamDecoder } from '../chat/dialect.ts';
import type { ChatEvent, Served } from '../chat/response.ts';
import { createRoom } from '../chat/room.ts';
import { errorInOk, isErrorAnswer } from '../error.ts';
import { asObject, asText, type JsonObject, parseObject } from '../json.ts';
import type { SseFrame } from '../sse.ts';
import type { ToolUses } from '../tool-uses.ts';
import { type OpenBlock, openBlock } from './block-decoder.ts';
import { restOf } from './fields.ts';
import { readFinish } from './finish.ts';
import { extrasOf } from './response.ts';
import { dialectName } from './types.ts';
import { absorbUsage, countSearches, readServed, readUsage } from './usage.ts';

const messageMembers: readonly string[] = ['id', 'type', 'role', 'model', 'content', 'stop_reason', 'stop_sequence', 'usage'];
const deltaMembers: readonly string[] = ['stop_reason', 'stop_sequence'];

/** Reads one stream. Blocks come one after another; what is about a block that is not open is malformed. */
class Decoder implements StreamDecoder {
  #block: OpenBlock | undefined;
  #index: unknown;
  #part = 0;
  #searches: ToolUses | undefined;
  readonly #usage: JsonObject = {};
  readonly #room = createRoom();
  #isOver = false;

  push({ event, data }: SseFrame): readonly ChatEvent[] {
    if (data === undefined || this.#isOver) return [];
    const object = parseObject(data);
    if (object === undefined) return data.trim() === '[DONE]' ? this.#end() : [{ kind: 'malformed' }];
    const type = asText(object.type) || event;
    if (type === 'error' || (type === '' && isErrorAnswer(object))) {
      this.#isOver = true;
      return [{ kind: 'error', error: errorInOk(object) }];
    }
    return this.#take(type, object);
  }

  end(): readonly ChatEvent[] {
    return [];
  }

  #take(type: string, object: JsonObject): readonly ChatEvent[] {
    switch (type) {
      case 'message_start':
        return this.#start(asObject(object.message));
      case 'content_block_start':
        return this.#open(object.index, asObject(object.content_block));
      case 'content_block_delta':
        return this.#delta(object.index, asObject(object.delta));
      case 'content_block_stop':
        return object.index === this.#index ? this.#close() : [];
      case 'message_delta':
        return this.#finish(asObject(object.delta) ?? {}, object);
      case 'message_stop':
        return this.#end();
      default:
        return [];
    }
  }

  #start(message: JsonObject | undefined): readonly ChatEvent[] {
    if (message === undefined) return [{ kind: 'malformed' }];
    const raw = asObject(message.usage);
    absorbUsage(this.#usage, raw ?? {});
    const usage = readUsage(this.#usage);
    return [
      { kind: 'start', id: asText(message.id), model: asText(message.model) },
      ...(usage === undefined ? [] : [{ kind: 'usage', usage, partial: true } as const]),
      ...extraEvents(extrasOf(restOf(message, messageMembers), raw), readServed(raw)),
    ];
  }

  #open(index: unknown, raw: JsonObject | undefined): readonly ChatEvent[] {
    if (raw === undefined) return [{ kind: 'malformed' }];
    const ended = this.#close();
    const block = openBlock(raw, this.#part, this.#room);
    this.#part += 1;
    this.#block = block;
    this.#index = index;
    const searches = countSearches([raw], this.#searches);
    if (searches === undefined) return [...ended, ...block.start()];
    this.#searches = searches;
    return [...ended, ...block.start(), { kind: 'uses', uses: searches }];
  }

  #delta(index: unknown, delta: JsonObject | undefined): readonly ChatEvent[] {
    if (delta === undefined) return [{ kind: 'malformed' }];
    if (this.#block !== undefined && index === this.#index) return this.#block.delta(delta);
    // Some upstreams leave out the start of a plain block.
    const type = delta.type === 'text_delta' ? 'text' : delta.type === 'thinking_delta' ? 'thinking' : undefined;
    if (type === undefined || this.#block !== undefined) return [{ kind: 'malformed' }];
    return [...this.#open(index, { type }), ...this.#delta(index, delta)];
  }

  #close(): readonly ChatEvent[] {
    const block = this.#block;
    this.#block = undefined;
    this.#index = undefined;
    return block === undefined ? [] : block.stop();
  }

  #finish(delta: JsonObject, object: JsonObject): readonly ChatEvent[] {
    const raw = asObject(object.usage);
    const finish = readFinish(delta.stop_reason, delta.stop_sequence);
    const ended = finish === undefined ? [] : this.#close();
    let usage: ReturnType<typeof readUsage>;
    if (raw !== undefined) {
      absorbUsage(this.#usage, raw);
      usage = readUsage(this.#usage);
    }
    const beside = restOf(object, ['type', 'delta', 'usage']);
    return [
      ...ended,
      ...extraEvents(extrasOf({ ...restOf(delta, deltaMembers), ...beside }, raw), readServed(raw)),
      ...(finish === undefined ? [] : [{ kind: 'finish', choice: 0, finish } as const]),
      ...(usage === undefined ? [] : [{ kind: 'usage', usage } as const]),
    ];
  }

  #end(): readonly ChatEvent[] {
    this.#isOver = true;
    return [...this.#close(), { kind: 'end' }];
  }
}

function extraEvents(fields: JsonObject, served: Served): ChatEvent[] {
  if (Object.keys(fields).length === 0 && Object.keys(served).length === 0) return [];
  return [{ kind: 'extra', extra: { dialect: dialectName, fields }, ...served }];
}

/** A decoder for one stream. */
export function createDecoder(): StreamDecoder {
  return new Decoder();
}
